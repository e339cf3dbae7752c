"""Folders that others wrote: nothing outside of them is read, pipes are not opened, and no size, name or depth breaks anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support import processor_seconds

from graphmem import Memory, foreignfiles
from graphmem.codegraph import languages, scan, worker
from graphmem.errors import GraphmemError
from graphmem.extract import documents, terminal, testruns

SECRET = "# Outside\n\nThe lighthouse code lies under the third stone.\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    (folder / "deep").mkdir(parents=True)
    for name in ("secret.md", "secret.py", "deep/secret.md", "secret.log"):
        (folder / name).write_text(SECRET)
    return folder


@pytest.fixture
def tree(tmp_path: Path, outside: Path) -> Path:
    """A folder with links of every kind, and what only looks like a file."""
    root = tmp_path / "tree"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text("# Guide\n\nAmounts are whole cents.\n")
    (root / "docs" / "PLAN").write_text("# Plan\n\nThe harbour opens in May.\n")
    (root / "notes.md").symlink_to(outside / "secret.md")
    (root / "relative.md").symlink_to("../outside/secret.md")
    (root / "code.py").symlink_to(outside / "secret.py")
    (root / "run.log").symlink_to(outside / "secret.log")
    (root / "folder").symlink_to(outside / "deep")
    (root / "again.md").symlink_to("docs/guide.md")
    (root / "plan.md").symlink_to("docs/PLAN")
    (root / "plan2.md").symlink_to("docs/PLAN")
    (root / "loop.md").symlink_to("loop.md")
    (root / "round").symlink_to("..")
    (root / "docs" / "self").symlink_to(".")
    for name in ("pipe.md", "pipe.py", "pipe.log", "pipe.xml"):
        os.mkfifo(root / name)
    (root / "device.md").symlink_to("/dev/zero")
    return root


def test_documents_lie_in_the_folder_and_are_taken_once(tree: Path) -> None:
    skipped: list[str] = []
    found = [path.relative_to(tree).as_posix() for path in documents.find_documents(tree, skipped.append)]
    assert found == ["docs/guide.md", "plan.md"]
    assert skipped == [foreignfiles.OUTSIDE] * 3


@pytest.mark.parametrize("find", [terminal.find_logs, testruns.find_reports])
def test_logs_and_results_lie_in_the_folder(tree: Path, find) -> None:
    (tree / "own.log").write_text("$ make\n")
    assert [path.name for path in find(tree)] == ["own.log"]


@pytest.mark.parametrize("source", ["documents", "files", "terminal", "tests"])
def test_nothing_outside_reaches_the_memory(memory: Memory, tree: Path, source: str) -> None:
    memory.ingest(source, tree)
    memory.process()
    assert "third stone" not in str(list(memory.history(limit=1_000)))


def test_a_file_that_the_user_names_is_read_through_its_link(memory: Memory, tree: Path) -> None:
    assert memory.ingest("documents", tree / "notes.md").new == 1


def test_code_behind_links_is_not_read(repository, outside: Path) -> None:
    repository.commit("one", {"a/b.py": "x = 1\n", "c.py": "y = 1\n"})
    (repository.path / "a" / "b.py").unlink()
    (repository.path / "a").rmdir()
    (outside / "b.py").write_text("outside = 1\n")
    (repository.path / "a").symlink_to(outside)  # git still lists a/b.py
    os.mkfifo(repository.path / "pipe.py")
    (repository.path / "zero.py").symlink_to("/dev/zero")
    found = {source.path: source.skipped for source in scan.scan_tree(repository.path)}
    assert found["c.py"] == "" and found["a/b.py"] == found["zero.py"] == "link" and "pipe.py" not in found
    one = scan.look_at_file(repository.path, "a/b.py")
    assert one is not None and one.skipped == "link"


def test_a_pipe_or_a_device_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            foreignfiles.read_file(path)
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        foreignfiles.read_file(tmp_path / "link", follow=True)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 1_000)
    assert foreignfiles.read_file(tmp_path / "file", 1_000) == b"x" * 1_000
    assert foreignfiles.read_start(tmp_path / "file", 10) == b"x" * 10
    with pytest.raises(foreignfiles.TooLarge):
        foreignfiles.read_file(tmp_path / "file", 999)


def test_a_huge_document_is_skipped_and_said(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    with (folder / "huge.md").open("wb") as file:
        file.truncate(100_000_000)
    (folder / "small.md").write_text("# Small\n\nRead.\n")
    report = memory.ingest("documents", folder)
    assert (report.new, report.skipped) == (1, {foreignfiles.TOO_LARGE: 1})


DEEP = {
    "a.java": ("class A {\n", "}\n"), "a.scala": ("object A {\n", "}\n"), "a.rb": ("module A\n", "end\n"),
    "a.cpp": ("namespace a {\n", "}\n"), "a.js": ("function f(){\n", "}\n"), "b.js": ("x([\n", "])\n"), "a.lua": ("do\n", "end\n"),
    "a.go": ("func f() {\n", "}\n"), "a.rs": ("mod a {\n", "}\n"), "a.py": ("(\n", ")\n"), "b.py": ("if x:\n", ""),
    "a.sh": ("if a; then\n", "fi\n"), "a.ts": ("namespace a {\n", "}\n"), "package.json": ("[\n", "]\n"),
    "tsconfig.json": ('{"a":\n', "}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_source_nested_ten_thousand_deep_is_no_trouble(tmp_path: Path, name: str) -> None:
    first, last = DEEP[name]
    (tmp_path / name).write_text(first * 10_000 + last * 10_000)

    def parse() -> None:
        parsed = worker.parse_file(str(tmp_path), name, languages.for_path(name))
        assert parsed.skipped in ("", "nested too deep", "syntax errors (read around)")

    assert processor_seconds(parse, enough=2) < 30  # what is quadratic in the depth takes minutes


def test_folders_nested_as_deep_as_they_can_be(memory: Memory, tmp_path: Path) -> None:
    """Deeper than any path can be that is named at once."""
    root = tmp_path / "deep"
    root.mkdir()
    (root / "top.md").write_text("# Top\n\nThe harbour opens in May.\n")
    (root / "top.py").write_text("x = 1\n")
    here = os.open(root, os.O_RDONLY)
    for _ in range(10_000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        assert memory.ingest("documents", root).new == 1
        assert [source.path for source in scan.scan_tree(root)] == ["top.py"]
    finally:
        subprocess.run(["rm", "-rf", root], check=True)


ODD = [b"new\nline.md", b"tab\t.md", b"\x1b[31mred.md", b"\x07bell.md", b"not-\xff-utf8.md", b"-rf.md", b"quo\"te'.md", b"a\\b.md",
       "한국어.md".encode(), b"*.md", b":(top)x.md", b"$(touch x).md"]  # fmt: skip


def test_odd_names_of_documents_code_and_commits(memory: Memory, repository) -> None:
    for name in ODD:
        Path(os.fsdecode(os.fsencode(repository.path) + b"/" + name)).write_text("# Odd\n\nA text to find.\n")
        Path(os.fsdecode(os.fsencode(repository.path) + b"/" + name[:-3] + b".py")).write_text(
            "def odd():\n    return 1\n"
        )
    repository.commit("odd names")
    try:
        memory.init(repository.path)
        memory.export(repository.path.parent / "graph.graphml", format="graphml")
    except GraphmemError as error:
        pytest.fail(error.message)
    import networkx

    graph = networkx.read_graphml(repository.path.parent / "graph.graphml")
    assert graph.number_of_nodes() == sum(memory.stats()["nodes"].values())
