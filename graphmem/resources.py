"""Locates and reads the package's data files (`queries/`, `grammars/`) in a checkout or an installed wheel. Also
provides the version and the code stamp that owner and clients compare."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from graphmem.errors import StoreError

VERSION = "0.2.0"
_CODE = (".py", ".cypher", ".scm", ".toml", ".json")
_PACKAGE = Path(__file__).parent


@cache
def root() -> Path:
    """Return the folder that contains `queries/` and `grammars/`."""
    for folder in (_PACKAGE / "_data", _PACKAGE.parent):
        if (folder / "queries").is_dir() and (folder / "grammars").is_dir():
            return folder
    raise StoreError("graphmem's query files are missing: reinstall graphmem", package=str(_PACKAGE))


def path(name: str) -> Path:
    """Return the path of a data file such as `queries/code/go/definitions.scm`; it may not exist."""
    return root() / name


@cache
def text(name: str) -> str:
    """Return the content of a data file."""
    try:
        return path(name).read_text("utf-8")
    except OSError as error:
        raise StoreError(f"graphmem's file {name} cannot be read: reinstall graphmem", name=name) from error


def names(folder: str, suffix: str) -> list[str]:
    """Return the sorted file names in a folder with this suffix, relative to the root."""
    return sorted(f"{folder}/{p.name}" for p in path(folder).glob(f"*{suffix}"))


def stamp() -> str:
    """Return an identifier of the installed code: from the wheel's list of file digests, or in a checkout from the
    latest modification of any file (10 ms)."""
    record = _PACKAGE.parent / f"graphmem-{VERSION}.dist-info" / "RECORD"
    try:
        return hashlib.sha256(record.read_bytes()).hexdigest()[:16]
    except OSError:
        folders = (_PACKAGE, root() / "queries", root() / "grammars")
        return f"{max(map(_newest, folders)):x}"


def _newest(folder: str | Path) -> int:
    """Return the latest modification time in a folder, in nanoseconds since 1970."""
    newest = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                newest = max(newest, _newest(entry.path) if entry.name != "__pycache__" else 0)
            elif entry.name.endswith(_CODE):
                newest = max(newest, entry.stat().st_mtime_ns)
    return newest
