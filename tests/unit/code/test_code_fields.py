"""Who reads a field, who gives it a value, and what may read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.codegraph.build import build
from graphmem.codegraph.fields import unresolved_accesses
from graphmem.codegraph.impact import find_impact
from graphmem.codegraph.view import View
from graphmem.interfaces.text.code import calls_text, impact_text

FILES = {
    "model.py": "from dataclasses import dataclass, replace\nfrom typing import NamedTuple\n\n\n@dataclass\nclass Result:\n    hits: list\n"
    "    lacking: str = ''\n\n\n@dataclass\nclass Page:\n    lacking: str\n\n\nclass Row(NamedTuple):\n    at: int\n\n\n"
    "class Own:\n    lacking: str = ''\n\n    def __init__(self):\n        pass\n\n\n"
    "def first():\n    return Result([], 'x')\n\n\ndef second():\n    return Result(hits=[], lacking='x')\n\n\n"
    "def third(result: Result):\n    return replace(result, lacking='y')\n\n\ndef moved(row: Row):\n    return row._replace(at=Row(1).at)\n\n\n"
    "def own():\n    return Own()\n",
    "show.py": "import os\nfrom typing import Any\n\nfrom model import Page, Result, first\n\n\ndef show_result(result: Result):\n"
    "    return result.lacking\n\n\ndef show_page(page: Page):\n    return page.lacking\n\n\nTABLE = {Result: show_result, Page: show_page}\n\n\n"
    "def show(value: Any):\n    return TABLE[type(value)](value)\n\n\ndef either(value: Any):\n    return value.lacking\n\n\n"
    "def run():\n    show(first())\n    show(Page('p'))\n    either(first())\n\n\n"
    "def unknown(given):\n    # given.lacking is a comment\n    return given.lacking + os.lacking\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def test_readers_constructions_and_open_reads_of_a_field(memory: Memory, tree: Path) -> None:
    memory.index_code(tree)
    found = memory.code.callers("Result.lacking")
    assert {(c.symbol.name, c.strategy) for c in found.calls} == {
        ("model.first", "constructs"), ("model.second", "constructs"), ("model.third", "refers to"),
        ("show.show_result", "refers to"),
    }  # fmt: skip
    assert (found.open_sites, found.open_places) == (2, ("show.py:23", "show.py:34"))  # values were not followed yet
    assert (
        "2 reads of that name on unknown objects could be one more (show.py:23 either, 34 unknown)"
        in calls_text(found)[1]
    )
    impact = memory.code.impact("Result.lacking")
    assert {"model.first", "show.show_result", "show.run"} <= {reach.symbol.name for reach in impact.reached}
    assert impact.open_places == found.open_places and "(show.py:23 either, 34 unknown)" in impact_text(impact)[1]


def test_an_annotation_wins_over_what_flows_through_a_table(tree: Path) -> None:
    view = View(build(tree))
    [page] = view.find("Page.lacking")
    readers = {view.symbols[edge.source].name for edge in view.incoming[page.key] if edge.type == "USES"}
    assert readers == {"show_page"}
    reached = {reach.symbol.name for reach in find_impact(view, [page.key], depth=1).reached}
    assert reached == {"show_page", "run"}  # who makes a page, and who reads it


def test_a_parameter_of_any_type_takes_what_flows_in(tree: Path) -> None:
    view = View(build(tree))
    [lacking] = view.find("Result.lacking")
    readers = {view.symbols[edge.source].name for edge in view.incoming[lacking.key] if edge.type == "USES"}
    assert readers == {"show_result", "either"}
    assert list(unresolved_accesses(view, lacking, FILES.items())) == [("show.py", 34)]


def test_copies_and_rows_and_constructors_of_their_own(memory: Memory, tree: Path) -> None:
    memory.index_code(tree)
    assert {c.symbol.name for c in memory.code.callers("Row.at").calls} == {"model.moved"}
    assert memory.code.callers("Own.lacking").calls == ()


def test_open_reads_of_an_older_state(memory: Memory, repository) -> None:
    repository.commit("Add", dict(FILES))
    memory.init(repository.path)
    (repository.path / "show.py").write_text("\n\n\nx = 1\n")
    memory.index_code(repository.path)
    assert memory.code.callers("Result.lacking").open_places == ()
    assert memory.code.callers("Result.lacking", as_of="HEAD").open_places == ("show.py:34",)


def test_unresolved_calls_are_named_with_their_places(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n    def go(self):\n        pass\n\n\ndef f(x):\n    x.go()\n")
    memory.index_code(tmp_path)
    found = memory.code.callers("A.go")
    assert (found.open_sites, found.open_places) == (1, ("a.py:7",))
    assert "1 unresolved call could be one more (a.py:7 f)" in calls_text(found)[1]


def test_answers_say_that_values_are_not_followed_yet(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def go(): ...\n\n\nTABLE = [go]\nfor each in TABLE:\n    each()\n")
    memory.index_code(tmp_path)
    early = memory.code.callers("go")
    assert early.is_partial and memory.code.path("go", "go").is_partial and memory.code.impact("go").is_partial
    assert "`graphmem process` waits" in calls_text(early)[1] and "no unresolved" not in calls_text(early)[1]
    memory.process()
    late = memory.code.callers("go")
    assert not late.is_partial and [call.line for call in late.calls] == [6]
    assert late.handed_places == ("a.py:4",) and "without a call at a.py:4" in calls_text(late)[1]


C_FILES = {
    "cart.h": "struct cart { int total_price; int size; };\nstruct other { int size; };\n",
    "cart.c": '#include "cart.h"\n\nint paid(struct cart *c) {\n    return c->total_price;\n}\n\n'
    "int twice(struct cart *c) {\n    return paid(c) + c->size;\n}\n",
    "cart.rs": "struct Cart { total_cost: u32 }\n\nfn costs(carts: Vec<Cart>) -> u32 {\n    carts.first().unwrap().total_cost\n}\n",
}


def test_the_only_field_of_a_name_is_read_on_objects_of_unknown_type(memory: Memory, tmp_path: Path) -> None:
    for name, text in C_FILES.items():
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    for field, reader in (("total_price", "cart.paid"), ("total_cost", "cart.costs")):
        found = memory.code.callers(field)
        assert [(call.symbol.name, call.strategy) for call in found.calls] == [(reader, "unique name")]
        assert not found.open_sites and "unique name 0.6" in calls_text(found)[0]
    reached = {(reach.symbol.name, reach.depth) for reach in memory.code.impact("total_price").reached}
    assert reached == {("cart.paid", 1), ("cart.twice", 2)}
    assert memory.code.callers("cart.size").open_sites == 1  # another struct has a field of that name, too


_DESTRUCTURED = """export interface Row { id: string; cost: number }
export function list(): Row[] { return []; }
export function viaOf() { for (const { cost, id } of list()) { console.log(cost, id); } }
export async function viaAwait(rows: AsyncIterable<Row>) { for await (const { cost: c } of rows) { console.log(c); } }
export function viaParameter({ cost }: Row, factor = 1) { return cost * factor; }
export function viaConst(row: Row) {
  const {
    id,
    cost = 0,
  } = row;
  return [id, cost];
}
export function viaArrow() { return list().map(({ cost }) => cost); }
export function ofAnother({ cost }: Bill) { return cost; }
export function passes(cost: number) { return take({ cost }, 1); }
"""


def test_fields_taken_out_by_a_pattern_are_read(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.ts").write_text(_DESTRUCTURED)
    memory.index_code(tmp_path / "tree")
    found = {call.symbol.short_name: call.line for call in memory.code.callers("Row.cost").calls}
    assert found == {
        "viaOf": 3,
        "viaAwait": 4,
        "viaParameter": 5,
        "viaConst": 9,
        "viaArrow.<lambda1>": 13,
    }  # as `row => row.cost` would


_ALIASES = """type Base = { size: number };
type Named = { name: string };
export type Box = Base & Named & { width: number };
type Front = { front: string } & Base;
type Fixed = Readonly<{ frozen: string }>;
export class Shelf {
  constructor(private options: Box) {}
  area() { return this.options.width * this.options.size; }
  name() { return this.options.name; }
}
export function first(f: Front, x: Fixed) { return f.front + f.size + x.frozen; }
"""


def test_fields_of_composed_type_aliases_have_readers(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(_ALIASES)
    view = View(build(tmp_path))
    readers = {
        name: {edge.source.rpartition(".")[2] for edge in view.incoming[f"a.ts:a.{name}"] if edge.type == "REFERS_TO"}
        for name in ("Box.width", "Base.size", "Named.name", "Front.front", "Fixed.frozen")
    }
    assert readers == {
        "Box.width": {"area"}, "Base.size": {"area", "first"}, "Named.name": {"name"}, "Front.front": {"first"},
        "Fixed.frozen": {"first"},
    }  # fmt: skip
