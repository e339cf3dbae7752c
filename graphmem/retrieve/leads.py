"""Chooses the first hits for a bug report: at most one from each family (code, history, conversation). A source (commit or
turn) that covers much of the report precedes the symbol, because it may state a decision that the obvious fix would break.
A source that shares only a few words does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphmem.retrieve.demote import DOCUMENTS
from graphmem.retrieve.expand import SYMBOLS
from graphmem.retrieve.state import State
from graphmem.text.deciding import mentions_amendment

_MAX_COMPARED = 5  # best items of a family that are compared by coverage
_MIN_COVERAGE = 0.35  # coverage of the report from which a source comes first
_MIN_SENTENCE_COVERAGE = 0.15  # share of the report in the best sentence of a source; below, its coverage counts as 0
_MAX_AMENDMENT_CANDIDATES = 40  # best items of a family that may amend the chosen one
_MIN_RELATIVE_COVERAGE = 0.4  # share of the coverage of the amended turn that an amendment needs


def choose_lead_hits(state: State, found: Sequence[State], events: Mapping[int, str]) -> list[int]:
    """Return the rows to show first: the best of each family, each from a different event, by decreasing probability. The
    source that covers most of the report precedes the others if it covers enough (`_MIN_COVERAGE`). `found` are the
    searches of the families; `events` maps rows to the events that they are from."""
    leads: dict[str, int] = {}
    coverages: dict[int, float] = {}  # of the leads that are sources
    for one in found:
        if one.where.kinds == DOCUMENTS:
            continue
        fresh = [row for row in one.ranked[:_MAX_AMENDMENT_CANDIDATES] if events.get(row, "") not in leads]
        if not fresh:
            continue
        row = fresh[0]
        if one.where.kinds != SYMBOLS:
            best = max(fresh[:_MAX_COMPARED], key=lambda row: _report_coverage(state, row))
            row = _find_amendment(state, best, fresh)
            coverages[row] = _report_coverage(state, best)
        leads[events.get(row, "")] = row
    ordered = sorted(leads.values(), key=lambda row: -state.probabilities.get(row, 0.0))
    source = max(coverages, key=lambda row: coverages[row], default=None)
    if source is None or coverages[source] < _MIN_COVERAGE:
        return ordered
    return [source, *(row for row in ordered if row != source)]


def _report_coverage(state: State, row: int) -> float:
    """Return the share of the report in the best sentence of an item plus the share in the whole item (0 to 2); 0 if every
    sentence covers little."""
    seen = state.seen.get(row)
    if seen is None or seen["said"] < _MIN_SENTENCE_COVERAGE:
        return 0.0
    return seen["said"] + seen["coverage"]


def _find_amendment(state: State, row: int, others: Sequence[int]) -> int:
    """Return the turn of a later session that changes what was agreed in the session of this turn; the turn itself if
    there is none."""
    stored = state.load([row])
    if not stored or not stored[0].item.session or row not in state.matches:
        return row
    item, least = stored[0].item, _MIN_RELATIVE_COVERAGE * state.matches[row].coverage
    for other in state.load(others):
        later = other.item.kind == "turn" and other.item.session != item.session and other.item.at > item.at
        match = state.matches.get(other.row)
        if later and match is not None and match.coverage >= least and mentions_amendment(other.item.text):
            return other.row
    return row
