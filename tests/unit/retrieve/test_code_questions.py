"""Questions about code, its documents and its history: each kind of question by a small repository, worded unlike what answers it."""

import re

import pytest

from graphmem.model.changes import Item, Link
from graphmem.retrieve import asking
from graphmem.retrieve.asking import asked_kinds
from graphmem.retrieve.phrases import rewrite_phrases
from graphmem.retrieve.stems import stem
from graphmem.retrieve.vocabulary import find_concepts
from graphmem.text.words import content_words, name_key


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


def test_what_says_more_of_the_words_is_before_what_says_a_rare_one(memory):
    for n, (said, more) in enumerate([("buns", "rack"), ("sugar", "nuts"), ("nuts", "buns"), ("rack", "sugar")] * 4):
        memory.note(
            f"o{n}", f"Of {said} and {more}, number {n}.", kind="document", title=f"Sheet {n}", ref=f"sheet{n}.md:1"
        )
    memory.note("s", "def bake()", kind="symbol", title="bake", ref="bake.py:1", role="function")
    memory.note("rare", "Glaze the top.", kind="document", title="Glaze", ref="glaze.md:1")
    memory.note("all", "Sugar is strewn on buns before the nuts.", kind="document", title="Sweets", ref="sweets.md:1")
    assert memory.ask("How do I glaze buns with sugar and nuts on the rack?")[0] == "all"


def test_a_changelog_hardly_tells_how_something_is_done(memory):
    memory.note("s", "def knead(dough)", kind="symbol", title="knead", ref="dough.py:1", role="function")
    for n in range(8):
        memory.note(f"o{n}", f"Colour {n} of the chart.", kind="document", title=f"Chart {n}", ref=f"chart{n}.md:1")
    memory.note("log", "- Rye dough is kneaded by hand.", kind="document", title="Version 2.1", ref="CHANGELOG.md:2")
    memory.note(
        "page",
        "Rye dough is kneaded with wet hands, at first slowly and then fast.",
        kind="document",
        title="Rye",
        ref="rye.md:2",
    )
    assert memory.ask("How do I knead rye dough by hand?")[0] == "page"


def test_a_name_that_occurs_nowhere_has_no_answer(bakery):
    asked = bakery.retriever.search("Where are old loaves sent to a WebSocket?", project="p")
    assert asked.confidence == "none" and "WebSocket" in asked.degraded
    assert bakery.retriever.search("Where are old loaves discarded?", project="p").confidence != "none"


def test_a_name_written_as_code_that_no_code_has_has_no_answer(bakery):
    for name in ("remove_burnt_loaves", "IndexedLoaf"):
        asked = bakery.retriever.search(f"Where is {name} implemented?", project="p")
        assert asked.confidence == "none" and name in asked.degraded
    known = bakery.retriever.search("Where is remove_stale_loaves implemented?", project="p")
    assert known.confidence != "none" and not known.unknown_names


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What does the --self-clean option do?", "--self-clean"),
        ("Which tests cover Oven#tilt?", "Oven#tilt"),
        ("Where is Oven.deliver_loaves defined?", "Oven.deliver_loaves"),
        ("Where is Oven.preheat defined?", "Oven.preheat"),  # another type has it
        ("What does --dry-run do?", ""),
        ("Where is Oven.warm_up defined?", ""),
        ("Is there a test of Oven.glow?", ""),  # its code has it
        ("Where is GasOven.preheat defined?", ""),  # perhaps of its base
        ("Where is shelf.Sort defined?", ""),  # not a type of the store
        ("Where is Oven.toml read?", ""),
    ],
)
def test_an_option_and_a_member_that_nothing_has_have_no_answer(memory, question, unknown):
    def symbol(name, text, body="", role="function"):
        memory.put(
            Item(
                name,
                "symbol",
                name,
                text,
                0,
                f"{name.split('.')[0]}.py:1",
                project="p",
                event=name,
                role=role,
                body=body,
            ),
            links=[
                Link(name, f"about:{name_key(part)}", part) for part in dict.fromkeys((name, name.rpartition(".")[2]))
            ],
        )

    symbol("Oven", "class Oven:\nBakes loaves, and option tests cover it.", "glow", "class")
    symbol("Oven.warm_up", "def warm_up(self)\nWarms it up.")
    symbol("GasOven", "class GasOven(Oven):\nBakes loaves with gas.", "", "class")
    symbol("Stove.preheat", "def preheat(self)\nWarms the stove.")
    memory.note("guide", "With `--dry-run` nothing is baked.", kind="document", title="Options", ref="guide.md:3")
    found = memory.retriever.search(question, project="p")
    if unknown:
        assert unknown in found.degraded and found.confidence == "none"
    else:
        assert not found.unknown_names


