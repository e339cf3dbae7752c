"""Disposable files with copies of vectors, registered in `index.db` by checksum and file attributes: only an unmodified
file that matches the index is used. If attributes are unchanged, it is not read for verification."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from graphmem.backends.checksum import checksum_of
from graphmem.backends.text.fts5 import open_index
from graphmem.backends.text.pages import Pages
from graphmem.errors import StoreError

_COPIES = "vectors-*"


def write_checked(db: sqlite3.Connection, file: Path, fill: Callable[[Path], None]) -> bool:
    """Write a file atomically and register it; return False if that is not possible now."""
    new = file.with_name(f"{file.name}.new")
    try:
        db.execute(
            "BEGIN IMMEDIATE"
        )  # one writer at a time; if the index loses its last writes, it loses the registration, too
    except (sqlite3.OperationalError, StoreError):
        return False
    try:
        fill(new)
        new.chmod(0o600)
        checksum = checksum_of(new)
        new.replace(file)
        _note(db, file, checksum)
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
    """Return whether this is the file that was written."""
    noted = _noted(db, file)
    try:
        return noted is not None and (noted[1] == _state(file) or _same(db, file))
    except OSError:
        return False


def _same(db: sqlite3.Connection, file: Path) -> bool:
    noted = _noted(db, file)
    return noted is not None and noted[0] == checksum_of(file)


def index_problems(path: Path) -> list[str]:
    """Return problems of an index and its vector files, one sentence each; reads all of them."""
    if not path.exists():
        return []
    try:
        with closing(open_index(path)) as db:
            found = [row[0] for row in db.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
            copies = [file for file in sorted(path.parent.glob(_COPIES)) if _noted(db, file) and not _same(db, file)]
            return [
                *(f"index: {problem}" for problem in (Pages.of(path).problem(), *found) if problem),
                *(f"vectors: {file.name} is damaged and was ignored" for file in copies),
            ]
    except (sqlite3.Error, StoreError, OSError) as error:
        return [f"index: {error}"]


def drop_copies(folder: Path) -> None:
    """Delete all such files."""
    for file in folder.glob(_COPIES):
        file.unlink(missing_ok=True)


def _noted(db: sqlite3.Connection, file: Path) -> tuple[int, list[int]] | None:
    row = db.execute("SELECT value FROM meta WHERE name = ?", (file.name,)).fetchone()
    return tuple(json.loads(row[0])) if row else None


def _note(db: sqlite3.Connection, file: Path, checksum: int) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (file.name, json.dumps([checksum, _state(file)])))


def _state(file: Path) -> list[int]:
    state = file.stat()
    return [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]
