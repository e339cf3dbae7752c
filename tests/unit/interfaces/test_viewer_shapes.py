"""What the viewer computes before it draws: layers of dependencies, the treemap, facets, exports, and the place of an error."""

from __future__ import annotations

import csv
import io
import json
import random
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pyarrow.parquet
import pytest

from graphmem.interfaces.table_formats import write_table
from graphmem.interfaces.web.facets import Faceted, count_facet, keep_chosen
from graphmem.interfaces.web.layers import HEIGHT, WIDTH, arrange
from graphmem.interfaces.web.pages.console import link_of, place_of_error
from graphmem.interfaces.web.treemap import FileWeight, nest
from graphmem.model.results import Hit
from graphmem.model.table import Table

NOW = datetime.now(UTC)


def work(count: int) -> dict[str, list[str]]:
    """Tasks, each of which waits for up to two earlier ones."""
    chance = random.Random(count)
    return {f"t{at}": [f"t{chance.randrange(at)}" for _ in range(chance.randrange(3)) if at] for at in range(count)}


@pytest.mark.parametrize("count", [1, 30, 300])
def test_boxes_do_not_overlap_and_arrows_pass_between_them(count: int) -> None:
    before = work(count)
    drawn = arrange(list(before), before)
    assert set(drawn.boxes) == set(before)
    by_column: dict[float, list[float]] = {}
    for x, y in drawn.boxes.values():
        assert 0 <= x <= drawn.width - WIDTH and -0.01 <= y <= drawn.height - HEIGHT + 0.01
        by_column.setdefault(x, []).append(y)
    for column in by_column.values():
        assert all(abs(one - other) >= HEIGHT for one, other in combinations(column, 2))
    for arrow in drawn.arrows:
        assert drawn.boxes[arrow.source][0] < drawn.boxes[arrow.target][0]
        for x, y in arrow.points[1:-1]:  # where it passes a layer, there is no box
            assert not any(top < y < top + HEIGHT for top in by_column.get(x, ()))


def test_a_cycle_is_cut_and_drawn() -> None:
    drawn = arrange(["a", "b", "c"], {"a": ["c"], "b": ["a"], "c": ["b"]})
    assert len(drawn.boxes) == 3 and len(drawn.arrows) == 2


def test_a_treemap_has_folders_with_the_lines_of_their_files() -> None:
    weights = [FileWeight("src/a.py", 100, 9, 0), FileWeight("src/b.py", 10, 0, 2), FileWeight("README.md", 5, 0, 0)]
    folder, readme = nest(weights, "churn")
    assert [(one["path"], one["value"]) for one in folder["children"]] == [("src/a.py", 100), ("src/b.py", 10)]
    assert readme["path"] == "README.md" and folder["children"][0]["itemStyle"] != readme["itemStyle"]


def faceted(kind: str, days: int, *files: str) -> Faceted:
    return Faceted(Hit("i", None, kind, 1.0, "", "", "", NOW - timedelta(days=days), "s", "", {}), files)


def test_facets_count_what_the_other_choices_leave() -> None:
    found = [faceted("fact", 0, "a.py"), faceted("fact", 3, "b.py"), faceted("commit", 40, "a.py")]
    assert count_facet(found, "kind") == [("fact", 2), ("commit", 1)]
    assert count_facet(found, "age") == [("day", 1), ("week", 1), ("year", 1)]
    assert count_facet(keep_chosen(found, {"kind": "fact", "file": "a.py"}, "kind"), "kind") == [
        ("fact", 1),
        ("commit", 1),
    ]
    assert len(keep_chosen(found, {"age": "week"})) == 2  # a week includes the day


def test_a_table_is_exported_and_runs_nothing() -> None:
    node = {"_label": "Task", "id": "t", "title": "Oil"}
    table = Table(["n", "title", "count"], [[node, "=HYPERLINK(1)", 3], [None, "plain", None]])
    rows = list(csv.reader(io.StringIO(write_table(table, "csv").decode())))
    assert rows[1][1:] == ["'=HYPERLINK(1)", "3"] and json.loads(rows[1][0])["id"] == "t"
    assert json.loads(write_table(table, "json"))[0]["n"]["title"] == "Oil"
    read = pyarrow.parquet.read_table(io.BytesIO(write_table(table, "parquet")))
    assert read["count"].to_pylist() == [3, None] and json.loads(read["n"].to_pylist()[0])["id"] == "t"


@pytest.mark.parametrize(
    ("query", "said", "place"),
    [
        ("MATCH (n RETURN n", "Cypher: syntax error at `n RETURN` (line 1, column 9)", (1, 9)),
        ("MATCH (n)\nWHERE n.foo = 1\nRETURN n", "Cypher: `n` has no property `foo`: see `graphmem schema`", (2, 9)),
        ("RETURN 1", "the query took too long", None),
    ],
)
def test_an_error_is_placed(query: str, said: str, place: tuple[int, int] | None) -> None:
    assert place_of_error(query, said) == place


def test_cells_lead_to_what_they_name() -> None:
    assert link_of("n", {"_label": "Task", "id": "task:a"}) == "/item?id=task%3Aa"
    assert link_of("c.hash", "a" * 40) == f"/item?id=commit%3A{'a' * 40}"
    assert link_of("f.path", "src/a.py") == "/code?file=src%2Fa.py"
    assert link_of("count", 3) == link_of("title", "x") == link_of("id", "") == ""
