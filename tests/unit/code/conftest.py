"""A repository with its store, initialised once for each module and restored for each test.

A module that wants it has a function `fill_repository(repository)`, and its tests use the fixture `tree`. Copying a closed
store takes a tenth of the time of `init`. It is copied back to the same place, because a store names absolute paths."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory

_RESTORED = pytest.StashKey[bool]()


@pytest.fixture(scope="module")
def _initialised(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of the tests, and its copy to restore."""
    folder, kept = tmp_path_factory.mktemp("initialised"), tmp_path_factory.mktemp("kept") / "copy"
    repository = Repository(folder / "repository")
    request.module.fill_repository(repository)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHMEM_HOME", str(tmp_path_factory.mktemp("home")))
        with Memory.open(folder / "store", project="demo") as mem:
            mem.init(repository.path)
    shutil.copytree(folder, kept, symlinks=True)
    return folder, kept


def _restored(request: pytest.FixtureRequest) -> Path | None:
    """The folder of the module as it was initialised, if this test wants it."""
    if "tree" not in request.fixturenames or not hasattr(request.module, "fill_repository"):
        return None
    folder, kept = request.getfixturevalue("_initialised")
    if _RESTORED not in request.node.stash:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder, symlinks=True)
        request.node.stash[_RESTORED] = True
    return folder


@pytest.fixture
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """The store of the restored repository; a new one if the test does not use `tree`."""
    with Memory.open((_restored(request) or tmp_path) / "store", project="demo") as mem:
        yield mem


@pytest.fixture
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    """The restored repository; a new one if the test does not use `tree`."""
    return Repository((_restored(request) or tmp_path) / "repository")


@pytest.fixture
def tree(repository: Repository) -> Path:
    return repository.path
