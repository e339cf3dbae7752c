"""Second stage: candidates and their order, each kind of memory by itself. A store of thousands of commits would otherwise
answer every question with commits: what was said, written, built and changed is searched apart, with its own rarity of words,
and then told in turns, first what the query asks for. A store that holds one family is searched as it is."""

from __future__ import annotations

import re
from dataclasses import replace

from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.retrieve.calibrate import hit_probability
from graphmem.retrieve.diversify import demote_repetitions
from graphmem.retrieve.expand import SYMBOLS, expand_graph
from graphmem.retrieve.rank import rank_candidates
from graphmem.retrieve.seed import query_channels
from graphmem.retrieve.state import State

APART = (*SYMBOLS, "document", "commit")  # kinds that are always a family; all others are one, but those asked for
_ASKED = 2.0  # weight of a kind that the query asks for
_UNSURE = 0.2  # what a family is worth of which no item is likely the one meant
_TURN = 0.8  # what each item that was taken leaves of the worth of its family
_TEST = 0.5  # of the score of a test, where the query does not speak of tests
_TESTS = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_|[._-](?:test|spec)s?\.")
_LEAST = 80  # candidates of each channel in a family
_READ = 60  # symbols that are looked at for tests


def search_by_kind(state: State) -> None:
    """Fill channels, matches and the order of the candidates."""
    found = [one for one in map(_ranked, _families(state)) if one.ranked]
    if len(found) == 1 and found[0] is state:
        return
    for one in found:
        for name, scores in one.channels.items():
            state.channels[name] |= scores
        state.matches |= one.matches
        state.why |= one.why
    _take_turns(state, found)


def _families(state: State) -> list[State]:
    """The search, once for each family that the filter lets through; the search itself where that is one."""
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
    if state.where.kinds == SYMBOLS:
        _put_tests_back(state)
    return state


def _put_tests_back(state: State) -> None:
    """Tests name what they test, so they would stand before it."""
    if "test" in state.query.lower():
        return
    head = state.ranked[:_READ]
    tests = {stored.row for stored in state.load(head) if _TESTS.search(stored.item.ref)}
    for row in tests & state.scores.keys():
        state.scores[row] *= _TEST
    state.ranked[: len(head)] = sorted(head, key=lambda row: -state.scores.get(row, 0.0))
    highest = max(state.scores.values(), default=0.0) or 1.0
    state.scores = {row: score / highest for row, score in state.scores.items()}


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
            continue
        scores[row] = best
        worth[family] *= _TURN
    highest = max(scores.values(), default=0.0) or 1.0
    state.scores = {row: score / highest for row, score in scores.items()}
    first = [*scores, *again]
    placed = set(first)
    state.ranked = first + [row for one in found for row in one.ranked if row not in placed]


def _worth(state: State, family: State) -> float:
    asked = any(kind in state.wanted for kind in family.where.kinds or ())
    return (_ASKED if asked else 1.0) * (_UNSURE + hit_probability(family, family.ranked[0], 0, 0.0))
