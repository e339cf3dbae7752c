"""Unused classes whose names are ordinary words, what only unused code uses, and counts of the asked path alone."""

from __future__ import annotations

from pathlib import Path

from graphmem import Memory
from graphmem.codegraph.build import build
from graphmem.codegraph.deadcode import DeadCode, dead_code
from graphmem.codegraph.view import View
from graphmem.interfaces.mcp.groups import GROUPS


def report(root: Path, files: dict[str, str], **given: object) -> DeadCode:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return dead_code(View(build(root)), exported=True, texts=files.items(), **given)  # type: ignore[arg-type]


def named(rows: object) -> set[str]:
    return {row.symbol.name for row in rows}  # type: ignore[attr-defined]


def test_a_word_in_a_file_that_does_not_import_the_class_is_something_else(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "from shop.types import Point\n\n__all__ = ['Point']\n",
        "shop/types.py": "class Point:\n    x = 1\n\n\nclass Ok:\n    y = 1\n\n\nclass Kept:\n    z = 1\n\n\n__all__ = ['Ok', 'Point', 'Kept']\n",
        "shop/view.py": "def draw(buttons):\n    return buttons.Ok, buttons.Point\n\n\nprint(draw(1))\n",
        "shop/use.py": "import shop.types as t\n\n\ndef run(name):\n    return name.Kept\n\n\nprint(t, run(input()))\n",
    }
    found = report(tmp_path, files)
    assert named(found.dead) == {"Ok"} and named(found.offered) == {"Point"}
    assert named(found.doubts) == {"Kept"}


def test_a_type_of_go_is_named_alone_or_after_its_package(tmp_path: Path) -> None:
    files = {
        "go.mod": "module demo\n",
        "a/a.go": "package a\n\ntype Source struct{ n int }\n\ntype Kept struct{ m int }\n\ntype row struct {\n\tSource string\n}\n\n"
        'func Run() any { return row{Source: "x"}.Source }\n',
        "b/b.go": 'package b\n\nimport "demo/a"\n\nfunc Go(x any) any { a.Run(); Source := x; return Source }\n\n'
        "func text() string { return `a.Kept` }\n",
    }
    found = report(tmp_path, files)
    assert "Source" in named(found.dead) and "Kept" not in named(found.dead)


def test_what_only_unused_code_uses_follows_it(tmp_path: Path) -> None:
    files = {
        "a.py": "def _gone():\n    return _helper() + _shared()\n\n\ndef _helper():\n    return _deep()\n\n\n"
        "def _deep():\n    return 1\n\n\ndef _shared():\n    return 2\n\n\nprint(_shared())\n",
        "tests/test_a.py": "from a import _deep\n\n\ndef test_deep():\n    assert _deep()\n",
    }
    found = report(tmp_path, files)
    assert named(found.dead) == {"_gone"} and named(found.followers) == {"_helper", "_deep"}


def test_a_script_of_a_package_runs_no_function_of_its_name(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"lint": "eslint ."}}', "a.js": "function lint() {}\n", "run.sh": "lint\n"}
    assert named(report(tmp_path, {**files, "run.sh": "echo\n"}).dead) == {"lint"}
    assert named(report(tmp_path, files).doubts) == {"lint"}


def test_what_the_language_itself_keeps_or_calls_is_not_unused(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "#[allow(dead_code)]\nfn example() {}\n\nfn lost() {}\n",
        "go.mod": "module example.org/a\n",
        "a.go": "package a\n\ntype w struct{}\n\nfunc (w *w) Push(x string) error { return nil }\n\nvar _ = &w{}\n",
        "a.h": "typedef struct tag_s { int x; } name_t;\nstatic int use(name_t *n) { return n->x; }\n",
        "a.rb": "class Parser\n  def parse_one; 1; end\n  def empty?; true; end\n  def self.inherited(x); end\n  def size=(x); end\n"
        '  def unused_one; end\nend\nputs(Parser.new.send(:"parse_#{ARGV[0]}"), ARGV[1].empty?)\n',
        "Ext.cs": "static class Lists { public static void Cut<T>(this LinkedList<T> list) {} }\nclass User { void Run() { given.Cut(); } }\n",
    }
    found = report(tmp_path, files)
    assert named(found.dead).isdisjoint(
        {"example", "Push", "Lists", "tag_s", "parse_one", "empty?", "inherited", "size="}
    )
    assert named(found.dead) >= {"lost", "unused_one"}


def test_only_the_asked_path_is_counted(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for name in ("one", "two"):
        (root / name).mkdir(parents=True)
        (root / name / f"{name}.py").write_text(
            "import abc\n\n\nclass _A(abc.ABC):\n    def __len__(self):\n        return 1\n"
        )
    memory.index_code(root)
    whole, part = memory.code.dead(), memory.code.dead("one")
    assert {reason: count // 2 for reason, count in whole.spared.items()} == part.spared
    assert len(part.dead) == 1 and len(whole.dead) == 2
    tool, given = GROUPS["code"].resolve({"action": "dead", "symbol": ["one", "two"]})
    assert tool.verb.name == "code dead" and given == {"target": ["one", "two"]}
