"""Kinds of memory are searched apart and interleaved, so that none crowds out the others."""

import pytest

from graphmem.retrieve.retriever import Retriever


@pytest.fixture
def harbour(memory):
    """A hundred commits that speak of the crane, one function, its test, one guide, and what was said."""
    for number in range(100):
        memory.note(f"c{number}", f"crane: raise the load limit again, take {number}", kind="commit")
    memory.note(
        "code",
        "def raise_load_limit(crane, tons)",
        kind="symbol",
        title="harbour.crane.raise_load_limit",
        ref="harbour/crane.py:7",
    )
    memory.note(
        "test",
        "def test_raise_load_limit()",
        kind="symbol",
        title="tests.test_crane.test_raise_load_limit",
        ref="tests/test_crane.py:3",
    )
    memory.note("guide", "To set the load limit of a crane, open its panel.", kind="document", title="docs/cranes.md")
    memory.turns("We raise the load limit of the crane on Friday.", "Who told the crew?")
    return memory


def test_each_kind_has_its_turn(harbour):
    found = harbour.ask("load limit of the crane", k=5)
    assert {"code", "guide", "s0"} < set(found) and sum(one.startswith("c") and one != "code" for one in found) == 2


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("where is the load limit raised?", "code"),
        ("raise_load_limit", "code"),
        ("how do I set the load limit?", "guide"),
        ("크레인 load limit 설정 방법", "guide"),
    ],
)
def test_what_is_asked_for_comes_first(harbour, query, first):
    assert harbour.ask(query)[0] == first


@pytest.mark.parametrize("query", ["may we raise the load limit on Friday?", "did we agree to raise the load limit?"])
def test_what_was_said_answers_whether_something_is_allowed_or_agreed(harbour, query):
    assert harbour.ask(query, k=1) == ["s0"]


def test_commits_answer_when(harbour):
    assert harbour.retriever.search("when was the load limit raised?", project="p").hits[0].kind == "commit"


def test_tests_stand_behind_what_they_test_unless_asked_for(harbour):
    plain, tests = (harbour.ask(query, kinds=["symbol"]) for query in ("raise load limit", "test of raise load limit"))
    assert plain.index("code") < plain.index("test") and "test" in tests


def test_scores_never_rise_and_every_candidate_counts(harbour):
    result = harbour.retriever.search("load limit of the crane", project="p", k=20)
    scores = [hit.score for hit in result.hits]
    assert scores[0] == 1.0 and scores == sorted(scores, reverse=True) and len(result.hits) == 20
    assert len({hit.id for hit in result.hits}) == 20


def test_one_event_is_told_once_by_a_commit_and_its_fact(memory):
    for number in range(12):
        memory.note(f"x{number}", f"the winch makes noise {number}", kind="commit")
    memory.note("c", "Drop support for the old winch", kind="commit", ref="hash")
    memory.note("f", "Dropped support for the old winch", kind="fact", ref="hash")
    memory.put(*(item._replace(event="event-shared") for item in (s.item for s in memory.index.find(["c", "f"]))))
    assert len({"c", "f"} & set(memory.ask("support for the old winch", k=2))) == 1


def test_families_can_be_left_out(harbour):
    plain = Retriever(harbour.ports, {"families": 0.0})
    assert {hit.kind for hit in plain.search("crane raise the load limit again", project="p", k=5).hits} == {"commit"}


def test_facts_of_one_turn_all_count(harbour):
    for name in ("one", "two"):
        harbour.note(name, f"The tug {name} of Mina draws four metres.")
    both = [stored.item._replace(event="event-tugs") for stored in harbour.index.find(["one", "two"])]
    harbour.put(*both)
    assert {"one", "two"} < set(harbour.ask("how deep do the tugs of Mina lie, metres", k=6))


def test_the_name_of_the_project_leads_nowhere(memory):
    for name, project in (("readme", "Harbour"), ("guide", "Mooring")):
        memory.note(name, f"{project} is explained here, at some length.", kind="document", title=project)
    hits = memory.retriever.search("What is the mooring guide of Harbour?", project="harbour").hits
    assert not hits  # they are of the project `p`
    memory.put(*(stored.item._replace(project="harbour") for stored in memory.index.find(["readme", "guide"])))
    why = {hit.id: hit.why for hit in memory.retriever.search("What is Mooring in Harbour?", project="harbour").hits}
    assert "entities" in why["guide"] and "entities" not in why["readme"]


@pytest.mark.parametrize("query", ["raise_load_limit", "where is raise_load_limit defined?", "crane.raise_load_limit"])
def test_a_symbol_is_found_by_its_name(harbour, query):
    for number in range(9):  # short, and full of its words
        harbour.note(
            f"n{number}",
            "def load(limit)",
            kind="symbol",
            title=f"harbour.raise_{number}.limit.load",
            ref=f"a.py:{number}",
        )
    assert harbour.ask(query)[0] == "code"


def test_what_is_sure_comes_before_what_is_asked_for(memory):
    memory.note("fact", "The port of the gateway is 9090.")
    memory.note("guide", "The harbour server runs on port 8080, and nothing else does.", kind="document", title="Ports")
    assert memory.ask("what is the port of the gateway?")[0] == "fact"
