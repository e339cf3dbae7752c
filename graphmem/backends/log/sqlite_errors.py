"""Translates SQLite errors: temporary problems (disk full, locked, read-only) become StoreError, damage becomes
StoreDamaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from graphmem.backends.log.file_access import explain_sqlite_error
from graphmem.errors import FREE_SPACE, StoreDamaged, StoreError, UsageError, message_of

_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_AT_ONCE = 1_000  # rows


@contextmanager
def translate_errors(what: str, remedy: str = "doctor", **data: str) -> Iterator[None]:
    """Raise StoreDamaged or StoreError, both starting with `what`, for any SQLite error. `remedy` is the command to run
    if the file is damaged."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_store_error(error, what, remedy, **data) from error


def as_store_error(error: sqlite3.Error, what: str, remedy: str = "doctor", **data: str) -> StoreError:
    """Return the error for callers of the store."""
    if _broken(error):
        return StoreDamaged(f"{what} ({message_of(error)}): run `graphmem {remedy}`", **data)
    if "closed database" in str(error):
        return StoreError("this memory was closed: open it again with `Memory.open`", **data)
    if "path" in data and (why := explain_sqlite_error(error, Path(data["path"]))):
        return StoreError(f"{what}: {why}", **data)
    if _code(error) == sqlite3.SQLITE_FULL:
        return StoreError(f"{what}: {message_of(error)}: {FREE_SPACE}", **data)
    if _unreadable(error) and remedy == "rebuild":
        return StoreError(f"{what}: {message_of(error)}: check the disk, then run `graphmem rebuild`", **data)
    return StoreError(f"{what}: {message_of(error)}", **data)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Context manager: commit what the block writes, or nothing if it raises. No other process writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _broken(error: sqlite3.Error) -> bool:
    return "decode to UTF-8" in str(error) or _code(error) in _BROKEN


def _unreadable(error: sqlite3.Error) -> bool:
    """Return whether reading failed: the file may be truncated or deleted."""
    return _code(error) == sqlite3.SQLITE_IOERR


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error, 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


class _Cursor(sqlite3.Cursor):
    """A cursor whose errors name the damaged file."""

    def execute(self, *arguments: Any) -> Self:
        with self._named():
            return super().execute(*arguments)

    def executemany(self, *arguments: Any) -> Self:
        with self._named():
            return super().executemany(*arguments)

    def fetchone(self) -> Any:
        with self._named():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        with self._named():
            return super().fetchall()

    def __iter__(self) -> Any:
        with self._named():
            while rows := self.fetchmany(_AT_ONCE):
                yield from rows

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise UsageError("a text contains a lone surrogate, which is not valid text") from error
        except sqlite3.Error as error:
            known = _broken(error) or _unreadable(error)
            if not known or not isinstance(self.connection, DerivedFileConnection) or not self.connection.name:
                raise
            file = Path(self.connection.name)
            raise as_store_error(error, f"{file.name} cannot be read", "rebuild", path=str(file)) from error


class DerivedFileConnection(sqlite3.Connection):
    """A connection to a file that a rebuild recreates: reading a damaged one raises StoreDamaged."""

    name = ""

    def execute(self, *arguments: Any) -> _Cursor:
        return self.cursor(_Cursor).execute(*arguments)

    def executemany(self, *arguments: Any) -> _Cursor:
        return self.cursor(_Cursor).executemany(*arguments)
