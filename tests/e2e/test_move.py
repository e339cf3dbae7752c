"""A store moves: on one disk and to another, with everything it knows, and whoever knew the old place finds the new one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import another_disk

from graphmem import Memory
from graphmem.errors import GraphmemError, StoreBusy, UsageError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("made") / "store"
    with Memory.open(store, project="harbour") as mem:
        mem.observe("The crane stops at noon.", session="s1")
        mem.process()
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


@pytest.fixture(params=["same", "other"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    if request.param == "same":
        yield tmp_path / "far away" / "store"
    elif (disk := another_disk(tmp_path)) is None:
        pytest.skip("there is only one disk")
    else:
        with tempfile.TemporaryDirectory(dir=disk) as folder:
            yield Path(folder) / "store"


@pytest.mark.parametrize("daemon", [False, True])
def test_a_store_goes_on_where_it_was_moved_to(store: Path, target: Path, daemon: bool) -> None:
    with Memory.open(store, daemon=daemon) as mem:
        head, tasks = mem.head, mem.tasks
        mem.process()
        report = mem.move(target.as_uri())
        assert (report.target, report.events) == (str(target), head)
        assert mem.location == target and mem.project == "harbour"
        assert mem.search("crane").hits and mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[1]]
        with pytest.raises(GraphmemError, match="closed"):
            tasks.ready()
        mem.observe("It starts again at one.", session="s1")
    assert store.is_symlink() and store.resolve() == target.resolve()
    assert target.stat().st_mode & 0o77 == 0
    with Memory.open(store) as mem:  # those who know the old place
        mem.process()
        assert mem.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[2]]
        assert mem.health()["sound"]


def test_who_has_the_old_log_open_is_told(store: Path, target: Path) -> None:
    late = Memory.open(store)
    late.observe("early")
    with Memory.open(store) as mem:
        moved = mem.move(target).copied
    with late:
        if moved:
            with pytest.raises(GraphmemError, match="moved"):
                late.observe("late")
        else:
            late.observe("late")
    with Memory.open(target) as mem:
        said = [event.payload.get("content") for event in mem.history(types=["user_prompt"])]
        assert said == ["The crane stops at noon.", "early"] + ["late"] * (not moved)


def test_it_moves_twice_and_back(store: Path, tmp_path: Path) -> None:
    with Memory.open(store) as mem:
        mem.move(tmp_path / "second")
        mem.move(tmp_path / "third")
        with pytest.raises(UsageError, match="already"):
            mem.move(tmp_path / "second")  # a link that leads to it
    with Memory.open(store) as mem:
        assert mem.search("crane").hits


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("bolt://localhost:7687", "not to `bolt:`"),
        ("ladybug:///x", "can only be moved to a folder"),
        ("{store}", "already"),
        ("{store}/inner", "into itself"),
        ("{store}/..", "contains it"),
        ("{other}", "not empty"),
    ],
)
def test_where_it_cannot_go_it_stays(store: Path, tmp_path: Path, url: str, said: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("here first")
    with Memory.open(store) as mem:
        with pytest.raises(UsageError, match=said):
            mem.move(url.format(store=store, other=tmp_path / "other"))
        assert mem.search("crane").hits and mem.location == store


def test_nobody_is_moved_away_from_under_his_feet(store: Path, tmp_path: Path) -> None:
    with Memory.open(store) as owner, Memory.open(store) as other:
        owner.process()
        with pytest.raises(StoreBusy, match="end it, then try again"):
            other.move(tmp_path / "elsewhere")
        assert not store.is_symlink() and not (tmp_path / "elsewhere").exists()
        assert owner.search("crane").hits and other.search("crane").hits
