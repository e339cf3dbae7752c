"""Calls have two copies: rows of `code.db`, which `code callers` reads, and CALLS relations of the graph, which Cypher reads.
After every kind of edit, and after a rebuild, both say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmem import Memory

Row = tuple[str, str, int, float]  # caller, called, line, confidence

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.tax import rate, round_up\n\n\ndef total(prices):\n    return round_up(sum(prices) * rate())\n\n\n"
    "def empty():\n    return total([])\n",
    "shop/tax.py": "def rate():\n    return 1\n\n\ndef round_up(n):\n    return n\n",
    "shop/desk.py": "from shop import cart\n\n\nclass Desk:\n    def sell(self, prices):\n        self.note()\n        return cart.total(prices)\n\n"
    "    def note(self):\n        return cart.empty()\n\n\ndef serve():\n    return Desk().sell([1])\n",
    "web/page.js": "import { fetchAll } from './api.js'\n\nexport function draw() {\n  return fetchAll()\n}\n",
    "web/api.js": "export function fetchAll() {\n  return one(1)\n}\n\nfunction one(n) {\n  return n\n}\n",
}


def replace(name: str, old: str, new: str) -> Callable[[Path], object]:
    def edit(tree: Path) -> None:
        text = (tree / name).read_text()
        assert old in text
        (tree / name).write_text(text.replace(old, new))

    return edit


EDITS: dict[str, list[Callable[[Path], object]]] = {
    "a call added": [replace("shop/tax.py", "    return 1\n", "    return round_up(1)\n")],
    "a call removed": [replace("shop/cart.py", " * rate()", "")],
    "a second call of the same": [replace("shop/cart.py", "total([])", "total([]) + total([1])")],
    "the surer of two calls removed": [
        replace("shop/desk.py", "cart.total(prices)", "cart.total(prices) + prices[0].total(1)"),
        replace("shop/desk.py", "cart.total(prices) + ", ""),
    ],
    "a function renamed": [replace("shop/tax.py", "def rate", "def quota")],
    "a function renamed with its callers": [replace("shop/tax.py", "def rate", "def quota"), replace("shop/cart.py", "rate", "quota")],
    "lines moved": [replace("shop/cart.py", "def total", "# why\n\n\ndef total")],
    "a function moved to another file": [
        replace("shop/tax.py", "def rate():\n    return 1\n\n\n", ""),
        lambda tree: (tree / "shop/rates.py").write_text("def rate():\n    return 1\n"),
        replace("shop/cart.py", "from shop.tax import rate, round_up", "from shop.rates import rate\nfrom shop.tax import round_up"),
    ],
    "a file renamed": [
        lambda tree: (tree / "shop/tax.py").rename(tree / "shop/taxes.py"),
        replace("shop/cart.py", "shop.tax ", "shop.taxes "),
    ],
    "a file deleted": [lambda tree: (tree / "shop/tax.py").unlink()],
    "a file deleted and written again": [
        lambda tree: (tree / "web/api.js").unlink(),
        lambda tree: (tree / "web/api.js").write_text(FILES["web/api.js"]),
    ],
    "a file broken": [replace("shop/cart.py", "def empty", "def broken((:\n\n\ndef empty")],
    "a file broken and mended": [
        replace("shop/cart.py", "def empty", "def broken((:\n\n\ndef empty"),
        replace("shop/cart.py", "def broken((:\n\n\n", ""),
    ],
    "a method moved to a base class": [
        replace("shop/desk.py", "\n    def note(self):\n        return cart.empty()\n", ""),
        replace("shop/desk.py", "class Desk:", "class Base:\n    def note(self):\n        return cart.empty()\n\n\nclass Desk(Base):"),
    ],
    "an import changed in another language": [
        replace("web/page.js", "./api.js", "./other.js"),
        lambda tree: (tree / "web/other.js").write_text("export function fetchAll() {\n  return 2\n}\n"),
    ],
}  # fmt: skip


def in_graph(mem: Memory) -> set[Row]:
    rows = mem._store.graph.query(
        "MATCH (a:Symbol)-[e:CALLS]->(b:Symbol) WHERE NOT b.external AND b.kind IN ['function', 'method']"
        " RETURN a.qualified_name, b.qualified_name, e.line, e.confidence"
    ).rows
    return {(caller, called, line, round(confidence, 6)) for caller, called, line, confidence in rows}


def in_answers(mem: Memory) -> set[Row]:
    """What `code callers` says of every function."""
    functions = mem._store.graph.query(
        "MATCH (s:Symbol) WHERE NOT s.external AND s.kind IN ['function', 'method'] RETURN s.qualified_name, s.file, s.line"
    ).rows
    return {
        (call.symbol.name, name, call.line, round(call.confidence, 6))
        for name, file, line in functions
        for call in mem.code.callers(f"{file}:{line}").calls
    }


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        yield mem


@pytest.fixture
def tree(tmp_path: Path, memory: Memory) -> Path:
    folder = tmp_path / "tree"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    memory.index_code(folder)
    memory.process()
    return folder


@pytest.mark.parametrize("kind", EDITS)
def test_both_say_the_same_after_an_edit(memory: Memory, tree: Path, kind: str) -> None:
    assert in_graph(memory) == in_answers(memory) and len(in_graph(memory)) >= 8
    for edit in EDITS[kind]:
        edit(tree)
        memory.index_code(tree)
        memory.process()
        assert in_graph(memory) == in_answers(memory) != set()


def test_both_say_the_same_after_all_edits_at_once_and_a_rebuild(memory: Memory, tree: Path) -> None:
    for kind in ("a call added", "a second call of the same", "lines moved", "a method moved to a base class"):
        for edit in EDITS[kind]:
            edit(tree)
    memory.index_code(tree)
    memory.process()
    before = in_graph(memory)
    assert before == in_answers(memory)
    memory.rebuild()
    assert in_graph(memory) == in_answers(memory) == before


def test_a_place_names_the_function_that_is_all_of_its_file(memory: Memory, tree: Path) -> None:
    assert memory.code.callers("web/page.js:3").symbol.name == "web.page.draw"
    (tree / "shop/tax.py").write_text("def round_up(n):\n    return n\n")
    memory.index_code(tree)
    found = memory.code.callers("shop/tax.py:1")
    assert found.symbol.name == "shop.tax.round_up" and [call.symbol.name for call in found.calls] == [
        "shop.cart.total"
    ]
