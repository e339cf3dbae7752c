"""Contents of files that no commit holds, in the log's own file: without them a rebuild of the code graph could not be
identical. Which contents are worth keeping is decided by who reads the tree."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager


class LogBlobs:
    """Blobs over the file of a log; `transaction` is how that file is written."""

    def __init__(
        self,
        db: sqlite3.Connection,
        lock: threading.RLock,
        transaction: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._db = db
        self._lock = lock
        self._transaction = transaction

    def put(self, contents: Iterable[tuple[str, bytes]]) -> None:
        with self._transaction("the contents were not stored"):
            self._db.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?)", contents)

    def get(self, digest: str) -> bytes | None:
        with self._lock:
            row = self._db.execute("SELECT body FROM blobs WHERE digest = ?", (digest,)).fetchone()
        return bytes(row[0]) if row else None
