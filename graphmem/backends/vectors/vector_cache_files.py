"""Cache files of vectors. Each is registered in `index.db` with its checksum and file attributes, and only used if it
still matches. If the attributes are unchanged, the checksum is not recomputed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from graphmem.backends.checksum import checksum_of
from graphmem.errors import StoreError

_PATTERN = "vectors-*"


class _Registration(NamedTuple):
    checksum: int
    attributes: list[int]


def write_checked(db: sqlite3.Connection, file: Path, fill: Callable[[Path], None]) -> bool:
    """Write a file atomically and register it; return False if that is not possible now."""
    new = file.with_name(f"{file.name}.new")
    try:
        # One writer at a time. If the index loses its last writes, it loses the registration, too.
        db.execute("BEGIN IMMEDIATE")
    except (sqlite3.OperationalError, StoreError):
        return False
    try:
        fill(new)
        new.chmod(0o600)
        checksum = checksum_of(new)
        new.replace(file)
        _register(db, file, checksum)
        db.execute("COMMIT")
    except BaseException as error:
        new.unlink(missing_ok=True)
        if db.in_transaction:
            db.execute("ROLLBACK")
        if isinstance(error, OSError | RuntimeError | sqlite3.OperationalError):
            return False
        raise
    return True


def is_unchanged(db: sqlite3.Connection, file: Path) -> bool:
    """Return whether a file is registered and unchanged since `write_checked` wrote it."""
    known = _registration(db, file)
    try:
        return known is not None and (known.attributes == _file_attributes(file) or known.checksum == checksum_of(file))
    except OSError:
        return False


def damaged_files(db: sqlite3.Connection, folder: Path) -> list[Path]:
    """Return the registered files of a folder whose checksum does not match. Reads all of them."""
    return [
        file
        for file in sorted(folder.glob(_PATTERN))
        if (known := _registration(db, file)) is not None and known.checksum != checksum_of(file)
    ]


def delete_cache_files(folder: Path) -> None:
    """Delete all vector cache files in a folder."""
    for file in folder.glob(_PATTERN):
        file.unlink(missing_ok=True)


def _registration(db: sqlite3.Connection, file: Path) -> _Registration | None:
    row = db.execute("SELECT value FROM meta WHERE name = ?", (file.name,)).fetchone()
    return _Registration(*json.loads(row[0])) if row else None


def _register(db: sqlite3.Connection, file: Path, checksum: int) -> None:
    value = json.dumps(_Registration(checksum, _file_attributes(file)))
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (file.name, value))


def _file_attributes(file: Path) -> list[int]:
    state = file.stat()
    return [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]
