"""SQLite's errors in the words of the store: what cannot be done now (disk full, locked, read only) is a StoreError, what
is broken is StoreDamaged. It decides nothing about transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from graphmem.errors import StoreDamaged, StoreError

_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@contextmanager
def translated(what: str, **data: str) -> Iterator[None]:
    """Raise StoreDamaged or StoreError, both beginning with `what`, for any error of SQLite."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_store_error(error, what, **data) from error


def as_store_error(error: sqlite3.Error, what: str, **data: str) -> StoreError:
    """The error that a caller of the store gets."""
    code = getattr(error, "sqlite_errorcode", None)
    undecodable = "decode to UTF-8" in str(error)
    if undecodable or (code is not None and code & 0xFF in _BROKEN):
        return StoreDamaged(f"{what} ({error}): run `graphmem doctor`", **data)
    if "closed database" in str(error):
        return StoreError("this memory was closed: open it again with `Memory.open`", **data)
    return StoreError(f"{what}: {error}", **data)
