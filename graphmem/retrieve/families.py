"""Searches each family of memory kinds (conversations, documents, code, history) separately and interleaves the results,
starting with the family that the query asks for. Without this, a store with thousands of commits would answer every question
with commits. Each family has its own word frequencies. A store with one family is searched as a whole."""

from __future__ import annotations

from dataclasses import replace

from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.retrieve.asking import DOCUMENTS, HISTORY, asked_kinds
from graphmem.retrieve.calibrate import AGAIN, estimate_hits
from graphmem.retrieve.concepts import translate_query
from graphmem.retrieve.demote import demote_secondary
from graphmem.retrieve.diversify import demote_repetitions
from graphmem.retrieve.expand import SYMBOLS, add_entity_candidates
from graphmem.retrieve.leads import choose_lead_hits
from graphmem.retrieve.rank import rank_candidates
from graphmem.retrieve.reports import is_report
from graphmem.retrieve.seed import query_channels
from graphmem.retrieve.state import State

APART = (*SYMBOLS, "document", "commit")  # kinds that are always a family; all others are one, but those asked for
_ASKED = 2.0  # weight of a kind that the query asks for
_UNSURE = 0.2  # added to the best probability of a family, so that an unlikely family keeps some value
_BESIDE = 0.4  # factor for what a question about code does not ask for: such items get too high probabilities
_SAID = 0.2  # added to the probability of what was said or noted, times its score, where a question asks why
_TURN = 0.8  # factor on the value of a family for each item taken from it
_LEAST = 100  # candidates of each channel in a family


def search_and_interleave(state: State) -> None:
    """Search each family, and merge the results into `state`."""
    merge(state, search_by_kind(state))


def search_by_kind(state: State) -> list[State]:
    """Return one ranked search for each family with candidates; `state` itself if there is only one family."""
    return [one for one in map(_ranked, _families(state)) if one.ranked]


def merge(state: State, found: list[State]) -> None:
    """Estimate the best hits of each family, and interleave the families into one order in `state`."""
    by_question = state.about_code or any(one.about_code for one in found)
    for one in found:
        estimate_hits(one)
        if one is state:
            return
        if by_question and not one.about_code and not set(one.where.kinds or ()) & set(state.wanted):
            _weigh_beside(one)
        for name, scores in one.channels.items():
            state.channels[name] |= scores
        state.matches |= one.matches
        state.why |= one.why
        state.seen |= one.seen
        state.probabilities |= one.probabilities
    state.about_code = by_question
    _interleave(state, found)


def _weigh_beside(family: State) -> None:
    """Adjust the probabilities of what a question about code does not ask for. What somebody said or noted may tell why, so
    it stays in sight beside commits; what was read from a commit or a file is no better than its source."""
    asks_why = asked_kinds(family.query) == (*HISTORY, *DOCUMENTS)
    for one in family.load(family.probabilities):
        chance = family.probabilities[one.row]
        if asks_why and (one.item.session or one.item.sequence):
            family.probabilities[one.row] = min(1.0, chance + _SAID * family.scores.get(one.row, 0.0))
        else:
            family.probabilities[one.row] = _BESIDE * chance


def _families(state: State) -> list[State]:
    """Return a copy of the search for each family that the filter admits; `state` itself if that is only one."""
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
    for stage in (translate_query, query_channels, add_entity_candidates, rank_candidates, demote_repetitions):
        stage(state)
    demote_secondary(state)
    return state


def _interleave(state: State, found: list[State]) -> None:
    """Merge the orders: repeatedly take the best remaining item of the family with the highest value. An item from an
    event that another family already contributed goes to the end: for example, a fact and the commit it comes from."""
    worth = [_value(state, one) for one in found]
    heads = [one.ranked[: 2 * state.k + 1] for one in found]
    events = {one.row: one.item.event or one.item.id for one in state.load(row for head in heads for row in head)}
    told: dict[str, int] = {}  # event -> family
    again: list[int] = []
    scores: dict[int, float] = {}

    def value(family: int) -> float:
        if not heads[family]:
            return -1.0
        one, row = found[family], heads[family][0]
        return one.probabilities.get(row, 0.0) if state.about_code else worth[family] * one.scores.get(row, 0.0)

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
        leads = choose_lead_hits(state, found, events)
        state.leading = len(leads)
        first = [*leads, *(row for row in first if row not in leads)]
    placed = set(first)
    state.ranked = first + [row for one in found for row in one.ranked if row not in placed]


def _value(state: State, family: State) -> float:
    asked = any(kind in state.wanted for kind in family.where.kinds or ())
    return (_ASKED if asked else 1.0) * (_UNSURE + family.probabilities[family.ranked[0]])
