"""Killed at every step of its work that has a name, a store loses no acknowledged event, equals a clean replay of its log, and
holds nothing of what was purged once the next process has opened it."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aimed
import kuzu  # noqa: F401  (children are forked: what is loaded here is loaded there)
import pyarrow  # noqa: F401
import pytest
import workload
from workload import QUIET

from graphmem.backends import moving  # noqa: F401
from graphmem.backends.graph import kuzu as _engine  # noqa: F401
from graphmem.backends.vectors import outbox, usearch  # noqa: F401
from graphmem.code import index_store  # noqa: F401
from graphmem.forget import cascade  # noqa: F401
from graphmem.retrieve import retriever as _retriever  # noqa: F401
from graphmem.sync import (
    exchange,  # noqa: F401
    health,  # noqa: F401
    pipeline,  # noqa: F401
    process,  # noqa: F401
)

FORK = multiprocessing.get_context("fork")
FEW = {"beside: an order told", "purge: erased", "move: renamed, no link"}  # each takes five seconds


def in_child(function: Any, *arguments: Any) -> tuple[int | None, Any]:
    """How a process of its own ended, and what it returned."""
    receiver, sender = FORK.Pipe(duplex=False)
    child = FORK.Process(target=lambda: sender.send(function(*arguments)))
    child.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = None
    child.join()
    return child.exitcode, found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    assert in_child(aimed.prepare, folder / "quiet" / "store", QUIET)[0] == 0
    return folder


@pytest.fixture(scope="module")
def embedded(prepared: Path) -> Path:
    assert in_child(aimed.prepare, prepared / "embedded" / "store", aimed.EMBEDDING)[0] == 0
    return prepared / "embedded" / "store"


@pytest.fixture(autouse=True)
def _other_disk(tmp_path: Path) -> Iterator[None]:
    yield
    for file in tmp_path.glob("life/target"):
        for left in Path(file.read_text()).parent.glob(f"{Path(file.read_text()).name}*"):
            shutil.rmtree(left)


def verdict(store: Path, point: aimed.Point) -> list[str]:
    return [*workload.check(store, point.settings), *aimed.traces(store, point)]


def killed_at(name: str, prepared: Path, folder: Path) -> None:
    point = aimed.POINTS[name]
    store = aimed.copied(prepared, folder)
    assert in_child(aimed.die_at, store, point)[0] == -signal.SIGKILL, "the step was not reached"
    ended, wrong = in_child(verdict, store, point)
    assert ended == 0 and wrong == []


@pytest.mark.parametrize("name", sorted(FEW))
def test_killed_at_a_step(prepared: Path, tmp_path: Path, name: str) -> None:
    killed_at(name, prepared / "quiet" / "store", tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", [name for name in aimed.POINTS if name not in FEW])
def test_killed_at_every_other_step(prepared: Path, embedded: Path, tmp_path: Path, name: str) -> None:
    point = aimed.POINTS[name]
    if point.act == "far" and (not aimed.DISK.is_dir() or aimed.DISK.stat().st_dev == tmp_path.stat().st_dev):
        pytest.skip("there is only one disk")
    killed_at(name, prepared / "quiet" / "store" if point.settings is QUIET else embedded, tmp_path)
