"""Questions about code, its documents and its history: each kind of question by a small repository, worded unlike what answers it."""

import pytest

from graphmem.retrieve.asking import asked_kinds
from graphmem.retrieve.stems import stem
from graphmem.retrieve.vocabulary import find_concepts


@pytest.fixture
def bakery(memory):
    def symbol(name, text, place, title, role="function"):
        memory.note(name, text, kind="symbol", title=title, ref=place, role=role)

    symbol(
        "remove",
        "fn remove_stale_loaves(shelf)\nDelete loaves that are too old.",
        "oven/shelf.rs:9",
        "shelf.remove_stale_loaves",
    )
    symbol("shelf", "mod shelf\nLoaves, ovens, prices, flour and shelves.", "oven/shelf.rs:1", "shelf", "module")
    symbol("empty", "fn is_empty(directory)\nWhether nothing is in it.", "oven/store.rs:4", "store.is_empty")
    symbol(
        "test", "fn test_remove_stale_loaves()\nDelete loaves.", "tests/shelf.rs:2", "tests.test_remove_stale_loaves"
    )
    memory.note(
        "guide", "Set `color` to false in the settings.", kind="document", title="Guide › Colours", ref="guide.md:3"
    )
    memory.note("v2", "- Bake rye.\n- Fewer raisins.", kind="document", title="Version 2.1", ref="CHANGELOG.md:2")
    memory.note(
        "v1", "- What was fixed: version of the oven.", kind="document", title="Version 1.9", ref="CHANGELOG.md:9"
    )
    memory.note("drop", "Nobody buys raisins.", kind="commit", title="Delete raisin bread", ref="a" * 40)
    memory.note("add", "It sells well.", kind="commit", title="Introduce rye loaves", ref="b" * 40)
    return memory


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where are old loaves discarded?", "remove"),
        ("Which tests check that old loaves are discarded?", "test"),
        ("Who removed the raisin bread?", "drop"),
        ("When was rye bread added?", "add"),
        ("How do I turn colors off?", "guide"),
        ("What was fixed in version 2.1?", "v2"),
        ("빈 디렉터리인지 판단하는 코드는 어디에 있나요?", "empty"),
    ],
)
def test_a_question_in_other_words_finds_what_answers_it(bakery, question, first):
    assert bakery.ask(question)[0] == first


def test_a_name_that_occurs_nowhere_has_no_answer(bakery):
    asked = bakery.retriever.search("Where are old loaves sent to a WebSocket?", project="p")
    assert asked.confidence == "none" and "WebSocket" in asked.degraded
    assert bakery.retriever.search("Where are old loaves discarded?", project="p").confidence != "none"


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Where are names removed?", ("symbol",)),
        ("Which helper sorts the rows?", ("symbol",)),
        ("Which commit added the cache?", ("commit",)),
        ("Why was it dropped?", ("commit", "document")),
        ("My build fails. What did I miss?", ("document",)),
        ("What was fixed in 1.2.3?", ("document",)),
        ("누가 캐시를 추가했나요?", ("commit",)),
        ("캐시를 어떻게 끄나요?", ("document",)),
        ("raise_load_limit", None),
    ],
)
def test_the_form_of_a_question_tells_which_kinds_it_asks_for(question, kinds):
    assert asked_kinds(question) == kinds


def test_a_word_stands_for_words_of_its_group_and_for_its_translation():
    (concept,) = find_concepts(["discarded"])
    assert concept.forms[stem("discard")] == 1.0 and 0 < concept.forms[stem("delete")] < 1
    parts = {one.word: one.words for one in find_concepts(["종료코드를"])}
    assert "exit" in parts["종료코드"]
    assert find_concepts(["호밀빵을"])[0].words == ()
