"""Reads the current commit of a repository from its files, without starting git: cheap enough to ask every second."""

from __future__ import annotations

import re
from pathlib import Path

_LIMIT = 8_192  # bytes of a file that names one thing
_PACKED_LIMIT = 64 << 20  # bytes of a list of references
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def read_head(root: Path) -> str | None:
    """Return the hash of the current commit of a work tree or bare repository, "" before the first one. None if the files do
    not say: there is no repository, or it stores references differently (reftable)."""
    try:
        directory, common = _directories(root)
        told = _start_of(directory / "HEAD")
        if not told.startswith("ref:"):
            return told if _HASH.fullmatch(told) else None
        name = told.removeprefix("ref:").strip()
        if ".." in name or not name.startswith("refs/") or (common / "reftable").is_dir():
            return None
        loose = common / name
        if loose.is_file():
            found = _start_of(loose)
            return found if _HASH.fullmatch(found) else None
        return _packed(common, name)
    except (OSError, ValueError):
        return None


def _directories(root: Path) -> tuple[Path, Path]:
    """Return the git directory of a work tree, and the one that it shares with others."""
    entry = root / ".git"
    if entry.is_file():  # a linked work tree or submodule
        directory = root / _start_of(entry).removeprefix("gitdir:").strip()
    else:
        directory = entry if entry.is_dir() else root
    shared = directory / "commondir"
    return directory, directory / _start_of(shared) if shared.is_file() else directory


def _packed(common: Path, name: str) -> str | None:
    """Return the commit of a reference from the file of packed references; "" for a branch without commits."""
    packed = common / "packed-refs"
    if not packed.is_file():
        return ""
    with packed.open("rb") as file:
        lines = file.read(_PACKED_LIMIT)
    found = re.search(rb"^([0-9a-f]+) " + re.escape(name.encode()) + rb"$", lines, re.M)
    return found[1].decode() if found else ""


def _start_of(file: Path) -> str:
    with file.open(encoding="utf-8", errors="surrogateescape") as opened:
        return opened.read(_LIMIT).strip()
