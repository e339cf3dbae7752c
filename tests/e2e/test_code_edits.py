"""Whatever is done to a tree, its code graph equals the one of a clean build: random edits through a store, each followed by
a comparison with a second store that never saw anything else. The long one edits a real package."""

from __future__ import annotations

import importlib.util
import random
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory

_SYMBOLS = (
    "MATCH (s:Symbol) RETURN s.id, s.qualified_name, s.kind, s.file, s.line, s.end_line, s.signature, s.doc, s.visibility,"
    " s.exported, s.external, s.complexity, s.project"
)
_SITES = "MATCH (c:CallSite)-[:PART_OF]->(s:Symbol) RETURN c.id, c.file, c.line, c.name, c.reason, s.id"
_FILES = "MATCH (f:File) RETURN f.path, f.present, f.digest, f.lines, f.skipped"
_EDGE = "MATCH (a:Symbol)-[e:{0}]->(b:Symbol) RETURN '{0}', a.id, b.id, e.line, e.strategy, e.confidence"
_TYPES = ("DEFINES", "CALLS", "REFERS_TO", "IMPORTS", "EXTENDS", "IMPLEMENTS", "OVERRIDES", "USES", "TESTS")
_DEF = re.compile(r"^( *)def (\w+)\(", re.M)


def dump(mem: Memory) -> dict[str, list[Any]]:
    """The code graph that a user sees, sorted."""
    queries = {"symbols": _SYMBOLS, "sites": _SITES, "files": _FILES} | {t: _EDGE.format(t) for t in _TYPES}
    return {name: sorted(mem._store.graph.query(query).rows, key=repr) for name, query in queries.items()}


class Edits:
    """Random edits of a tree of Python files; each returns what it did."""

    def __init__(self, tree: Path, seed: int) -> None:
        self.tree, self.chance, self.number = tree, random.Random(seed), count()

    def __iter__(self) -> Iterator[Callable[[], str]]:
        kinds = [self.add, self.rename, self.move, self.delete, self.break_syntax, self.mend, self.new_file, self.shift]
        self.broken: dict[Path, str] = {}
        while True:
            yield self.chance.choice(kinds)

    def file(self) -> Path:
        return self.chance.choice(sorted(p for p in self.tree.rglob("*.py") if p.stat().st_size))

    def function(self) -> tuple[Path, str, re.Match[str]]:
        while True:
            path = self.file()
            text = path.read_text("utf-8")
            if found := list(_DEF.finditer(text)):
                return path, text, self.chance.choice(found)

    def add(self) -> str:
        path, _, found = self.function()
        target, name = self.file(), f"added_{next(self.number)}"
        with target.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef {name}(x, f=None):\n    y = {found[2]}(x)\n    f()\n    return y.{found[2]}()\n")
        return f"{name} in {target}, after {path}"

    def rename(self) -> str:
        path, text, found = self.function()
        name = f"{found[2]}_{next(self.number)}"
        path.write_text(text[: found.start(2)] + name + text[found.end(2) :], "utf-8")
        return f"{found[2]} -> {name} in {path}"

    def move(self) -> str:
        path = self.file()
        target = path.with_name(f"moved_{next(self.number)}.py")
        path.rename(target)
        return f"{path} -> {target}"

    def delete(self) -> str:
        path = self.file()
        path.unlink()
        return f"without {path}"

    def break_syntax(self) -> str:
        path, text, found = self.function()
        self.broken.setdefault(path, text)
        path.write_text(text[: found.start()] + "\ndef broken((:\n" + text[found.start() :], "utf-8")
        return f"broke {path}"

    def mend(self) -> str:
        for path, text in self.broken.items():
            if path.exists():
                path.write_text(text, "utf-8")
                del self.broken[path]
                return f"mended {path}"
        return self.add()

    def new_file(self) -> str:
        path, _, found = self.function()
        module = path.stem
        target = path.with_name(f"new_{next(self.number)}.py")
        target.write_text(
            f"from .{module} import {found[2]} as here\n\n\nclass New:\n    go = here\n\n\nNew().go()\n", "utf-8"
        )
        return f"new {target}"

    def shift(self) -> str:
        path, text, _ = self.function()
        path.write_text("# one line more\n" + text, "utf-8")
        return f"shifted {path}"


def compare(tree: Path, folder: Path, steps: int, seed: int) -> None:
    settings = {"embedding.provider": "none"}
    with Memory.open(folder / "edited", project="p", settings=settings) as mem:
        mem.index_code(tree)
        mem.process()
        done = []
        for step, edit in zip(range(steps), Edits(tree, seed), strict=False):
            done.append(edit())
            mem.index_code(tree)
            if step % 3:  # now and then several edits lie between two passes of the second tier
                continue
            mem.process()
            with Memory.open(folder / f"clean{step}", project="p", settings=settings) as clean:
                clean.index_code(tree)
                clean.process()
                wanted, found = dump(clean), dump(mem)
            for name, rows in wanted.items():
                assert found[name] == rows, (name, done[-3:])
            shutil.rmtree(folder / f"clean{step}")
        mem.process()
        grown = dump(mem)
        mem.rebuild()
        for name, rows in dump(mem).items():
            assert grown[name] == rows, (name, "rebuilt")


def compare_trees(mem: Memory, trees: list[Path], steps: int, seed: int, *, lose: bool) -> None:
    """Random edits of several trees of one project, now and then with the saved index lost: then a rebuild changes nothing."""
    for tree in trees:
        mem.index_code(tree)
    edits = [iter(Edits(tree, seed + number)) for number, tree in enumerate(trees)]
    for step in range(steps):
        which = step % len(trees)
        next(edits[which])()
        source = trees[which] / "outside.py"
        source.write_text(f"import outside{step}\n\n\ndef use{step}(x):\n    return outside{step}.call(sorted(x))\n")
        if lose and step % 3 == 2:
            mem._store.release_facts()
            for path in mem._store.path.glob("code.db*"):
                path.unlink()
            mem._store.indexes.clear()
        mem.index_code(trees[which])
        mem.process()
    grown = dump(mem)
    mem.rebuild()
    for name, rows in dump(mem).items():
        assert grown[name] == rows, name


@pytest.mark.parametrize(
    ("number", "lose"),
    [(1, True), (2, False), *(pytest.param(*one, marks=pytest.mark.deep) for one in ((1, False), (2, True)))],
)
def test_what_lies_outside_goes_with_its_last_mention(tmp_path: Path, number: int, lose: bool) -> None:
    trees = [tmp_path / f"tree{one}" for one in range(number)]
    for tree in trees:
        shutil.copytree(Path(__file__).parents[2] / "fixtures/code/python/packages", tree)
    with Memory.open(tmp_path / "store", project="p", settings={"embedding.provider": "none"}) as mem:
        compare_trees(mem, trees, 6, seed=3, lose=lose)


def test_edits_of_a_small_tree_leave_no_trace(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(Path(__file__).parents[2] / "fixtures/code/python/packages", tree)
    compare(tree, tmp_path, 10, seed=7)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("package", ["networkx", "pydantic", "rich"])
def test_edits_of_a_package_leave_no_trace(package: str, tmp_path: Path) -> None:
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    tree = tmp_path / "tree"
    shutil.copytree(Path(spec.origin).parent, tree, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    compare(tree, tmp_path, 51, seed=len(package))
