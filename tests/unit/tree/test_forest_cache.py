"""The file of a folded forest is only a cache: with it, without it, or with a damaged one, the tree is the same."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support import read_stored

from graphmem import Memory
from graphmem.tree import forest_cache

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "e2e"))
from workload import QUIET, state


@pytest.fixture(autouse=True)
def always_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest_cache, "_MIN_NEW_DERIVATIONS", 0)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether each look at the file brought a forest."""
    found: list[bool] = []
    load = forest_cache.load_forest
    monkeypatch.setattr(
        forest_cache, "load_forest", lambda *where: found.append(bool(forest := load(*where))) or forest
    )
    yield found


def say(mem: Memory, first: int, last: int) -> None:
    for number in range(first, last):
        mem.observe(f"We decided to keep word{number % 7} in src/app{number % 3}.py", session=f"s{number % 2}")
    mem.process()


def reopened(folder: Path) -> Memory:
    return Memory.open(folder, project="demo", settings=QUIET)


def test_a_new_owner_and_a_rebuild_go_on_from_the_file(tmp_path: Path, loaded: list[bool]) -> None:
    with reopened(tmp_path) as mem:
        say(mem, 0, 20)
    with reopened(tmp_path) as mem:
        say(mem, 20, 40)
        grown = state(mem, tmp_path)
        mem.rebuild()
        assert state(mem, tmp_path) == grown
        assert loaded == [False, True, True]
        forest_cache.delete_forest(tmp_path)
        mem.rebuild()
        assert state(mem, tmp_path) == grown


def flip(folder: Path) -> None:
    file = folder / forest_cache.FILE
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


def cut(folder: Path) -> None:
    file = folder / forest_cache.FILE
    file.write_bytes(file.read_bytes()[:-10])


def foreign(folder: Path) -> None:
    file = folder / forest_cache.FILE
    data = file.read_bytes()
    file.write_bytes(data.replace(b'"code": "', b'"code": "0', 1).replace(b" \x00", b"\x00", 1))


@pytest.mark.parametrize("damage", [flip, cut, foreign])
def test_a_damaged_file_is_not_used(tmp_path: Path, loaded: list[bool], damage: Callable[[Path], None]) -> None:
    with reopened(tmp_path) as mem:
        say(mem, 0, 20)
        whole = state(mem, tmp_path)
    damage(tmp_path)
    with reopened(tmp_path) as mem:
        mem.rebuild()
        assert state(mem, tmp_path) == whole
    assert loaded == [False, False]


def test_what_was_forgotten_is_in_no_file(tmp_path: Path) -> None:
    with reopened(tmp_path) as mem:
        say(mem, 0, 20)
        mem.observe("The canary sings zyxwvut at noon", session="secret")
        mem.process()
        cut_off = tmp_path / "tree.99.new"
        cut_off.write_bytes(b"zyxwvut")
        mem.forget(session="secret", purge=True)
        mem.rebuild()
        assert not any(b"zyxwvut" in read_stored(file) for file in tmp_path.iterdir() if file.is_file())


def test_a_changed_derivation_is_found_although_the_tree_is_kept(tmp_path: Path) -> None:
    with reopened(tmp_path) as mem:
        say(mem, 0, 20)
        whole = state(mem, tmp_path)
    with closing(sqlite3.connect(tmp_path / "log.db")) as db, db:
        db.execute("DROP TRIGGER derivations_stay")
        db.execute("UPDATE derivations SET body = replace(body, 'word3', 'word4') WHERE step GLOB 'sensor/*'")
    with reopened(tmp_path) as mem:
        assert any("sensor" in problem for problem in mem.health()["problems"])
        mem.rebuild()
        assert state(mem, tmp_path) == whole and not any("sensor" in problem for problem in mem.health()["problems"])
