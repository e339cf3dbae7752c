"""Decides whether a session belongs to a repository: it ran in one of its work trees or a folder below. Paths are
compared by component: `/home/user2` is not inside `/home/user`."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.extract import git
from graphmem.gitprocess import run


def belongs_to_repository(root: Path) -> Callable[[str], bool]:
    """Return a predicate for folders. Deleted folders are judged by path only."""
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
    """Return the work trees of a repository, with their given and resolved paths."""
    found = [root, root.resolve()]
    try:
        listing = os.fsdecode(run(root, "worktree", "list", "--porcelain", check=False))
    except (GraphmemError, OSError):
        return found
    found += [Path(line.removeprefix("worktree ")) for line in listing.split("\n") if line.startswith("worktree ")]
    return list(dict.fromkeys(found))


def session_folders(root: Path) -> list[str]:
    """Return folders of the repository where a session may have run: work trees and folders with files."""
    found = [str(tree) for tree in worktrees_of(root)]
    try:
        listing = os.fsdecode(run(root, "ls-files", "-z", check=False))
    except (GraphmemError, OSError):
        return found
    inner = {str(parent) for name in listing.split("\0") if name for parent in Path(name).parents if parent.name}
    return found + [str(Path(tree) / name) for tree in found for name in sorted(inner)]


def _common(folder: Path) -> Path | None:
    """Return the git directory shared by all work trees; None outside of a repository."""
    try:
        return git.find_repository(folder)[1].resolve()
    except (GraphmemError, OSError):
        return None
