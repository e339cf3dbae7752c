"""Two stages of a search by themselves: repetitions are demoted, and the families of kinds are interleaved."""

import pytest
from retrieving import START

from graphmem.model.changes import Item
from graphmem.ports.text import ItemFilter
from graphmem.retrieve.diversify import demote_repetitions
from graphmem.retrieve.families import interleave_families
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.present import to_datetime
from graphmem.retrieve.rank import WEIGHTS
from graphmem.retrieve.records import Analysis, Candidate, Family, Request

TIDE = "the tide turns at noon and the pilot boat leaves the north pier"


class Stage:
    """The input of one stage over items of a real store, named by their ids."""

    def __init__(self, memory, query, k=5):
        self.reader = Reader(memory.ports)
        self.request = Request(query, k, ItemFilter(project="p"), to_datetime(START), weights=WEIGHTS)
        self.ids = {one.row: one.item.id for one in memory.index.items(range(1, 20))}
        self.rows = {name: row for row, name in self.ids.items()}

    def candidate(self, name, score=1.0, probability=0.5):
        return Candidate(self.rows[name], {}, score=score, probability=probability, features={"coverage": 1.0})

    def names(self, ranked):
        return [self.ids[one.row] for one in ranked]


@pytest.mark.parametrize(
    ("query", "texts", "order"),
    [
        ("tide", [TIDE, "the crane is new", TIDE], ["s0", "s1", "s2"]),
        ("tide", [TIDE, TIDE, "the crane is new"], ["s0", "s2", "s1"]),
        ("tide", [TIDE, TIDE.upper() + " today", "the crane is new"], ["s0", "s2", "s1"]),  # 11 of 12 different words
        ("tide", [TIDE, TIDE.replace("noon", "dawn").replace("pier", "quay"), "x"], ["s0", "s1", "s2"]),  # 9 of 13
        ("tide", ["tide at noon", "tide at noon today", "x"], ["s0", "s1", "s2"]),  # short texts must be equal
        ("When does the tide turn?", ["When does the tide turn?", "It turns at noon."], ["s1", "s0"]),
        ("the tide turns", ["When does the tide turn?", "It turns at noon."], ["s0", "s1"]),
    ],
)
def test_repetitions_and_echoes_of_the_question_move_to_the_end(memory, query, texts, order):
    memory.turns(*texts)
    stage = Stage(memory, query)
    ranked = [stage.candidate(f"s{place}") for place in range(len(texts))]
    assert stage.names(demote_repetitions(stage.reader, stage.request, ranked)) == order


def test_documents_may_repeat_each_other(memory):
    memory.note("d1", TIDE, kind="document")
    memory.note("d2", TIDE, kind="document")
    memory.turns("the crane is new")
    stage = Stage(memory, "tide")
    ranked = [stage.candidate(name) for name in ("d1", "d2", "s0")]
    assert stage.names(demote_repetitions(stage.reader, stage.request, ranked)) == ["d1", "d2", "s0"]


def _interleave(memory, query, wanted, turns, commits, *, about_code=False):
    """Return the names and scores of two families; each candidate is a name with its score and probability."""
    stage = Stage(memory, query)
    families = []
    for kind, given in (("turn", turns), ("commit", commits)):
        request = Request(query, 5, ItemFilter(project="p", kinds=(kind,)), stage.request.now, weights=WEIGHTS)
        ranked = [stage.candidate(*one) for one in given]
        families.append(Family(request, Analysis(about_code=about_code), ranked, {}))
    merged = interleave_families(stage.reader, stage.request, wanted, families)
    return stage.names(merged.ranked), [one.score for one in merged.ranked]


@pytest.mark.parametrize(
    ("wanted", "about_code", "order"),
    [
        ((), False, ["s0", "c1", "s1", "c2"]),  # by score times worth, which falls with each hit taken
        (("commit",), False, ["c1", "c2", "s0", "s1"]),  # a kind that is asked for is worth twice as much
        ((), True, ["c1", "s0", "c2", "s1"]),  # a question about code: by probability alone
    ],
)
def test_families_take_turns_by_worth_or_probability(memory, wanted, about_code, order):
    memory.turns("the tide turns", "the boat leaves")
    memory.note("c1", "tide: fix the table", kind="commit")
    memory.note("c2", "tide: add the table", kind="commit")
    turns, commits = [("s0", 1.0, 0.6), ("s1", 0.9, 0.3)], [("c1", 1.0, 0.7), ("c2", 0.9, 0.5)]
    if not about_code:
        turns[0], commits[0] = ("s0", 1.0, 0.7), ("c1", 1.0, 0.6)
    names, scores = _interleave(memory, "tide table", wanted, turns, commits, about_code=about_code)
    assert names == order
    assert scores[0] == 1.0 and scores == sorted(scores, reverse=True)


def test_an_event_that_another_family_contributed_goes_to_the_end(memory):
    memory.turns("the tide turns", "the boat leaves")
    memory.put(Item("c1", "commit", "", "tide: fix the table", START, "c1", project="p", event="event-s0"))
    memory.note("c2", "tide: add the table", kind="commit")
    turns, commits = [("s0", 1.0, 0.9), ("s1", 0.4, 0.2)], [("c1", 1.0, 0.5), ("c2", 0.9, 0.4)]
    names, scores = _interleave(memory, "tide table", (), turns, commits)
    assert names == ["s0", "c2", "s1", "c1"] and scores[-1] == 0.0
