"""Locates and reads the package's data files (`queries/`, `grammars/`) in a checkout or an installed wheel. Also
provides the version and the code stamp that owner and clients compare."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from graphmem.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "0.2.0"
_DATA = ("queries", "grammars")
_CODE = (".py", ".cypher", ".scm", ".toml", ".json")
_PACKAGE = os.path.dirname(__file__)  # noqa: PTH120 (importing pathlib takes a thin client a tenth of its time)


@cache
def root() -> Path:
    """Return the folder that contains `queries/` and `grammars/`."""
    from pathlib import Path

    return Path(_data_folder())


@cache
def _data_folder() -> str:
    for folder in (os.path.join(_PACKAGE, "_data"), os.path.dirname(_PACKAGE)):  # noqa: PTH118, PTH120
        if all(os.path.isdir(os.path.join(folder, name)) for name in _DATA):  # noqa: PTH112, PTH118
            return folder
    raise StoreError("graphmem's query files are missing: reinstall graphmem", package=_PACKAGE)


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
    try:
        record = f"{os.path.dirname(_PACKAGE)}/graphmem-{VERSION}.dist-info/RECORD"  # noqa: PTH120
        with open(record, "rb") as file:
            import hashlib  # takes 2 ms, and a checkout needs none

            return hashlib.sha256(file.read()).hexdigest()[:16]
    except OSError:
        folders = (_PACKAGE, *(os.path.join(_data_folder(), name) for name in _DATA))  # noqa: PTH118
        return f"{max(map(_newest, folders)):x}"


def _newest(folder: str) -> int:
    """Return the latest modification time in a folder, in nanoseconds since 1970."""
    newest = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                newest = max(newest, _newest(entry.path) if entry.name != "__pycache__" else 0)
            elif entry.name.endswith(_CODE):
                newest = max(newest, entry.stat().st_mtime_ns)
    return newest