def test_a_name_written_as_only_code_is_asks_for_its_symbol(memory):
    for name in ("warmUp", "warmOvenUp", "warmUpAgain"):
        text = f"function {name}(oven)" + "\nWarm up: warms the oven up." * (name != "warmUp")
        memory.note(name, text, kind="symbol", title=f"ovens.{name}", ref=f"ovens.ts:{len(name)}", role="function")
    memory.note("fix", "It warms up.", kind="commit", title="Warm the oven up", ref="c" * 40)
    found = memory.retriever.search("warmUp", project="p")
    assert found.hits[0].id == "warmUp" and found.confidence == "high"


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Where are names removed?", ("symbol",)),
        ("Which helper sorts the rows?", ("symbol",)),
        ("Which commit added the cache?", ("commit",)),
        ("Why was it dropped?", ("commit", "document")),
        ("My build fails. What did I miss?", ("document", "symbol")),
        ("the build fails for names with quotes", ("commit", "document")),
        ("which release got the cache", ("commit", "document")),
        ("What was fixed in 1.2.3?", ("document",)),
        ("The oven lost its heat. Is that fixed?", ("commit", "document")),
        ("Nobody told me why. Where are the loaves counted?", ("symbol",)),
        ("오븐이 식던 문제는 고쳐졌나요?", ("commit", "document")),
        ("누가 캐시를 추가했나요?", ("commit",)),
        ("캐시를 어떻게 끄나요?", ("document", "symbol")),
        ("오븐 코드를 새 오븐으로 바꾸려면 어떤 순서로 하나요?", ("document", "symbol")),
        ("밀가루만 바꾸는 제안도 받아 주나요?", ("document", "symbol")),
        ("반죽 기준은 어디에 적혀 있죠?", ("document",)),
        ("건포도를 뺀 이유는?", ("commit", "document")),
        ("건포도는 넣지 않기로 했나요?", ("commit", "document")),
        ("오븐은 어느 버전에서 들어왔나요?", ("commit", "document")),
        ("빵을 굽는 함수는 무엇인가요?", ("symbol",)),
        ("raise_load_limit", None),
        ("when was the oven replaced?", ("commit",)),
        ("when is the next release?", ("commit",)),
        ("a function that is used to bake bread", None),
        ("The oven lost its heat. Known?", ("commit", "document")),
        ("how come the bread is so dark", ("commit", "document")),
        ("the oven has another name now, which one?", ("commit", "document")),
        ("is burning the bread covered?", ("symbol",)),
        ("do they verify that the oven is closed?", ("symbol",)),
        ("is burnt bread covered by the warranty?", None),
    ],
)
def test_the_form_of_a_question_tells_which_kinds_it_asks_for(question, kinds):
    assert asked_kinds(question) == kinds


def test_a_word_stands_for_words_of_its_group_and_for_its_translation():
    (concept,) = find_concepts(["discarded"])
    assert concept.forms[stem("discard")] == 1.0 and 0 < concept.forms[stem("delete")] < 1
    parts = {one.word: one.words for one in find_concepts(["종료코드를"])}
    assert "exit" in parts["종료코드"]
    assert find_concepts(["반환하는"])[0].words[0] == "return" and find_concepts(["로거를"])[0].word == "로거"
    assert find_concepts(["호밀빵을"])[0].words == ()


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("where is the delay worked out", "where is the delay calculate"),
        ("who puts the old oven back?", "who restore the old oven?"),
        ("where are stale loaves thrown away", "where are stale loaves discard"),
        ("how do I make sure that it is hot", "how do I ensure that it is hot"),
        ("give my own recipe, baked in pieces", "give custom recipe, baked chunk"),
        ("the put of flour, and back of the oven", "the put of flour, and back of the oven"),
        ("what does the output look like", "what does the output look like"),
        ("오븐은 어디에 있나요?", "오븐은 어디에 있나요?"),
    ],
)
def test_phrasal_verbs_are_words_of_code(question, reworded):
    assert rewrite_phrases(question) == reworded


def test_a_phrasal_verb_is_searched_as_the_word_that_code_uses(memory):
    for name in ("calculate_delay", "find_work", "read_out", "write_out", "next_work"):
        memory.note(
            name, f"fn {name}()", kind="symbol", title=f"oven.{name}", ref=f"oven.rs:{len(name)}", role="function"
        )
    memory.note("page", "Out of the oven.", kind="document", title="Work", ref="guide.md:3")
    assert memory.ask("where is the delay worked out")[0] == "calculate_delay"


