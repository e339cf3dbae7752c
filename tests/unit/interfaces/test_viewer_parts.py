"""The viewer's parts that need no browser: both languages, and briefs of events."""

from __future__ import annotations

import ast
import asyncio
import re
import string
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from nicegui.element import Element

from graphmem.browse.named_queries import list_named_queries
from graphmem.interfaces import languages
from graphmem.interfaces.http.brief import payload_line
from graphmem.interfaces.web import commands, events
from graphmem.interfaces.web.commands import name_pages, pages_named
from graphmem.interfaces.web.events import FAMILIES
from graphmem.interfaces.web.pages.search import level_hits
from graphmem.interfaces.web.pairs import differing_words
from graphmem.interfaces.web.parts import attributes, busy, button, is_busy, press
from graphmem.interfaces.web.steps import replaced_lines
from graphmem.interfaces.web.view import View
from graphmem.interfaces.web.viewer import PAGES
from graphmem.model.events import EVENT_TYPES
from graphmem.model.results import Hit
from graphmem.owntypes import LABELS, RELATIONS
from graphmem.settings import Settings, list_entries

TRANSLATED = {"t": 0, "count_tile": 1}  # functions that translate one of their arguments
WEB = Path(events.__file__).parent


def said() -> set[str]:
    """Every text that a page asks to be translated, as far as it stands in the source."""
    found = set()
    for path in WEB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            place = (
                TRANSLATED.get(getattr(node.func, "attr", getattr(node.func, "id", "")), -1)
                if isinstance(node, ast.Call)
                else -1
            )
            if isinstance(node, ast.Call) and place >= 0:
                found |= {
                    n.value
                    for n in ast.walk(node.args[place])
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                }
    return {text for text in found if text not in ("_", " ", "confidence ")}


def test_every_text_has_its_korean() -> None:
    missing = sorted(text for text in said() if text not in languages._korean())
    assert not missing


def test_names_that_users_meet_have_their_korean() -> None:
    entries = list_entries(Settings())
    names = {*LABELS, *RELATIONS, *(query.purpose for query in list_named_queries())}
    names |= {entry.help for entry in entries} | {entry.key.partition(".")[0] for entry in entries}
    assert not names - {"Memory", "Cursor"} - languages._korean().keys()


def test_every_type_of_event_has_its_korean() -> None:
    assert not {type.replace("_", " ") for type in EVENT_TYPES} - languages._korean().keys()


def test_both_languages_have_the_same_values() -> None:
    def fields(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)

    assert not [text for text, korean in languages._korean().items() if fields(text) != fields(korean)]
    messages = languages._tables()["messages"].items()
    assert not [english for english, korean in messages if not set(fields(korean)) <= set(fields(english))]
    known = {*said(), *languages._korean()}
    assert not [text for text, one in languages._SINGULAR.items() if fields(text) != fields(one) or text not in known]


def test_one_is_no_plural_and_errors_are_in_one_language() -> None:
    assert languages.translate_text("en", "{n} memories given to the agent", n=1) == "1 memory given to the agent"
    assert languages.translate_text("en", "{n} memories given to the agent", n=2) == "2 memories given to the agent"
    assert languages.translate_text("en", "{n} nodes, {m} relations", n=2, m=1) == "2 nodes, 1 relation"
    assert [languages.translate_text("en", "{n} events", n=n) for n in (1, 2)] == ["1 event", "2 events"]
    assert [languages.translate_text("en", "sessions", n=n) for n in (1, 2)] == ["session", "sessions"]
    view = View.__new__(View)
    view.language = "ko"
    assert view.plain("there is no session `x`: `graphmem sessions` lists them") == (
        "세션 `x`이(가) 없습니다. “세션”에서 목록을 볼 수 있습니다."
    )
    assert view.plain("the moon is full: see `graphmem sessions`") == "the moon is full: see “Sessions”"


def test_attributes_take_any_text() -> None:
    odd = """two\nlines, "quotes", a \\ and it's"""
    assert attributes(Element("div"), data_item=odd).props["data-item"] == odd


def test_the_words_of_hits_never_rise() -> None:
    hit = Hit("a", None, "fact", 1.0, "", "", "", datetime.now(UTC), None, "[mem:aaaaaa]", {})
    hits = [replace(hit, probability=share) for share in (0.5, 0.1, 0.3, 0.05)]
    assert [round(one.probability, 2) for one in level_hits(hits)] == [0.5, 0.2, 0.2, 0.05]


