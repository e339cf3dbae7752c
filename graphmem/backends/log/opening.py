"""Opens the log of a store, in its file or on a server."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from graphmem.backends.log.file_access import connect_arguments
from graphmem.backends.log.moving_log import forget_log
from graphmem.backends.log.postgresql import PostgresqlLog
from graphmem.backends.log.sql import SqlLog
from graphmem.backends.log.sqlite import ON_SERVER, SqliteLog
from graphmem.backends.log.sqlite_errors import translate_errors
from graphmem.errors import StoreError
from graphmem.ports.clock import Clock


def open_log(path: Path, clock: Clock, url: str) -> SqlLog:
    """Open the log of a store: the file at `path`, or with a `url` the one on that server. Raises StoreError if the file has
    events, although the log is said to be on a server: they would be lost from sight."""
    if not url:
        return SqliteLog(path, clock)
    if path.exists() and not is_on_server(path):
        log = SqliteLog(path, clock)
        try:
            if log.head():
                raise StoreError(
                    "the setting `log.url` names a PostgreSQL server, but this store has its log in log.db: `graphmem move --log"
                    " URL` moves it there, `graphmem config log.url default` keeps it here",
                    path=str(path),
                )
        finally:
            log.close()
        forget_log(path)
    return PostgresqlLog(url, path, clock)


def is_on_server(path: Path) -> bool:
    """Return whether the file of a store says that its log is on a server."""
    with (
        translate_errors(f"{path.name} cannot be opened", path=str(path)),
        closing(sqlite3.connect(**connect_arguments(path), timeout=30)) as db,
    ):
        return bool(db.execute("PRAGMA user_version").fetchone() == (ON_SERVER,))
