"""Memories that cite files, lines, symbols and commands say what of it is gone or changed since: a real repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.ports.places import Spoken
from graphmem.retrieve.citations import CitationChecker

START = datetime(2026, 2, 1, 9, tzinfo=UTC)


def git(folder: Path, *arguments: str, day: int = 0) -> None:
    at = (START + timedelta(days=day)).isoformat()
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": at,
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_COMMITTER_DATE": at,
    }  # fmt: skip
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=environment)


def commit(folder: Path, day: int, **contents: str | None) -> None:
    for name, text in contents.items():
        path = folder / "src" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.unlink() if text is None else path.write_text(text)
    git(folder, "add", "-A", day=day)
    git(folder, "commit", "-q", "-m", f"change {' and '.join(contents)}", day=day)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("checked")
    repository = folder / "mill"
    repository.mkdir()
    git(repository, "init", "-q")
    (repository / "package.json").write_text('{"scripts": {"build": "x"}}')
    (repository / "Makefile").write_text("build:\n\ttrue\n")
    commit(repository, 0, wheel="def turn_wheel():\n    return 1\n", sluice="GATE = 1\n", dam="LEVEL = 3\n")
    with Memory.open(folder / "store", project="mill") as store:
        at = START + timedelta(days=1)
        for text in (
            "The wheel of src/wheel.py must never spin backwards; `turn_wheel` enforces it.",
            "The sluice in src/sluice.py opens at dawn, because the millers start early.",
            "The dam in src/dam.py holds three metres of water; the level is set at src/dam.py:1.",
            "Run `npm run grind` and `make polish` before every harvest of the barley.",
            "Run `npm run build` and `make build` before every delivery of the oats.",
        ):
            store.remember(text, at=at)
        commit(repository, 5, wheel="def spin():\n    return 2\n", sluice=None)
        commit(repository, 6, wheel="def spin():\n    return 3\n")
        store.index_code(str(repository))
        store.ingest("git", str(repository))
        store.process()
        yield store


@pytest.mark.parametrize(
    ("asked", "stale"),
    [
        ("must the wheel never spin backwards?", "src/wheel.py: changed since, 2 commits; `turn_wheel`: no longer in src/wheel.py"),
        ("when does the sluice open?", "src/sluice.py: no longer exists"),
        ("how much water does the dam hold?", ""),
        ("what to run before every harvest of the barley?",
         "`grind`: no such script in package.json; `make polish`: no such target in Makefile"),
        ("what to run before every delivery of the oats?", ""),
    ],
)  # fmt: skip
def test_a_search_says_what_is_gone_or_changed_since(memory: Memory, asked: str, stale: str) -> None:
    found = memory.search(asked, k=3, kinds=["fact"])
    assert found.hits[0].stale == stale
    assert stale in found.context


def test_a_line_behind_the_end_is_told(memory: Memory) -> None:
    memory.remember("The overflow of the pond is computed at src/dam.py:90, after the rain gauge.")
    memory.process()
    (hit,) = memory.search("where is the overflow of the pond computed?", k=1, kinds=["fact"]).hits
    assert hit.stale == "src/dam.py:90: the file has only 2 lines now"


class NothingIndexed:
    """Places of a repository whose code and history are not indexed."""

    def naming(self, keys: Sequence[str], limit: int) -> list[Spoken]:
        return []

    def counts(self, keys: Sequence[str]) -> dict[str, int]:
        return {}

    def symbols(self, names: Sequence[str]) -> dict[str, list[str]]:
        return {}


def test_nothing_outside_of_the_repository_is_read_and_no_pipe_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "mill"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("one line")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "inside.txt").write_text("one line")
    os.mkfifo(root / "pipe.txt")
    text = "see ../outside.txt:99, link.txt:99, pipe.txt:99, inside.txt:99"
    assert (
        CitationChecker(str(root), NothingIndexed()).check(text, 0).note
        == "inside.txt:99: the file has only 1 line now"
    )


def test_a_makefile_of_one_long_line_takes_no_longer_than_its_length(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("a " * 190_000 + "\nbuild all: a\n\ttrue: yes\nNAME = x:y\n")
    check = CitationChecker(str(tmp_path), NothingIndexed()).check
    assert check("run `make build` and `make all`", 0).note == ""
    assert check("run `make true`", 0).note == "`make true`: no such target in Makefile"
    assert check("run `make NAME`", 0).note == "`make NAME`: no such target in Makefile"