def test_a_language_is_chosen_before_it_is_guessed() -> None:
    assert languages.preferred_language("ko", "en-US") == "ko"
    assert languages.preferred_language(None, "fr;q=0.9, ko-KR;q=0.8") == "ko"
    assert languages.preferred_language("xx", "") == "en"


def test_the_pictures_of_readme_are_there_and_small() -> None:
    root = Path(__file__).parents[3]
    shown = {root / name for name in re.findall(r"\(([\w/]+\.png)\)", (root / "README.md").read_text("utf-8"))}
    taken = set((root / "fixtures" / "pictures").glob("*.png"))
    assert len(shown) >= 3 and shown <= taken
    for picture in taken:
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size < 200_000, picture


def test_an_event_without_words_says_what_it_lists() -> None:
    assert payload_line({"notes": [{"id": "a"}, {"id": "b"}], "empty": []}) == "2 notes"


def test_every_type_of_event_has_a_family_and_a_line() -> None:
    assert sorted(type for types in FAMILIES.values() for type in types) == sorted(EVENT_TYPES) and all(
        FAMILIES.values()
    )
    assert payload_line({"task": "task:p:write-it", "to": "done"}) == "write it → done"
    assert payload_line({"content": " two\n lines "}) == "two lines" and payload_line({}) == ""
    assert len(payload_line({"content": "x" * 10_000_000})) <= 240


def test_messages_name_pages_in_place_of_commands() -> None:
    said = "no item `x`: search for it with `graphmem search --kind fact`, or see `graphmem tasks match`; then `graphmem move`"
    assert (
        name_pages(said, str.upper) == "no item `x`: search for it with “SEARCH”, or see “TASKS”; then `graphmem move`"
    )
    assert pages_named(said) == [("/search", "Search"), ("/tasks", "Tasks")]
    paths = {entry.path: entry.title for entry in PAGES}
    assert all(paths[path] == title for path, title in commands._PAGES.values())


def test_a_button_shows_that_its_action_runs_and_is_not_pressed_twice() -> None:
    pressed: list[int] = []
    place = Element("div")

    async def main() -> None:
        done = asyncio.Event()

        async def act() -> None:
            pressed.append(1)
            await done.wait()

        with place:
            made = button("Save", act)
        running = press(made, act)
        assert running is not None and "loading" in made.props and made.props["aria-busy"] == "true"
        assert press(made, act) is None
        done.set()
        await running
        assert "loading" not in made.props and "aria-busy" not in made.props
        assert press(made, lambda: pressed.append(2)) is None and "loading" not in made.props  # a quick one

    asyncio.run(main())
    assert pressed == [1, 2]


def test_a_place_is_busy_while_something_runs_and_free_after_an_error() -> None:
    place = Element("div")
    try:
        with busy(place):
            assert is_busy(place)
            raise ValueError
    except ValueError:
        assert not is_busy(place) and "aria-busy" not in place.props


def test_a_contradiction_is_named_by_the_words_that_differ() -> None:
    assert differing_words("The default TTL is 3600 seconds.", "The default TTL is 600 seconds") == ("3600", "600")
    assert differing_words("The release branch is main.", "The release branch is main now.") == ("", "now")
    assert differing_words("릴리스 브랜치는 main 입니다", "릴리스 브랜치는 master 입니다") == ("main", "master")
    assert differing_words("", "") == ("", "")
    assert differing_words("Never push on Fridays.", "The dock opens at six.") == ("", "")


def test_the_diff_of_a_snippet_names_no_lines_of_the_file() -> None:
    old = "\n".join(f"line {number}" for number in range(30))
    lines = replaced_lines(old, old.replace("line 3\n", "line three\n").replace("line 25", "line 25b"))
    assert not [line for line in lines if line.startswith("@@")]
    assert lines.count("…") == 1 and "+line three" in lines and "-line 25" in lines


def test_an_event_of_a_condition_names_it_in_words() -> None:
    assert (
        payload_line({"condition": "cond:huey:the-vendor-confirms-it", "type": "confirmed"}) == "the vendor confirms it"
    )


def test_counts_and_moments_of_events_are_in_the_language() -> None:
    view = View.__new__(View)
    view.language = "ko"
    row = {"type": "memory_forgotten", "text": "1 events, 2 items"}
    assert events._line(view, row) == "이벤트 1개, 항목 2개"
    assert events._line(view, {"type": "memory_shown", "text": "PreToolUse"}) == "도구를 부르기 전"
    assert events._line(view, {"type": "supersession_decided", "text": ""}) == "두 사실 가운데 맞는 것을 정함"
