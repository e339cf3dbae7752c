"""Builds: helper processes, the cache of facts, deltas, and paths given by a watcher."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from graphmem.codegraph import build as building
from graphmem.codegraph import cache
from graphmem.codegraph.build import build
from graphmem.codegraph.generic import parse


def tree(root: Path, files: int = 12) -> None:
    (root / "go.mod").write_text("module example.com/m\n")
    for n in range(files):
        folder = root / f"p{n}"
        folder.mkdir()
        below = f'import "example.com/m/p{n - 1}"\n' if n else ""
        call = f"p{n - 1}.F{n - 1}()" if n else ""
        (folder / "f.go").write_text(f"package p{n}\n{below}\nfunc F{n}() {{ {call} }}\n")


def test_helpers_give_the_same_graph(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    tree(tmp_path)
    alone = build(tmp_path, alone=True)
    monkeypatch.setattr(building, "_IN_PROCESS", 2)
    seen: list[tuple[int, int]] = []
    together = build(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert together.graph == alone.graph
    assert seen[-1][0] == seen[-1][1] == 13


def test_helpers_follow_values_as_one_process_does(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    for n in range(12):
        (tmp_path / f"m{n}.js").write_text(
            f"function red{n}() {{}}\nconst paint = [red{n}];\nfor (const f of paint) f();\n"
        )
    alone = build(tmp_path, alone=True)
    assert sum(edge.type == "CALLS" and "red" in edge.target for edge in alone.graph.edges) == 12
    monkeypatch.setattr(building, "_IN_PROCESS", 2)
    assert build(tmp_path).graph == alone.graph


@pytest.mark.parametrize("dies", [False, True])
def test_helpers_link_their_share(monkeypatch, dies: bool) -> None:  # type: ignore[no-untyped-def]
    root = Path("fixtures/code/python").resolve()
    alone = build(root, alone=True, flow=False)
    monkeypatch.setattr(building, "_IN_PROCESS", 2)
    if dies:
        monkeypatch.setattr(building.worker.Helper, "linked", lambda self: {})
    together = build(root, flow=False)
    assert together.graph == alone.graph and together.linked == alone.linked
    assert set(together.delta.edges_added) == set(alone.graph.edges)


def test_body_edit_concerns_one_file(tmp_path: Path) -> None:
    tree(tmp_path)
    first = build(tmp_path)
    (tmp_path / "p3" / "f.go").write_text('package p3\nimport "example.com/m/p2"\n\nfunc F3() { p2.F2(); println() }\n')
    second = build(tmp_path, previous=first)
    assert (second.parsed, second.linked) == (1, 1)
    assert [e.target for e in second.delta.edges_added] == ["ext:<builtin>.println"]
    assert not second.delta.edges_removed
    assert [s.key for s in second.delta.symbols_added] == ["ext:<builtin>.println"]
    assert [s.name for s in second.delta.symbols_changed] == ["F3"]
    assert build(tmp_path, previous=second).delta == building.Delta()


def test_renamed_function_concerns_its_callers(tmp_path: Path) -> None:
    tree(tmp_path)
    first = build(tmp_path)
    (tmp_path / "p3" / "f.go").write_text('package p3\nimport "example.com/m/p2"\n\nfunc Other() { p2.F2() }\n')
    second = build(tmp_path, previous=first, only=["p3/f.go"])
    assert second.linked == 2
    assert second.delta.symbols_removed == ("p3/f.go:p3.F3",)
    assert [s.name for s in second.delta.call_sites_added] == ["F3"]
    assert second.graph == build(tmp_path).graph


def test_touched_file_is_not_parsed(tmp_path: Path) -> None:
    tree(tmp_path)
    first = build(tmp_path)
    (tmp_path / "p1" / "f.go").touch()
    assert build(tmp_path, previous=first).parsed == 0


def test_cache_spares_the_parser(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    tree(tmp_path)
    kept: dict[str, bytes] = {}
    first = build(tmp_path, cache=kept)
    assert len(kept) == 13

    def refuse(*_: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr(building.worker, "parse_source", refuse)
    assert build(tmp_path, cache=kept).graph == first.graph


def test_facts_survive_the_cache_and_strangers_are_refused() -> None:
    facts = parse("a.js", b"class A { b() { return new C() } }\n")
    assert cache.load(cache.dump(facts)) == facts
    assert cache.load(b"") is None
    assert cache.load(cache.dump(facts)[:-9]) is None
    assert cache.load(pickle.dumps(["not", "facts"])) is None

    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (print, ("run",))

    assert cache.load(pickle.dumps(Evil())) is None


def test_a_dead_helper_is_replaced(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    tree(tmp_path)
    monkeypatch.setattr(building, "_IN_PROCESS", 2)
    monkeypatch.setattr(building.worker, "_COMMAND", "raise SystemExit(3)")
    assert len([s for s in build(tmp_path).graph.symbols if s.kind == "function"]) == 12


def test_flow_may_follow_later(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def apply(f):\n    f()\n\n\ndef g():\n    pass\n")
    (tmp_path / "b.py").write_text("import a\n\na.apply(a.g)\n")
    fast = build(tmp_path, flow=False)
    full = build(tmp_path, previous=fast)
    assert full.parsed == 0
    assert [(e.source, e.target, e.strategy) for e in full.delta.edges_added] == [("a.py:a.apply", "a.py:a.g", "flow")]
    assert [s.reason for s in full.delta.call_sites_removed] == ["parameter"]
    assert full.graph == build(tmp_path).graph


def test_a_fast_build_keeps_what_values_told_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("def apply(f):\n    f()\n")
    (tmp_path / "one.py").write_text("def g():\n    pass\n\n\ndef h():\n    pass\n")
    (tmp_path / "use.py").write_text("from lib import apply\nfrom one import g, h\n\napply(g)\napply(h)\n")
    full = build(tmp_path)
    flowing = [e.target for e in full.graph.edges if e.source == "lib.py:lib.apply" and e.type == "CALLS"]
    assert flowing == ["one.py:one.g", "one.py:one.h"]
    (tmp_path / "one.py").write_text("def h():\n    pass\n")
    quick = build(tmp_path, previous=full, flow=False)
    assert not quick.flow and quick.shallow == {"one.py"}
    assert [e.target for e in quick.graph.edges if e.source == "lib.py:lib.apply"] == ["one.py:one.h"]
    again = build(tmp_path, previous=quick)
    assert again.graph == build(tmp_path).graph and again.flow and not again.shallow


def test_a_folder_of_packages_may_be_a_package_itself(tmp_path: Path) -> None:
    files = {
        "src/__init__.py": "",
        "src/shop/__init__.py": "",
        "src/shop/core.py": "def go():\n    pass\n",
        "src/shop/till.py": "from shop import core\n\ncore.go()\n",
        "src/plot/__init__.py": "def draw():\n    pass\n",
        "tests/test_core.py": "import plot\nfrom shop.core import go\n\ngo()\nplot.draw()\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    first = build(tmp_path)
    calls = {(e.source, e.target) for e in first.graph.edges if e.type == "CALLS" and "src/" in e.target}
    go, draw = "src/shop/core.py:src.shop.core.go", "src/plot/__init__.py:src.plot.draw"
    test = "tests/test_core.py:tests.test_core"
    # No import says that `plot` is the one of the tree: it may as well be a distribution.
    assert calls == {("src/shop/till.py:src.shop.till", go), (test, go)}
    (tmp_path / "src/plot/line.py").write_text("from plot.line import width\n\nwidth = 1\n")
    again = build(tmp_path, previous=first)
    assert again.graph == build(tmp_path).graph
    assert (test, draw) in {(e.source, e.target) for e in again.graph.edges if e.type == "CALLS"}
    (tmp_path / "src/plot/line.py").write_text("width = 1\n")
    assert build(tmp_path, previous=again).graph == build(tmp_path).graph


def test_a_tree_that_is_a_package_knows_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "__init__.py").write_text("from .sub.core import go\n")
    (tmp_path / "sub/__init__.py").write_text("")
    (tmp_path / "sub/core.py").write_text("def go():\n    pass\n")
    (tmp_path / "one.py").write_text("from shop.sub.core import go\n\ngo()\n")
    (tmp_path / "two.py").write_text("import shop\n\nshop.go()\n")
    (tmp_path / "three.py").write_text("import shop.sub\n\nshop.sub.core.go()\n")
    calls = {(e.source, e.target) for e in build(tmp_path).graph.edges if e.type == "CALLS"}
    go = "sub/core.py:sub.core.go"
    assert calls == {("one.py:one", go), ("two.py:two", go), ("three.py:three", go)}
