"""Finds the store of a working directory with a few file system lookups. Same result as `store.location`, but without
running git."""

from __future__ import annotations

import os
from typing import NamedTuple

from graphmem.log.folders import store_directory, store_of_folder

PAUSED = "paused"  # a file with this name in a store disables recording and recall
_PATH_LIMIT = 8_192  # characters


class StoreLocation(NamedTuple):
    """A store directory and its project."""

    store: str
    project: str

    @property
    def paused(self) -> bool:
        """Return whether the user paused recording here."""
        return os.path.exists(os.path.join(self.store, PAUSED))  # noqa: PTH110, PTH118


def find(folder: str) -> StoreLocation:
    """Return the store of the repository that contains a folder, or that of the folder; an empty one for a folder that does
    not exist."""
    chosen = os.environ.get("GRAPHMEM_STORE")
    if chosen:
        return StoreLocation(os.path.realpath(chosen), os.path.basename(os.path.realpath(chosen)))  # noqa: PTH119
    common = common_directory(os.path.realpath(folder))
    if common is None:
        return StoreLocation(*(store_of_folder(folder, _home()) or ("", "")))
    parent, name = os.path.split(common)
    project = os.path.basename(parent) if name == ".git" else name.removesuffix(".git")  # noqa: PTH119
    return StoreLocation(store_directory(common, _home()), project)


def common_directory(folder: str) -> str | None:
    """Return the git directory shared by all work trees of a folder, or None."""
    while True:
        entry = os.path.join(folder, ".git")  # noqa: PTH118
        if os.path.isdir(entry):  # noqa: PTH112
            return os.path.realpath(entry)
        if os.path.isfile(entry):  # noqa: PTH113 (a worktree or submodule names its directory in a file)
            return _named(folder, entry)
        if os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects")):  # noqa: PTH112, PTH113, PTH118
            return folder
        folder, before = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == before:
            return None


def _named(folder: str, entry: str) -> str | None:
    try:
        directory = os.path.join(folder, _read(entry).removeprefix("gitdir:").strip())  # noqa: PTH118
        common = os.path.join(directory, "commondir")  # noqa: PTH118
        if os.path.isfile(common):  # noqa: PTH113 (a submodule has its own)
            directory = os.path.join(directory, _read(common).strip())  # noqa: PTH118
        return os.path.realpath(directory)
    except (OSError, ValueError):
        return None


def _read(file: str) -> str:
    """Return the start of a file that contains one path."""
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        return opened.read(_PATH_LIMIT)


def _home() -> str:
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return os.path.expanduser(chosen)  # noqa: PTH111
    import platformdirs

    return platformdirs.user_data_dir("graphmem")
