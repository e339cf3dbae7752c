"""Second stage: candidates and their order, each kind of memory by itself. A store of thousands of commits would otherwise
answer every question with commits: what was said, written, built and changed is searched apart, with its own rarity of words,
and then told in turns, first what the query asks for. A store that holds one family is searched as it is."""

from __future__ import annotations

from dataclasses import replace

from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.retrieve.calibrate import AGAIN, assess
from graphmem.retrieve.demote import demote
from graphmem.retrieve.diversify import demote_repetitions
from graphmem.retrieve.expand import SYMBOLS, expand_graph
from graphmem.retrieve.leads import first_of_each
from graphmem.retrieve.rank import rank_candidates
from graphmem.retrieve.reports import is_report
from graphmem.retrieve.seed import query_channels
from graphmem.retrieve.state import State

APART = (*SYMBOLS, "document", "commit")  # kinds that are always a family; all others are one, but those asked for
_ASKED = 2.0  # weight of a kind that the query asks for
_UNSURE = 0.2  # what a family is worth of which no item is likely the one meant
_TURN = 0.8  # what each item that was taken leaves of the worth of its family
_LEAST = 80  # candidates of each channel in a family


def search_and_interleave(state: State) -> None:
    """Fill channels, matches and the order of the candidates."""
    merge(state, search_by_kind(state))


def search_by_kind(state: State) -> list[State]:
    """Return the search once for each family, each with the order of its candidates; the search itself where that is one."""
    return [one for one in map(_ranked, _families(state)) if one.ranked]


def merge(state: State, found: list[State]) -> None:
    """Put the families together in one order, with what is known of their best hits."""
    for one in found:
        assess(one)
        if one is state:
            return
        for name, scores in one.channels.items():
            state.channels[name] |= scores
        state.matches |= one.matches
        state.why |= one.why
        state.seen |= one.seen
        state.probabilities |= one.probabilities
    _take_turns(state, found)


def _families(state: State) -> list[State]:
    """The search, once for each family that the filter lets through; the search itself where that is one."""
    state.wanted = tuple(
        kind for kind in state.wanted if state.ports.text.mask(replace(state.where, kinds=(kind,))).any()
    )
    if state.where.kinds is not None or not state.weights.get("families", 1.0):
        return [state]
    apart = [(kind,) for kind in dict.fromkeys((*APART, *state.wanted))]
    filters = [replace(state.where, kinds=kinds) for kinds in apart]
    filters.append(replace(state.where, but=(*(kind for (kind,) in apart), SUMMARIES, TRIGGERS)))
    there = [where for where in filters if state.ports.text.mask(where).any()]
    return [state] if len(there) < 2 else [state.within(where, _LEAST) for where in there]


def _ranked(state: State) -> State:
    for stage in (query_channels, expand_graph, rank_candidates, demote_repetitions):
        stage(state)
    demote(state)
    return state


def _take_turns(state: State, found: list[State]) -> None:
    """One order out of several: the best item that is left of the family that is worth most. What another family told of the
    same event already goes behind: a fact beside the commit that it was read from."""
    worth = [_worth(state, one) for one in found]
    heads = [one.ranked[: 2 * state.k + 1] for one in found]
    events = {one.row: one.item.event or one.item.id for one in state.load(row for head in heads for row in head)}
    told: dict[str, int] = {}  # event -> family
    again: list[int] = []
    scores: dict[int, float] = {}

    def value(family: int) -> float:
        return worth[family] * found[family].scores.get(heads[family][0], 0.0) if heads[family] else -1.0

    while any(heads):
        family = max(range(len(found)), key=value)
        best, row = value(family), heads[family].pop(0)
        if told.setdefault(events.get(row, ""), family) != family:
            again.append(row)
            state.probabilities[row] = AGAIN * state.probabilities.get(row, 0.0)
            continue
        scores[row] = best
        worth[family] *= _TURN
    highest = max(scores.values(), default=0.0) or 1.0
    state.scores = {row: score / highest for row, score in scores.items()}
    first = [*scores, *again]
    if is_report(state):
        leads = first_of_each(state, found, events)
        state.leading = len(leads)
        first = [*leads, *(row for row in first if row not in leads)]
    placed = set(first)
    state.ranked = first + [row for one in found for row in one.ranked if row not in placed]


def _worth(state: State, family: State) -> float:
    asked = any(kind in state.wanted for kind in family.where.kinds or ())
    return (_ASKED if asked else 1.0) * (_UNSURE + family.probabilities[family.ranked[0]])
