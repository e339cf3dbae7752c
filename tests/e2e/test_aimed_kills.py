"""Killed at every step of its work that has a name, a store loses no acknowledged event, equals a clean replay of its log, and
holds nothing of what was purged once the next process has opened it."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import aimed
import children
import pytest
import workload
from support import another_disk
from workload import QUIET

FEW = {"beside: an order told", "purge: erased"}  # each takes many seconds


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    assert children.run(aimed.prepare, folder / "quiet" / "store", QUIET)[0] == 0
    return folder


@pytest.fixture(scope="module")
def embedded(prepared: Path) -> Path:
    assert children.run(aimed.prepare, prepared / "embedded" / "store", aimed.EMBEDDING)[0] == 0
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
    assert children.run(aimed.die_at, store, point)[0] == -signal.SIGKILL, "the step was not reached"
    ended, wrong = children.run(verdict, store, point)
    assert ended == 0 and wrong == []


def test_every_step_has_its_function() -> None:
    for point in aimed.POINTS.values():
        for place in (*point.also, *((point.at,) if not point.at.startswith("sql:") else ())):
            aimed.located(place)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(FEW))
def test_killed_at_a_step(prepared: Path, tmp_path: Path, name: str) -> None:
    killed_at(name, prepared / "quiet" / "store", tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", [name for name in aimed.POINTS if name not in FEW])
def test_killed_at_every_other_step(prepared: Path, embedded: Path, tmp_path: Path, name: str) -> None:
    point = aimed.POINTS[name]
    if point.act == "far" and another_disk(tmp_path) is None:
        pytest.skip("there is only one disk")
    killed_at(name, prepared / "quiet" / "store" if point.settings is QUIET else embedded, tmp_path)
