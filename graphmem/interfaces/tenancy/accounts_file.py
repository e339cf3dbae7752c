"""The SQLite file with the accounts of a shared server: its tables, and access by threads that take turns. Requests are checked on
a connection of their own, so that they do not wait until the audit log is on disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphmem.errors import NotFound, StoreError, message_of

FILE = "accounts.db"
_BUSY_S = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS accounts (
    name TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, created REAL NOT NULL, disabled REAL, removed REAL,
    subject TEXT UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS projects (name TEXT PRIMARY KEY, created REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS grants (
    account TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE, project TEXT NOT NULL, right INTEGER NOT NULL,
    PRIMARY KEY (account, project)
) STRICT;
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE, name TEXT NOT NULL,
    sha256 TEXT NOT NULL UNIQUE, right INTEGER NOT NULL, projects TEXT, created REAL NOT NULL, expires REAL, revoked REAL,
    used REAL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS token_names ON tokens (account, name) WHERE revoked IS NULL;
CREATE TABLE IF NOT EXISTS usage (
    account TEXT NOT NULL, project TEXT NOT NULL, events INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (account, project)
) STRICT;
CREATE TABLE IF NOT EXISTS audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, account TEXT NOT NULL, token TEXT NOT NULL, address TEXT NOT NULL,
    project TEXT NOT NULL, store TEXT NOT NULL, action TEXT NOT NULL, outcome TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS audit_of_project ON audit (project, id);
CREATE TRIGGER IF NOT EXISTS audit_is_kept BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is only appended to');
END;
CREATE TRIGGER IF NOT EXISTS audit_is_true BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is only appended to');
END;
"""


def require_server(home: Path) -> None:
    """Raise NotFound if a folder is not that of a shared server: a mistyped one must not become another server."""
    if not (home / FILE).exists():
        raise NotFound(
            f"there is no shared server in {home}: correct the folder, or create the server with its first account:"
            f" `graphmem users add NAME --project PROJECT --home {home}`",
            path=str(home),
        )


class AccountsFile:
    """The open file. Created with its folder if it is missing. Raises StoreError."""

    def __init__(self, home: Path) -> None:
        self._writing, self._reading = threading.RLock(), threading.Lock()
        try:
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = home / FILE
            file.touch(0o600)
            file.chmod(0o600)
            self._db, self._reader = (
                sqlite3.connect(file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False) for _ in range(2)
            )
            for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.execute("PRAGMA recursive_triggers=ON")  # otherwise REPLACE passes the triggers of the audit log
            self._db.executescript(_SCHEMA)
            self._reader.row_factory = sqlite3.Row
            self._reader.execute("PRAGMA query_only=ON")
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the accounts in {home} cannot be opened: {message_of(error)}", path=str(home)) from error

    def rows(self, sql: str, given: Sequence[Any] | Mapping[str, Any] = ()) -> Sequence[sqlite3.Row]:
        """Return the rows of a query on what was committed. Raises StoreError."""
        with self._reading, _translated():
            return self._reader.execute(sql, given).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Context manager: a transaction. Raises StoreError, sqlite3.IntegrityError."""
        with self._writing, _translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._writing, self._reading:
            self._reader.close()
            self._db.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        raise StoreError(f"the accounts of the server cannot be used: {message_of(error)}") from error
