"""Which store a working directory belongs to, found with a few looks at the file system: the same answer as that of
`store.location`, without starting git."""

from __future__ import annotations

import os
from typing import NamedTuple

PAUSED = "paused"  # a file of this name in a store stops capture and recall
SHARED = "global"


class Spot(NamedTuple):
    """The directory of a store, and the project that it is for."""

    store: str
    project: str

    @property
    def paused(self) -> bool:
        """Whether the user wants no capture here."""
        return os.path.exists(os.path.join(self.store, PAUSED))  # noqa: PTH110, PTH118


def find(folder: str) -> Spot:
    """The store of the repository around a folder, else the shared one."""
    import hashlib

    chosen = os.environ.get("GRAPHMEM_STORE")
    if chosen:
        return Spot(os.path.realpath(chosen), os.path.basename(os.path.realpath(chosen)))  # noqa: PTH119
    common = common_directory(os.path.realpath(folder))
    if common is None:
        return Spot(os.path.join(_home(), SHARED), SHARED)  # noqa: PTH118
    parent, name = os.path.split(common)
    project = os.path.basename(parent) if name == ".git" else name.removesuffix(".git")  # noqa: PTH119
    digest = hashlib.sha256(common.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Spot(os.path.join(_home(), "projects", digest), project)  # noqa: PTH118


def common_directory(folder: str) -> str | None:
    """The git directory that all worktrees around a folder share, or None."""
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
        with open(entry, encoding="utf-8", errors="surrogateescape") as file:
            directory = os.path.join(folder, file.read().removeprefix("gitdir:").strip())  # noqa: PTH118
        try:
            with open(os.path.join(directory, "commondir"), encoding="utf-8") as file:  # noqa: PTH118
                directory = os.path.join(directory, file.read().strip())  # noqa: PTH118
        except FileNotFoundError:
            pass  # a submodule has its own
        return os.path.realpath(directory)
    except OSError:
        return None


def _home() -> str:
    chosen = os.environ.get("GRAPHMEM_HOME")
    if chosen:
        return os.path.expanduser(chosen)  # noqa: PTH111
    import platformdirs

    return platformdirs.user_data_dir("graphmem")
