"""Locates the store of a folder, and its project. A repository is identified by its common git directory, so all of its
work trees share one store."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import NotFound, UsageError
from graphmem.extract.git import find_repository


class Place(NamedTuple):
    """A store directory, its project, and the root of its repository ("" if none)."""

    store: Path
    project: str
    root: Path | None


def locate(path: str | Path | None, home: Path, around: str | Path | None = None) -> Place:
    """Return the place of an explicit directory, or of the repository that contains a folder (default: the working
    directory). Raises NotFound if there is neither."""
    if path is not None:
        if not str(path).strip():
            raise UsageError("the store path is empty: name a directory, or omit it for the current repository")
        store = Path(path).expanduser()
        if store.exists() and not store.is_dir():
            raise UsageError(f"{store} is a file, but a store is a directory", path=str(store))
        return Place(store, _first_name(store, home, around), None)
    return of_repository(Path(around or ".").absolute(), home)


def _first_name(store: Path, home: Path, around: str | Path | None) -> str:
    """Return the project name for an explicitly named store folder: the repository around `around` if given, otherwise
    the folder itself. Existing stores know their project from the log."""
    if around is not None and not (store / "log.db").exists():
        with contextlib.suppress(NotFound):
            return of_repository(Path(around).absolute(), home).project
    return store.resolve().name


def of_repository(folder: Path, home: Path) -> Place:
    """Return the place of the repository that contains a folder."""
    root, common = find_repository(folder)
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    digest = hashlib.sha256(str(common.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Place(home / "projects" / digest, name, root)
