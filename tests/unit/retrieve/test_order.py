"""The order of what is found: one probability for all kinds, quotations first, parts before containers, the question's language,
what somebody said about themselves, what settles a matter; and what is left out before the best are taken."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from graphmem.memory import Memory
from graphmem.model.results import SearchResult
from graphmem.retrieve.calibrate import HIGH, nonincreasing_fit
from graphmem.retrieve.present import to_datetime
from graphmem.retrieve.scripts import detect_script

HOUR = 3_600_000_000
START = 1_750_000_000_000_000


def test_probabilities_never_rise_and_keep_their_mean():
    assert nonincreasing_fit([0.9, 0.2, 0.4, 0.3, 0.5]) == pytest.approx([0.9, 0.35, 0.35, 0.35, 0.35])
    assert nonincreasing_fit([]) == []


def test_hits_of_all_kinds_are_ordered_by_the_number_that_is_shown(memory):
    for number in range(6):
        memory.note(f"c{number}", f"crane: raise limit number {number}", kind="commit")
        memory.note(f"d{number}", f"How to raise the limit of crane {number}, step by step.", kind="document")
    memory.note("s", "def raise_limit(crane)", kind="symbol", title="harbour.raise_limit", ref="harbour.py:3")
    memory.turns("We raise the limit of crane 4 on Friday.", "Good.")
    for query in ("how do I raise the limit", "when was the limit raised", "where is raise_limit", "crane 4"):
        hits = memory.retriever.search(query, project="p").hits
        shown = [hit.probability for hit in hits]
        assert shown == sorted(shown, reverse=True) and len(hits) == 10
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_sentence_typed_word_for_word_is_the_first_hit_and_sure(memory):
    sentence = "Dropped support for reading proxies from the environment of the parent process"
    memory.note("change", f"## 2.0\n\n* Fixed typos.\n* {sentence}.\n* Faster start.", kind="document", title="Changes")
    for number in range(8):
        words = "proxies environment support process reading parent"
        memory.note(
            f"n{number}", f"{words} dropped {number} {words}", kind="document", title="Proxies of the environment"
        )
    result = memory.retriever.search(sentence, project="p")
    assert result.hits[0].id == "change"
    assert result.hits[0].probability >= HIGH


def test_high_can_be_reached(memory):
    memory.turns("Bananas are yellow.", "Tides follow the moon.", "The harbour master is Ada Lindqvist from Lund.")
    result = memory.retriever.search("The harbour master is Ada Lindqvist from Lund", project="p")
    assert result.confidence == "high" and result.hits[0].probability >= HIGH


def test_the_method_stands_before_its_class_and_sources_before_tests_and_examples(memory):
    about = "lifts a load with the crane"
    memory.note("class", f"class Crane\nThe crane {about}.", kind="symbol", title="harbour.Crane", ref="harbour.py:1")
    memory.note("method", f"def lift(self, load)\nThe crane {about} now.", kind="symbol", title="harbour.Crane.lift",
                ref="harbour.py:9")  # fmt: skip
    memory.note(
        "test", f"def test_lift()\n{about}", kind="symbol", title="tests.test_lift", ref="tests/test_crane.py:2"
    )
    memory.note("show", f"def lift_show()\n{about}", kind="symbol", title="show.lift", ref="examples/show.py:2")
    found = memory.ask("what lifts a load with the crane", kinds=["symbol"])
    assert found.index("method") < found.index("class") < min(found.index("test"), found.index("show"))
    assert memory.ask("harbour.Crane", kinds=["symbol"])[0] == "class"
    examples = memory.ask("example that lifts a load", kinds=["symbol"])
    assert examples.index("show") <= 2


def test_a_page_comes_in_the_language_of_the_question_and_once(memory):
    pages = {
        "en/guide.md": "Install the store plugin with npm and register it once.",
        "zh/guide.md": "使用 npm 安装 store plugin 并注册一次。安装 store plugin 之后即可使用。",
        "fr/guide.md": "Installez le store plugin avec npm.",
        "ko/guide.md": "npm으로 store plugin을 설치하고 한 번 등록합니다. 설치 방법입니다.",
    }
    for path, text in pages.items():
        memory.note(path, text, kind="document", title="store plugin", ref=f"docs/{path}:1")
    memory.note("other", "Something about the plugin of the bakery.", kind="document", ref="docs/bakery.md:1")
    english = memory.ask("install the store plugin with npm", kinds=["document"])
    assert english[:2] == ["en/guide.md", "other"], "translations follow behind all else"
    assert memory.ask("store plugin 설치 방법", kinds=["document"])[0] == "ko/guide.md"


def test_a_manual_comes_in_its_newest_version_or_in_the_one_asked_for(memory):
    for version in ("v1.4", "dev", "v1.10"):
        text = "The crane lifts a load of two tons." + " It lifts the load of two tons." * (version == "v1.4")
        memory.note(version, text, kind="document", title="Loads", ref=f"docs/{version}/manual.md:1")
    memory.note(
        "other", "Something about the load of a bakery.", kind="document", title="Bakery", ref="docs/bread.md:1"
    )
    assert memory.ask("how many tons of load can the crane lift?", kinds=["document"])[:2] == ["dev", "other"]
    assert memory.ask("how many tons of load can the crane of 1.4 lift?", kinds=["document"])[0] == "v1.4"


def test_only_history_and_changelogs_say_which_release_it_was(memory):
    memory.note("page", "The crane can lift containers of two tons. Lift containers with the crane.", kind="document",
                title="Crane › Lift containers", ref="docs/crane.md:1")  # fmt: skip
    memory.note("news", "- The crane lifts containers.", kind="document", title="1.2", ref="CHANGELOG.md:4")
    memory.note("code", "def lift(container)", kind="symbol", title="crane.lift", ref="crane.py:1")
    assert memory.ask("how does the crane lift containers?", kinds=["document"])[0] == "page"
    assert memory.ask("in which release did the crane lift containers?", kinds=["document"])[0] == "news"


def test_a_page_in_another_script_than_the_question_is_unlikely_to_answer(memory):
    memory.note("code", "def lift(container)", kind="symbol", title="crane.lift", ref="crane.py:1")
    memory.note(
        "other",
        "起重机 lift container with the crane 起重机可以吊起集装箱",
        kind="document",
        title="起重机",
        ref="docs/zh.md:1",
    )
    hit = memory.retriever.search("how does the crane lift a container?", kinds=["document"]).hits[0]
    own = memory.retriever.search("起重机 lift container 集装箱?", kinds=["document"]).hits[0]
    assert hit.probability < own.probability / 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", ""),
        ("설치 방법을 설명합니다", "hangul"),
        ("安装之后即可使用", "han"),
        ("これは漢字です", "kana"),
        ("naïve café", ""),
    ],
)
def test_scripts(text, expected):
    assert detect_script(text) == expected


def test_what_somebody_asks_about_themselves_is_found_where_they_said_it(memory):
    memory.put(*(item(number, role, text) for number, (role, text) in enumerate([
        ("user", "My budget for the garden shed is 900 euros. Can you suggest a plan?"),
        ("assistant", "With a budget for the garden shed you could plan the floor, the walls and the roof of the shed."),
        ("user", "Thanks!"),
    ])))  # fmt: skip
    assert memory.ask("What is my budget for the garden shed?")[0] == "t0"


def item(number, role, text):
    from graphmem.model.changes import Item

    return Item(
        f"t{number}", "turn", "", text, START + number * HOUR, f"r{number}", "s", "p", role, f"t{number}", number
    )


def test_what_is_left_out_is_neither_counted_nor_packed(memory):
    memory.turns(*(f"The crane was painted green, coat {number}." for number in range(6)))
    everything = memory.retriever.search("green crane", project="p", k=3)
    late = memory.retriever.search("green crane", project="p", k=3, since=to_datetime(START + 4 * HOUR), budget=2_000)
    assert len(everything.hits) == 3
    assert {hit.id for hit in late.hits} == {"s4", "s5"}
    assert "coat 4" in late.context and "coat 1" not in late.context
    until = memory.retriever.search("green crane", project="p", until=to_datetime(START + 2 * HOUR))
    assert {hit.id for hit in until.hits} == {"s0", "s1"}
    best = memory.retriever.search("green crane coat 2", project="p", min_score=0.99, budget=2_000)
    assert [hit.id for hit in best.hits] == ["s2"] and "coat 3" not in best.context


def test_an_unknown_project_says_so(memory):
    memory.turns("The crane is green.")
    result = memory.retriever.search("green crane", project=".")
    assert not result.hits and "`p`" in result.degraded["project"]
    assert "project" not in memory.retriever.search("green crane", project="p").degraded


def test_nothing_says_what_was_searched(memory):
    memory.turns("The crane is green.", "It is parked.")
    result = memory.retriever.search("zymurgy quokka", project="p")
    assert result.shown == () and result.searched == {"turn": 2}
    assert "2 turns" in result.nothing and "Try" in result.nothing
    assert "6 summaries" in SearchResult(searched={"summary": 6}).nothing


def test_times_without_a_zone_are_utc(memory):
    memory.turns("The crane is green.")
    naive = (datetime.fromtimestamp(START / 1e6, UTC) + timedelta(hours=1)).replace(tzinfo=None)
    assert memory.retriever.search("green crane", project="p", since=naive).hits == ()


def test_the_change_of_another_version_is_no_likely_answer(memory):
    for version in ("2.7", "3.5", "3.6", "3.8"):
        memory.note(f"c{version}", f"Drop support for Tide {version}", kind="commit")
    memory.note(
        "d", "Notes › 2.0 › Removed\n\n* Tide 3.7 is no longer supported.", kind="document", title="Notes › 2.0"
    )
    for version, right in (("3.7", "d"), ("3.5", "c3.5")):
        hits = memory.retriever.search(f"why was Tide {version} support dropped?", project="p").hits
        assert hits[0].id == right, version
    other = memory.retriever.search("why was Tide 3.9 support dropped?", project="p").hits[0]
    assert other.probability < 0.5 * hits[0].probability


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How do we detect malware in files customers send?", "Uploads are scanned for viruses by ClamAV."),
        ("In which release does the night theme arrive?", "Dark mode ships in version five."),
        (
            "When does our agreement with the server provider expire?",
            "The contract with the hosting company ends in June.",
        ),
    ],
)
def test_a_note_that_means_the_same_stands_before_one_that_shares_a_word(
    notes: Memory, question: str, answer: str
) -> None:
    assert notes.search(question, k=3, kinds=["document"]).hits[0].content == answer


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Yield a memory with notes that have hardly a word in common with the questions about them."""
    with Memory.open(tmp_path_factory.mktemp("notes") / "store", project="p") as memory:
        for text in (
            "Uploads are scanned for viruses by ClamAV.", "The legacy importer cannot read UTF-16 files.",
            "Dark mode ships in version five.", "Push notifications are silent at night.",
            "The contract with the hosting company ends in June.", "Tokens expire after fifteen minutes.",
            "We picked PostgreSQL for the orders service.", "The nightly backup runs at 02:30.",
            "Standup moved to half past nine.", "The firewall blocks outbound SMTP.",
        ):  # fmt: skip
            memory.remember(text, kind="document")
        memory.process()
        yield memory
