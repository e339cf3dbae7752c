"""Protocols, interfaces and abstract classes: who implements them, and the calls that come through them."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.codegraph.build import Index, build
from graphmem.codegraph.impact import find_impact
from graphmem.codegraph.implementations import find_implementations, is_met
from graphmem.codegraph.view import View
from graphmem.interfaces.text.answers import FORMS

PORT = """from typing import Protocol


class Readable(Protocol):
    def query(self, text: str, *, limit: int = 0) -> list[str]: ...


class Store(Readable, Protocol):
    def apply(self, change: str) -> None: ...


class Timer(Protocol):
    def stop(self, at: float) -> None: ...
"""
BACKENDS = """class Base:
    def apply(self, change):
        pass


class Graph(Base):
    def query(self, text, *, limit=0):
        return [text]


class Wider(Base):
    def query(self, text, limit=0, *rest, **options):
        return []


class Narrower(Base):
    def query(self):
        return []


class Other:
    def stop(self, reason):
        pass


class Watch:
    def stop(self, at):
        pass
"""
USE = """from port import Store


def find(store: Store, text: str):
    return store.query(text)


def change(store: Store):
    store.apply("x")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {"port.py": PORT, "backends.py": BACKENDS, "use.py": USE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def implemented(index: Index) -> set[tuple[str, str]]:
    """The structural relations by the names of both ends."""
    view = View(index)
    return {
        (view.symbols[e.source].name, view.symbols[e.target].qualified_name)
        for e in index.graph.edges
        if e.strategy == "structural"
    }


def test_a_class_with_the_members_implements_a_protocol(tree: Path) -> None:
    assert implemented(build(tree)) == {
        ("Graph", "port.Store"), ("Wider", "port.Store"), ("query", "port.Readable.query"), ("apply", "port.Store.apply"),
        ("Watch", "port.Timer"), ("stop", "port.Timer.stop"),
    }  # fmt: skip


@pytest.mark.parametrize("flow", [True, False])
def test_edits_of_either_side_change_what_is_implemented(tree: Path, flow: bool) -> None:
    index = build(tree, flow=flow)
    edits = [
        ("port.py", PORT.replace("def stop(self, at", "def stop(self, reason")),
        ("backends.py", BACKENDS.replace("def apply", "def changed")),
        (
            "backends.py",
            BACKENDS + "\n\nclass Third(Graph):\n    def query(self, text, *, limit=0):\n        return []\n",
        ),
        ("port.py", PORT.replace("(Readable, Protocol)", "(Protocol)")),
        ("port.py", "Store = object\n"),
        ("port.py", PORT),
    ]
    for file, text in edits:
        (tree / file).write_text(text)
        index = build(tree, previous=index, flow=flow)
        clean = build(tree, flow=flow)
        assert index.graph == clean.graph
        assert set(index.delta.edges_added) <= set(clean.graph.edges)
    (tree / "port.py").unlink()
    assert implemented(build(tree, previous=index, flow=flow)) == set()


def test_calls_through_a_port_are_impact_and_no_open_sites(tree: Path) -> None:
    view = View(build(tree))
    [query] = view.find("Graph.query")
    found = find_impact(view, [query.key])
    assert "find" in {r.symbol.name for r in found.reached if r.depth == 1} and found.open_sites == 0
    assert [is_met(view, s) for s in view.graph.call_sites if s.name in ("query", "apply")] == [True, True]


def test_callers_and_implementations_of_both_sides(memory: Memory, tree: Path) -> None:
    memory.index_code(tree)
    callers = memory.code.callers("Graph.query")
    assert [(c.symbol.name, c.line, c.strategy) for c in callers.calls] == [
        ("use.find", 5, "through Readable.query"),
    ]
    assert (callers.open_sites, callers.through_base, memory.code.unresolved().total) == (0, 0, 0)
    assert memory.code.callees("use.find").open_sites == 0
    store = memory.code.implementations("Store")
    assert [row.symbol.name for row in store.implemented_by] == ["backends.Graph", "backends.Wider"]
    assert [(m.name, name) for m, name in store.implemented_by[0].methods] == [("backends.Base.apply", "apply")]
    graph = memory.code.implementations("Graph")
    assert {row.symbol.name for row in graph.implements} == {"port.Store", "port.Readable", "backends.Base"}
    [method] = memory.code.implementations("Graph.query").implements
    assert method.symbol.name == "port.Readable" and method.methods[0][0].line == 7
    text, end = FORMS[type(store)](store)
    assert "implemented by:" in text and "apply 2" in text and end.startswith("2 implementations of port.Store")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.go", "package a\n\ntype Port interface {\n\tRun(n int)\n}\n\ntype Own struct{}\n\nfunc (o Own) Run(n int) {}\n\n"
                 "func all(p Port) {\n\tp.Run(1)\n}\n"),
        ("a.java", "interface Port { void Run(int n); }\nclass Own implements Port { public void Run(int n) {} }\n"
                   "class Use { void all(Port p) { p.Run(1); } }\n"),
        ("a.ts", "interface Port { Run(n: number): void }\nclass Own implements Port { Run(n: number) {} }\n"
                 "export function all(p: Port) { p.Run(1) }\n"),
        ("a.py", "from abc import ABC, abstractmethod\nclass Port(ABC):\n    @abstractmethod\n    def Run(self, n): ...\n"
                 "class Own(Port):\n    def Run(self, n):\n        return n\ndef all(p: Port):\n    p.Run(1)\n"),
    ],
)  # fmt: skip
def test_ports_of_other_languages(memory: Memory, tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    memory.index_code(tmp_path)
    [caller] = memory.code.callers("Own.Run").calls
    assert caller.symbol.name.endswith("all") and caller.strategy == "through Port.Run"
    [row] = memory.code.implementations("Port.Run").implemented_by
    assert row.symbol.name.endswith("Own") and [name for _, name in row.methods] == ["Run"]


def test_what_tests_define_is_no_port_of_sources(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(
        "from typing import Protocol\nclass Port(Protocol):\n    def run(self): ...\n    def stop(self): ...\n"
    )
    (tmp_path / "a.py").write_text("class Own:\n    def run(self): ...\n    def stop(self): ...\n")
    view = View(build(tmp_path))
    assert find_implementations(view, view.find("Own")) == []
