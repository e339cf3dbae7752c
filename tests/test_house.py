"""The house rules that tools do not check: sizes of modules, classes and functions, a docstring in every module, no
foreign language inside Python, and an import that costs nothing."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphmem.settings import Settings, list_entries

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "graphmem").rglob("*.py"))
TOP = {
    "pyproject.toml",
    "requirements-core.txt",
    "hatch_build.py",
    "README.md",
    "graphmem",
    "grammars",
    "queries",
    "tests",
    "fixtures",
    "docs",
    "LICENSE",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
}
FACADES = {"Memory", "Fts5Index"}  # one door each: to the product, and to the file that holds every item
GENERATED = {"graphmem/interfaces/http/client.py"}  # has a method for each route, and a type for each answer

pytestmark = pytest.mark.core


Trees = list[tuple[Path, str, list[ast.AST]]]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """Every module of the package: its path, its text and the nodes of its syntax tree, itself first. They are walked once."""
    own = [path for path in MODULES if path.relative_to(ROOT).as_posix() not in GENERATED]
    gc.disable()  # a million nodes that all stay
    try:
        return [
            (path.relative_to(ROOT), text := path.read_text("utf-8"), list(ast.walk(ast.parse(text)))) for path in own
        ]
    finally:
        gc.enable()


def _has_docstring(node: ast.AST) -> bool:
    assert isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
    return bool(ast.get_docstring(node))


def test_modules_are_short_and_say_what_they_are_for(trees: Trees) -> None:
    wrong = [f"{path}: {text.count(chr(10))} lines" for path, text, _ in trees if text.count("\n") > 500]
    wrong += [f"{path}: no docstring" for path, text, nodes in trees if text.strip() and not _has_docstring(nodes[0])]
    assert not wrong


def test_functions_and_classes_are_small(trees: Trees) -> None:
    wrong = []
    for path, _, nodes in trees:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > 60:
                    wrong.append(f"{path}:{node.lineno} {node.name}: {length} lines")
            if isinstance(node, ast.ClassDef) and node.name not in FACADES:
                public = [f for f in node.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_")]
                public = [f for f in public if not any("property" in ast.unparse(each) for each in f.decorator_list)]
                if len(public) > 15:
                    wrong.append(f"{path}:{node.lineno} {node.name}: {len(public)} public methods")
    assert not wrong


def test_public_functions_have_docstrings(trees: Trees) -> None:
    wrong = []
    for path, _, nodes in trees:
        module = nodes[0]
        assert isinstance(module, ast.Module)
        for node in module.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and not _has_docstring(node)
            ):
                wrong.append(f"{path}:{node.lineno} {node.name}")
    assert not wrong


def test_nothing_cites_a_document_that_readers_do_not_have() -> None:
    """A rule states its reason or names a published source."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name.endswith((".py", ".md", ".cypher", ".toml", ".scm"))]
    absent = re.compile(r"\b(?:REQUIREMENT[S]|DESIG[N]|ANCHOR[S]|[Rr]equirement [0-9]+)\b")
    texts = {
        name: (ROOT / name).read_text("utf-8") for name in names if (ROOT / name).is_file() and "fixtures/" not in name
    }
    assert len(texts) > 500
    assert not [name for name, text in texts.items() if absent.search(text)]


def test_nothing_is_left_unbuilt(trees: Trees) -> None:
    raising = [
        str(path)
        for path, _, nodes in trees
        for node in nodes
        if isinstance(node, ast.Raise) and node.exc and "NotImplementedError" in ast.dump(node.exc)
    ]
    assert not raising and not [str(path) for path, text, _ in trees if re.search(r"#\s*(TODO|FIXME)\b", text)]


def test_every_setting_is_read(trees: Trees) -> None:
    read = {
        node.attr
        for path, _, nodes in trees
        for node in nodes
        if path.name != "settings.py" and isinstance(node, ast.Attribute)
    }
    assert not [
        one.key for one in list_entries(Settings()) if one.key.split(".")[1] not in read and len(one.choices) != 1
    ]


def test_names_are_imported_from_the_module_that_defines_them(trees: Trees) -> None:
    """A package may offer the names of its modules; a module that hands on another's hides where they are."""
    again = [
        f"{path}:{node.lineno} {name.name}"
        for path, _, nodes in trees
        if path.name != "__init__.py"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.name == name.asname
    ]
    assert not again


def test_cypher_stands_in_files(trees: Trees) -> None:
    wrong = []
    for path, _, nodes in trees:
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = node.value.split()
                if words[:1] == ["MATCH"] and "RETURN" in words and "(" in node.value:
                    wrong.append(f"{path}:{node.lineno}")
    assert wrong in ([], [w for w in wrong if "backends/graph" in w])  # the engine's own cursor query


def test_the_top_level_holds_nothing_else() -> None:
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    extra = {name.split("/")[0] for name in found} - TOP
    assert not {name for name in extra if not name.startswith(".") and not name.endswith(".lock")}


def test_import_does_no_work() -> None:
    code = (
        "import sys, graphmem; heavy = {'numpy', 'kuzu', 'spacy', 'pydantic', 'sqlite3', 'typer', 'rich', 'networkx', 'scipy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
