"""The developer documents are true: what ARCHITECTURE.md names exists, and it lists every package."""

from __future__ import annotations

import ast
import configparser
import doctest
import re
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "graphmem"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if re.search(r"^ +>>> ", path.read_text("utf-8"), re.M)]
PLACES = sorted(set(re.findall(r"`([\w/]+\.(?:py|txt))(?::([\w.]+))?`", ARCHITECTURE)))

pytestmark = pytest.mark.core


def defined_names(path: Path) -> set[str]:
    """Names that a module defines at its top, and `Class.method` of its classes."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def section(heading: str) -> str:
    """The text below a heading of ARCHITECTURE.md, to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", ARCHITECTURE, re.M | re.S)
    assert found, heading
    return found[1]


@pytest.mark.parametrize(("module", "name"), PLACES, ids=[":".join(place) for place in PLACES])
def test_architecture_names_what_exists(module: str, name: str) -> None:
    path = PACKAGE / module
    assert path.is_file()
    assert not name or name in defined_names(path)


def test_packages_are_listed_in_the_order_of_the_import_contract() -> None:
    contract = configparser.ConfigParser()
    contract.read(ROOT / ".importlinter")
    layers = contract["importlinter:contract:layers"]["layers"].split("\n")
    wanted = [{room.strip() for room in layer.split("|")} for layer in layers if layer.strip()][::-1]
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| \S", section("Packages by layer"), re.M)
    assert [{room for _, room in rows_of} for _, rows_of in groupby(rows, lambda row: row[0])] == wanted
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert {room for _, room in rows} == folders | modules


@pytest.mark.parametrize(
    "way",
    [
        "Path of a turn: from a hook to an answer",
        "Path of a turn: into the index",
        "Path of a source file: to an answer of `code callers`",
    ],
)
def test_a_path_has_at_most_twenty_files(way: str) -> None:
    assert 8 <= len(set(re.findall(r"`([\w/]+\.py)", section(way)))) <= 20


def test_links_lead_somewhere() -> None:
    for document in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text("utf-8"))
        assert not [link for link in links if not (ROOT / link).exists()], document


def test_the_settings_guide_is_the_one_that_the_settings_give() -> None:
    from graphmem.interfaces.settings_reference import settings_reference

    again = "python -m graphmem.interfaces.settings_reference > graphmem/guides/settings.md"
    assert (PACKAGE / "guides" / "settings.md").read_text("utf-8") == settings_reference(), again


def test_the_glossary_explains_each_term_once_and_refers_to_guides() -> None:
    text = (PACKAGE / "guides" / "glossary.md").read_text("utf-8")
    terms = re.findall(r"^- \*\*([\w ]+)\*\*(?: \(.+?\))?: (.+)$", text, re.M)
    assert 35 <= len(terms) == len({term for term, _ in terms}) == text.count("\n- ")
    guides = {path.stem for path in (PACKAGE / "guides").glob("*.md")}
    assert set(re.findall(r"\[(\w+)\]$", text, re.M)) <= guides


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_in_docstrings_are_true(path: Path) -> None:
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tried = doctest.testmod(module)
    assert tried.attempted and not tried.failed
