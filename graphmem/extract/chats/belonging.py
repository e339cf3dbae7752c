"""Whether a session belongs to a repository: it ran in one of its work trees, or in a folder inside of one. Compared part by
part: `/home/user2` is not inside `/home/user`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.extract import git
from graphmem.gitprocess import run


def belongs_to_repository(root: Path) -> Callable[[str], bool]:
    """A test of folders. Those that no longer exist are judged by their path alone."""
    roots = worktrees_of(root)
    common = _common(root)

    @cache
    def inside(folder: str) -> bool:
        if not folder:
            return False
        path = Path(folder)
        if any(path == tree or tree in path.parents for tree in roots):
            return not path.is_dir() or common is None or _common(path) in (common, None)
        return common is not None and path.is_dir() and _common(path) == common

    return inside


def worktrees_of(root: Path) -> list[Path]:
    """The work trees of a repository, as they were named and as they really are."""
    found = [root, root.resolve()]
    try:
        listing = os.fsdecode(run(root, "worktree", "list", "--porcelain", check=False))
    except (GraphmemError, OSError):
        return found
    found += [Path(line.removeprefix("worktree ")) for line in listing.split("\n") if line.startswith("worktree ")]
    return list(dict.fromkeys(found))


def session_folders(root: Path) -> list[str]:
    """Folders of the repository that a session may have run in: its work trees and the folders with files in them."""
    found = [str(tree) for tree in worktrees_of(root)]
    try:
        listing = os.fsdecode(run(root, "ls-files", "-z", check=False))
    except (GraphmemError, OSError):
        return found
    inner = {str(parent) for name in listing.split("\0") if name for parent in Path(name).parents if parent.name}
    return found + [str(Path(tree) / name) for tree in found for name in sorted(inner)]


def _common(folder: Path) -> Path | None:
    """The git directory that all work trees share; None outside of a repository."""
    try:
        return git.find_repository(folder)[1].resolve()
    except (GraphmemError, OSError):
        return None
