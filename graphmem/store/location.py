"""Where a store lies and which project it is. A repository is known by its common git directory, so that its worktrees
share one store (DESIGN 7.8)."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import NotFound, UsageError
from graphmem.extract.git import find_repository


class Place(NamedTuple):
    """The directory of a store, the project that it is for, and the root of its repository ("" for none)."""

    store: Path
    project: str
    root: Path | None


def locate(path: str | Path | None, home: Path, around: str | Path | None = None) -> Place:
    """The place of an explicit directory, or of the repository around a folder (default: the working directory). Raises
    NotFound where neither is there."""
    if path is not None:
        if not str(path).strip():
            raise UsageError("the store path is empty: name a directory, or omit it for the current repository")
        store = Path(path).expanduser()
        if store.exists() and not store.is_dir():
            raise UsageError(f"{store} is a file, but a store is a directory", path=str(store))
        return Place(store, _first_name(store, home, around), None)
    return of_repository(Path(around or ".").absolute(), home)


def _first_name(store: Path, home: Path, around: str | Path | None) -> str:
    """What a store that is named by its folder is for: the repository around a folder that is named, too, else itself. Once
    there is a log, the store knows."""
    if around is not None and not (store / "log.db").exists():
        with contextlib.suppress(NotFound):
            return of_repository(Path(around).absolute(), home).project
    return store.resolve().name


def of_repository(folder: Path, home: Path) -> Place:
    """The place of the repository around a folder."""
    root, common = find_repository(folder)
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    digest = hashlib.sha256(str(common.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Place(home / "projects" / digest, name, root)
