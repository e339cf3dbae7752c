"""File contents that no commit contains, stored with the log: without them, a rebuild of the code graph could not be
identical. The code reading the tree decides which contents to store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.sqlite_errors import translate_errors


class LogBlobs:
    """Blobs of a log; `transaction` is its transaction context manager."""

    def __init__(
        self,
        db: Connection,
        lock: threading.RLock,
        transaction: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._db = db
        self._lock = lock
        self._transaction = transaction

    def put(self, contents: Iterable[tuple[str, bytes]]) -> None:
        with self._transaction("the contents were not stored"):
            self._db.executemany("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", contents)

    def get(self, digest: str) -> bytes | None:
        with self._lock, translate_errors("the log cannot be read"):
            row = self._db.execute("SELECT body FROM blobs WHERE digest = ?", (digest,)).fetchone()
        return bytes(row[0]) if row else None
