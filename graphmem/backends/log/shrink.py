"""Lets a database take less space and memory while it stays open but unused."""

from __future__ import annotations

import sqlite3


def shrink_database(db: sqlite3.Connection) -> None:
    """Write the write-ahead log to the file and truncate it, unless another process is using it; free cached pages."""
    (timeout_ms,) = db.execute("PRAGMA busy_timeout").fetchone()
    db.execute("PRAGMA busy_timeout = 0")
    try:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA shrink_memory")
    except sqlite3.OperationalError:  # a full disk, or a transaction: the file stays as large as it is
        pass
    finally:
        db.execute(f"PRAGMA busy_timeout = {timeout_ms}")
