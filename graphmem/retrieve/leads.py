"""What leads the answer to a report: where the fault lies and why things are as they are. A source that tells of the very matter
stands before the symbol, since the obvious change of the symbol may break what was decided; one that shares a few words with
the report does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphmem.retrieve.demote import DOCUMENTS
from graphmem.retrieve.expand import SYMBOLS
from graphmem.retrieve.state import State
from graphmem.text.deciding import mentions_amendment

_COMPARED = 5  # best items of a family of which the most telling leads
_TELLING, _SAID = 0.35, 0.15  # of the report that a source says in all, and of it in one sentence
_AMENDMENTS = 40  # best items among which an amendment is looked for
_SAME_MATTER = 0.4  # of what the amended one has of the report


def first_of_each(state: State, found: Sequence[State], events: Mapping[int, str]) -> list[int]:
    """Return the best of code, of history and of what was said, each of another event: a report asks where and why at once,
    and one of them alone is half an answer. The most telling source leads; where none tells, the likeliest."""
    leads: dict[str, int] = {}
    telling: dict[int, float] = {}  # of the leads that are sources
    for one in found:
        if one.where.kinds == DOCUMENTS:
            continue
        fresh = [row for row in one.ranked[:_AMENDMENTS] if events.get(row, "") not in leads]
        if not fresh:
            continue
        row = fresh[0]
        if one.where.kinds != SYMBOLS:
            best = max(fresh[:_COMPARED], key=lambda row: _telling(state, row))
            row = _amended(state, best, fresh)
            telling[row] = _telling(state, best)
        leads[events.get(row, "")] = row
    ordered = sorted(leads.values(), key=lambda row: -state.probabilities.get(row, 0.0))
    source = max(telling, key=lambda row: telling[row], default=None)
    if source is None or telling[source] < _TELLING:
        return ordered
    return [source, *(row for row in ordered if row != source)]


def _telling(state: State, row: int) -> float:
    """Return how much of the report an item says, in one sentence and in all; 0 for one that says little in any sentence."""
    seen = state.seen.get(row)
    if seen is None or seen["said"] < _SAID:
        return 0.0
    return seen["said"] + seen["coverage"]


def _amended(state: State, row: int, others: Sequence[int]) -> int:
    """Return the turn of a later conversation that changes what was agreed in the conversation of this turn; the turn itself if
    there is none."""
    stored = state.load([row])
    if not stored or not stored[0].item.session or row not in state.matches:
        return row
    item, least = stored[0].item, _SAME_MATTER * state.matches[row].coverage
    for other in state.load(others):
        later = other.item.kind == "turn" and other.item.session != item.session and other.item.at > item.at
        match = state.matches.get(other.row)
        if later and match is not None and match.coverage >= least and mentions_amendment(other.item.text):
            return other.row
    return row
