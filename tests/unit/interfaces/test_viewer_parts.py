"""The viewer's parts that need no browser: both languages, places of nodes, what a picture hides, and briefs of events."""

from __future__ import annotations

import ast
import re
import string
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.interfaces import languages
from graphmem.interfaces.http.brief import payload_line
from graphmem.interfaces.web import layout
from graphmem.interfaces.web.events import FAMILIES
from graphmem.interfaces.web.picture import MOST, Picture
from graphmem.model.events import EVENT_TYPES

WEB = Path(layout.__file__).parent


def said() -> set[str]:
    """Every text that a page asks to be translated, as far as it stands in the source."""
    found = set()
    for path in WEB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "t":
                found |= {
                    n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant) and isinstance(n.value, str)
                }
    return {text for text in found if text not in ("_", " ", "confidence ")}


def test_every_text_has_its_korean() -> None:
    missing = sorted(text for text in said() if text not in languages._korean())
    assert not missing


def test_every_type_of_event_has_its_korean() -> None:
    assert not {type.replace("_", " ") for type in EVENT_TYPES} - languages._korean().keys()


def test_both_languages_have_the_same_values() -> None:
    def fields(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)

    assert not [text for text, korean in languages._korean().items() if fields(text) != fields(korean)]


def test_a_language_is_chosen_before_it_is_guessed() -> None:
    assert languages.preferred_language("ko", "en-US") == "ko"
    assert languages.preferred_language(None, "fr;q=0.9, ko-KR;q=0.8") == "ko"
    assert languages.preferred_language("xx", "") == "en"


GRAPHS = st.integers(1, 60).flatmap(
    lambda count: st.tuples(
        st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=120)
    )
)


@settings(deadline=None, max_examples=40)
@given(GRAPHS)
def test_nodes_have_places_of_their_own(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = graph
    found = layout.place(count, links)
    assert found.shape == (count, 2) and np.isfinite(found).all()
    assert (found == layout.place(count, links)).all()
    apart = np.linalg.norm(found[:, None] - found[None, :], axis=2) + np.eye(count) * 99
    assert apart.min() > 1.0


@settings(deadline=None, max_examples=40)
@given(GRAPHS)
def test_what_has_a_place_stays_there(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = graph
    known = {node: (100.0 * node, 50.0) for node in range(0, count, 2)}
    found = layout.place(count, links, known)
    assert all(tuple(found[node]) == spot for node, spot in known.items())


def test_two_thousand_nodes_are_placed_in_one_go() -> None:
    links = [(node, node // 3) for node in range(1, 2_000)] + [(node, (node * 7) % 2_000) for node in range(2_000)]
    assert np.isfinite(layout.place(2_000, links)).all()


def node(id: str, label: str = "Fact", at: int | None = None, until: int | None = None) -> dict[str, object]:
    times = [None if day is None else datetime(2026, 1, day, tzinfo=UTC) for day in (at, until)]
    return {"id": id, "label": label, "title": id, "at": times[0], "until": times[1]}


def test_a_picture_hides_kinds_and_what_was_not_true_then() -> None:
    picture = Picture()
    nodes = [node("a", at=1), node("b", at=5), node("c", at=2, until=4), node("f", "File")]
    edges = [
        {"source": "a", "relation": "ABOUT", "target": "f"},
        {"source": "b", "relation": "SUPERSEDES", "target": "c"},
    ]
    assert picture.add({"nodes": nodes, "edges": edges}) == 4
    picture.arrange()
    assert len(picture.options()["series"][0]["links"]) == 2
    picture.at = datetime(2026, 1, 3, tzinfo=UTC)
    assert picture.visible() == ["a", "c", "f"]
    picture.at = datetime(2026, 1, 6, tzinfo=UTC)
    assert picture.visible() == ["a", "b", "f"]
    picture.hidden = {"File"}
    assert picture.visible() == ["a", "b"] and picture.options()["series"][0]["links"] == []
    picture.remove(["a"])
    assert "a" not in picture.nodes and len(picture.edges) == 1


def test_a_picture_does_not_grow_for_ever() -> None:
    picture = Picture()
    picture.add(
        {
            "nodes": [node(str(n)) for n in range(MOST + 50)],
            "edges": [{"source": "0", "relation": "R", "target": str(MOST + 9)}],
        }
    )
    assert len(picture.nodes) == MOST and not picture.edges


def test_the_pictures_of_readme_are_there_and_small() -> None:
    root = Path(__file__).parents[3]
    shown = {root / name for name in re.findall(r"\(([\w/]+\.png)\)", (root / "README.md").read_text("utf-8"))}
    assert len(shown) >= 3 and shown == set((root / "fixtures" / "pictures").glob("*.png"))
    for picture in shown:
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
