"""Locates the store of a folder, and its project. A repository is identified by its common git directory, so all of its
work trees share one store."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import GraphmemError, NotFound, UsageError
from graphmem.extract.git import find_repository
from graphmem.log.folders import store_directory, store_of_folder


class Place(NamedTuple):
    """A store directory, its project, and the root of its repository ("" if none)."""

    store: Path
    project: str
    root: Path | None


def locate(path: str | Path | None, home: Path, around: str | Path | None = None) -> Place:
    """Return the place of an explicit directory, or of the repository that contains a folder (default: the working
    directory); outside of repositories that of the folder, if agents' sessions there made a store. Raises NotFound if there
    is none."""
    if path is not None:
        if not str(path).strip():
            raise UsageError("the store path is empty: name a directory, or omit it for the current repository")
        store = Path(path).expanduser()
        if store.exists() and not store.is_dir():
            raise UsageError(f"{store} is a file, but a store is a directory", path=str(store))
        return Place(store, _first_name(store, home, around), None)
    folder = Path(around or ".").absolute()
    try:
        return of_repository(folder, home)
    except NotFound:
        found = store_of_folder(str(folder), str(home))
        if found is None or not os.path.isdir(found[0]):  # noqa: PTH112
            raise
        return Place(Path(found[0]), found[1], None)


def _first_name(store: Path, home: Path, around: str | Path | None) -> str:
    """Return the project name for an explicitly named store folder: the repository around `around` if there is one,
    otherwise the folder itself. Existing stores know their project from the log."""
    if around is not None and not (store / "log.db").exists():
        with contextlib.suppress(GraphmemError):
            return of_repository(Path(around).absolute(), home).project
    return store.resolve().name


def of_repository(folder: Path, home: Path) -> Place:
    """Return the place of the repository that contains a folder."""
    root, common = find_repository(folder)
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    return Place(Path(store_directory(str(common.resolve()), str(home))), name, root)
