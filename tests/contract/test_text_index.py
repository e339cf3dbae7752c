"""What every text index must do. New backends are added to the fixture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.backends.text.fts5 import Fts5Index
from graphmem.errors import StoreError
from graphmem.model.changes import Item, Link
from graphmem.ports.text import ItemFilter

pytestmark = pytest.mark.core
EVERY = ItemFilter()


@pytest.fixture(params=["fts5"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fts5Index]:
    made = Fts5Index(tmp_path / "index.db")
    yield made
    made.close()


def turn(number: int, text: str) -> Item:
    return Item(f"t{number}", "turn", "", text, number, f"ref{number}", "s", "p", "user", f"e{number}", number)


def names(index: Fts5Index, query: str, where: ItemFilter = EVERY) -> list[str]:
    matches = index.search(dict.fromkeys(index.terms(query), 1.0), where, 50)
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)
    assert all(0 <= match.coverage <= 1 for match in matches)
    return [stored.item.id for stored in index.items([match.row for match in matches])]


def test_items_come_back_as_they_went_in(index: Fts5Index) -> None:
    item = Item("a", "fact", "Title", "Text\nof two lines", 5, "r", "", "p", "", "e", 3, ("x", "y"), False)
    index.apply([], [item], [], {})
    (stored,) = index.find(["a"])
    assert stored.item == item
    assert index.items([stored.row, 10_000]) == [stored]


def test_cursors_are_kept_with_the_batch_or_not_at_all(index: Fts5Index) -> None:
    index.apply([], [turn(0, "one")], [], {"events": 4})
    with pytest.raises((StoreError, TypeError, AttributeError)):
        index.apply([], [turn(1, "two"), turn(2, None)], [], {"events": 9})  # type: ignore[arg-type]
    assert index.cursors() == {"events": 4}
    assert index.find(["t1"]) == []
    index.apply([], [turn(1, "two")], [], {"events": 5, "derivations": 1})
    assert index.cursors() == {"events": 5, "derivations": 1}


def test_removal_and_return(index: Fts5Index) -> None:
    index.apply([], [turn(0, "needle"), turn(1, "hay")], [], {})
    index.apply(["t0", "never"], [], [], {})
    assert names(index, "needle") == []
    index.apply([], [turn(0, "needle")], [], {})
    assert names(index, "needle")[0] == "t0"


def test_one_batch_may_remove_and_add_the_same_item(index: Fts5Index) -> None:
    index.apply([], [turn(0, "before")], [], {})
    index.apply(["t0"], [turn(0, "after"), turn(0, "last")], [], {})
    assert names(index, "before after") == []
    assert names(index, "last") == ["t0"]


def test_links_follow_their_item(index: Fts5Index) -> None:
    index.apply([], [turn(0, "x")], [Link("t0", "e", "Name"), Link("none", "e", "Name")], {})
    assert [mention.items for mention in index.mentions.named(["name"])] == [1]
    assert index.mentions.mentioning(["e"], EVERY, 5) == [("e", index.find(["t0"])[0].row)]
    index.apply(["t0"], [], [], {})
    assert index.mentions.named(["name"]) == []


def test_sessions(index: Fts5Index) -> None:
    index.apply([], [turn(i, f"word{i}") for i in range(5)], [], {})
    rows = [index.find([f"t{i}"])[0].row for i in range(5)]
    assert index.neighbours([rows[0], rows[2]], 1) == [[0, rows[0], rows[1]], rows[1:4]]
    assert [stored.row for stored in index.around(rows[1], 1)] == rows[:3]


def test_traits(index: Fts5Index) -> None:
    index.apply(
        [],
        [turn(0, "Ann: where is it?"), turn(1, "Bob: there since Tuesday"), Item("f", "fact", "", "plain", 9)],
        [],
        {},
    )
    rows = [index.find([name])[0].row for name in ("t0", "t1", "f")]
    traits = index.traits(rows, ["bob"])
    assert traits.turn.tolist() == [True, True, False]
    assert traits.asks.tolist() == [True, False, False]
    assert traits.answers.tolist() == [False, True, False]
    assert traits.dated.tolist() == [False, True, False]
    assert traits.named.tolist() == [False, True, False]
    assert traits.at.tolist() == [0, 1, 9]


def test_related_terms_score_but_do_not_cover(index: Fts5Index) -> None:
    index.apply([], [Item("a", "fact", "", "film", 0), Item("b", "fact", "", "other", 0)], [], {})
    (match,) = index.search({"movie": 1.0}, EVERY, 5, {"film": 0.3})
    assert match.coverage == 0 and match.score > 0