def test_an_example_shows_how_something_is_done_and_a_test_does_not(memory):
    def symbol(name, ref):
        memory.note(name, "Serve two ovens with one door.", kind="symbol", title=name, ref=ref, role="module")

    symbol("tests.ovens", "tests/ovens.py:1")
    symbol("examples.ovens", "examples/ovens.py:1")
    symbol("src.ovens", "src/ovens.py:1")
    found = memory.ask("how do I serve two ovens with one door")
    assert found.index("examples.ovens") < found.index("tests.ovens")
    assert memory.ask("where does it serve two ovens with one door")[0] == "src.ovens"
    assert memory.ask("is it covered that two ovens have one door?")[0] == "tests.ovens"


@pytest.fixture
def oven(memory):
    def commit(name, title, text="Bakers know."):
        memory.note(name, text, kind="commit", title=title, ref=name[0] * 40)

    def symbol(name, text, title, role="function", ref="oven.rs:1"):
        memory.note(name, text, kind="symbol", title=title, ref=ref, role=role)

    symbol("lock", "fn lock()\nOne baker at a time holds this mutex.", "tools.mutex", ref="tools.rs:1")
    symbol("door", "fn open()\nOpen the door.", "oven.open")
    symbol("class", "class Oven\nHeats and cools with steam: heat_slowly, cool, open.", "oven.Oven", "class")
    symbol("heat", "def heat_slowly(self)\nHeat with steam.", "oven.Oven.heat_slowly", "method")
    commit("1steam", "Make steam in the oven")
    commit("2back", 'Revert "Make steam in the oven"')
    commit("3tests", "Add tests for the timer of the oven")
    commit("4timer", "Add a timer to the oven")
    commit("5wood", "Add wood to the oven of the bakery")
    commit("6gas", "Heat the oven of the bakery with gas rather than wood")
    return memory


def test_a_loanword_is_searched_as_the_word_that_it_transcribes(oven):
    found = oven.retriever.search("뮤텍스를 잡는 함수는 어디에 있나요?", project="p").hits[0]
    assert found.id == "lock" and found.why["words"] > 0


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Why was steam in the oven undone?", "2back"),
        ("When did someone add the timer for tests of the oven?", "4timer"),
        ("When did the bakery stop using wood in the oven?", "6gas"),
        ("What heats slowly and cools in the oven?", "heat"),
        ("Which class heats and cools with steam and opens?", "class"),
    ],
)
def test_the_smallest_answer_that_does_what_is_asked_comes_first(oven, question, first):
    assert oven.ask(question)[0] == first


def test_a_symbol_is_spelt_out_only_as_a_word_of_the_question(memory):
    names = {"-0": "tests.cases.-0", "bake": "oven.bake", "x_1": "oven.x_1"}
    for name, title in names.items():
        memory.put(
            Item(f"s{name}", "symbol", title, f"value {name}", 1_750_000_000_000_000, f"a.py:{len(name)}", project="p"),
            links=[Link(f"s{name}", f"about:symbol:{title}", name)],
        )
    memory.note("v1", "- Bake rye with steam.", kind="document", title="Version 1.51.0", ref="CHANGELOG.md:2")

    def first(question):
        hit = memory.retriever.search(question, project="p").hits[0]
        return hit.id, hit.probability > 0.9

    assert first("What arrived in v1.51-0.0?") == ("v1", False)
    assert first("Where is x_1 defined?") == ("sx_1", True)
    assert first("Where is yx_1 or x_12 defined?") != ("sx_1", True)


def test_a_latin_name_is_found_before_a_korean_particle(memory):
    memory.note("yeast", "fn yeast()\nGrow.", kind="symbol", title="dough.yeast", ref="dough.rs:3", role="function")
    memory.note("salt", "fn salt()\nSeason.", kind="symbol", title="dough.salt", ref="dough.rs:9", role="function")
    assert memory.ask("yeast를 다루는 함수는 어디에 있나요?")[0] == "yeast"
    assert content_words("yeast에서는 salt만")[:2] == ["yeast", "salt"]


@pytest.mark.parametrize("form", asking._FORMS, ids=lambda form: next(iter(form.examples.values())))
def test_each_pattern_recognises_its_example(form: asking._Form) -> None:
    for pattern, example in form.examples.items():
        assert re.search(pattern, example, re.IGNORECASE), pattern


@pytest.mark.parametrize("example", [example for form in asking._FORMS for example in form.examples.values()])
def test_each_example_asks_for_the_kinds_of_the_first_form_that_recognises_it(example: str) -> None:
    first = next(form for form in asking._FORMS if any(re.search(each, example, re.I) for each in form.examples))
    assert asked_kinds(example) == first.kinds
