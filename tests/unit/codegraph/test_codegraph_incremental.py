"""An index that followed edits equals one that was built at once; whatever happens to the files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from graphmem.codegraph.build import Index, build
from graphmem.codegraph.languages import for_path
from graphmem.codegraph.view import View, later

FIXTURES = Path(__file__).parents[3] / "fixtures" / "code"
CASES = sorted(p for p in FIXTURES.glob("*/*") if p.is_dir() and p.parent.name != "python")


def sources(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file() and for_path(p.name))


def edit(root: Path, chance: random.Random, trash: list[str]) -> str:
    """One random edit of a tree; says what it was."""
    files = sources(root)
    path = chance.choice(files)
    text = path.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    kind = chance.choice(["cut", "copy", "delete", "move", "break", "mend", "rename", "swap", "blank"])
    if kind == "cut" and lines:
        at = chance.randrange(len(lines))
        del lines[at : at + chance.randrange(1, 6)]
        path.write_text("".join(lines), "utf-8")
    elif kind == "copy":
        path.with_name(f"copy{chance.randrange(9)}{path.suffix}").write_text(text, "utf-8")
    elif kind == "delete" and len(files) > 2:
        trash.append(text)
        path.unlink()
    elif kind == "move":
        target = path.parent / chance.choice(["sub", "."]) / f"moved{chance.randrange(9)}{path.suffix}"
        target.parent.mkdir(exist_ok=True)
        shutil.move(path, target)
    elif kind == "break":
        at = chance.randrange(len(lines) + 1)
        path.write_text(
            "".join([*lines[:at], chance.choice(["{{(\n", ")}]\n", "'\n", "def class {\n"]), *lines[at:]]), "utf-8"
        )
    elif kind == "mend" and trash:
        path.write_text(trash.pop(), "utf-8")
    elif kind == "rename":
        words = sorted({w for w in text.replace("(", " ").replace(".", " ").split() if w.isidentifier() and len(w) > 3})
        if words:
            path.write_text(text.replace(chance.choice(words), chance.choice([*words, "renamed"])), "utf-8")
    elif kind == "swap":
        other = chance.choice(files)
        if other.suffix == path.suffix:
            mine, theirs = path.read_text("utf-8"), other.read_text("utf-8")
            path.write_text(theirs, "utf-8")
            other.write_text(mine, "utf-8")
    elif kind == "blank":
        path.write_text("\n" + text, "utf-8")
    return f"{kind} {path.relative_to(root)}"


@pytest.mark.parametrize("case", CASES, ids=lambda p: f"{p.parent.name}-{p.name}")
@pytest.mark.parametrize("edits", [4, pytest.param(80, marks=pytest.mark.deep)])
def test_incremental_equals_clean(case: Path, edits: int, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    shutil.copytree(case, root)
    chance = random.Random(f"{case.parent.name} {case.name}")
    trash: list[str] = []
    index = build(root)
    view = View(index)
    check_view(view, View(index))  # makes the tables, which are patched from here on
    log = []
    for _ in range(edits):
        log.append(edit(root, chance, trash))
        before = index.graph
        index = build(root, previous=index)
        clean = build(root)
        for part in ("files", "symbols", "edges", "call_sites"):
            got, want = set(getattr(index.graph, part)), set(getattr(clean.graph, part))
            assert got == want, (log[-3:], sorted(got - want)[:5], sorted(want - got)[:5])
        assert index.graph == clean.graph
        check_delta(before, index)
        view = later(view, index)
        check_view(view, View(clean))


def check_view(view: View, fresh: View) -> None:
    for table in (
        "symbols",
        "incoming",
        "outgoing",
        "open_sites",
        "open_scopes",
        "by_file",
        "named",
        "tests",
        "parent",
    ):
        assert getattr(view, table) == getattr(fresh, table), table


def check_delta(before, index: Index) -> None:  # type: ignore[no-untyped-def]
    delta = index.delta
    edges = (set(before.edges) - set(delta.edges_removed)) | set(delta.edges_added)
    assert edges == set(index.graph.edges)
    sites = (set(before.call_sites) - set(delta.call_sites_removed)) | set(delta.call_sites_added)
    assert sites == set(index.graph.call_sites)
    symbols = {s.key: s for s in before.symbols if s.key not in set(delta.symbols_removed)}
    symbols |= {s.key: s for s in (*delta.symbols_added, *delta.symbols_changed)}
    assert symbols == {s.key: s for s in index.graph.symbols}
    files = {f.path: f for f in before.files if f.path not in set(delta.files_removed)}
    files |= {f.path: f for f in delta.files_added}
    assert files == {f.path: f for f in index.graph.files}


@pytest.mark.parametrize(
    ("path", "text", "called"),
    [
        (
            "user.rb",
            "class User\n  def archive!(by)\n  end\nend\n",
            {"archive!", "paint"},
        ),  # the variable is named like it
        ("glossy.rb", "module Glossy\n  def paint(color)\n  end\nend\n", set()),  # one more method of that name
        ("room.rb", "class Room\n  include Painted\nend\n", set()),  # who has the module is known from now on
        ("base.rb", "class ApplicationRoom\n  include Painted\nend\n", {"paint"}),  # which others inherit
    ],
)
def test_guess_follows_other_files(path: str, text: str, called: set[str], tmp_path: Path) -> None:
    (tmp_path / "use.rb").write_text(
        "class House\n  def run(user)\n    user.archive!(1)\n    self.paint(1)\n  end\nend\n"
    )
    (tmp_path / "painted.rb").write_text("module Painted\n  def paint(color)\n  end\nend\n")
    index = build(tmp_path)
    (tmp_path / path).write_text(text)
    index = build(tmp_path, previous=index)
    assert index.graph == build(tmp_path).graph
    calls = [edge.target for edge in index.graph.edges if edge.type == "CALLS" and edge.source.endswith(".run")]
    assert {key.rpartition(".")[2] for key in calls} == called
