"""Items as columns, and the priors that memify stores: six bytes per row in one value of `index.db`, so that any process
reads a million in milliseconds. Shares connection and lock with the index."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

import numpy as np

from graphmem.backends.text.statements import placeholders, split_parameters
from graphmem.ports.entries import COLUMNS, Entries, Priors

NAME, VERSION = "priors", "priors_version"  # in the table `meta`
_ALL = "SELECT row, id, kind, project, at, event FROM items JOIN contents USING (row) WHERE NOT parent ORDER BY row"
_EVENT = "S24"


def read_priors(db: sqlite3.Connection) -> Priors:
    """Return the last saved priors."""
    found = db.execute("SELECT value FROM meta WHERE name = ?", (NAME,)).fetchone()
    if found is None:
        return Priors.empty(0)
    return Priors(*np.frombuffer(found[0], np.uint8).reshape(len(COLUMNS), -1))


class ItemColumns:
    """EntryTable, over the connection and lock of its index."""

    def __init__(
        self,
        db: sqlite3.Connection,
        lock: threading.RLock,
        transaction: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._db = db
        self._lock = lock
        self._transaction = transaction

    def entries(self) -> Entries:
        with self._lock:
            names = dict(self._db.execute("SELECT name, number FROM names"))
            count = self._db.execute("SELECT count(*) FROM items WHERE NOT parent").fetchone()[0]
            numbers = np.zeros((4, count), np.int64)
            events = np.zeros(count, _EVENT)
            ids: list[str] = []
            cursor, at = self._db.execute(_ALL), 0
            while page := cursor.fetchmany(20_000):
                rows, names_of, kinds, projects, times, sources = zip(*page, strict=True)
                end = at + len(page)
                numbers[:, at:end] = rows, kinds, projects, times
                events[at:end] = [source if len(source) == 24 and source.isascii() else "" for source in sources]
                ids += names_of
                at = end
        row, kind, project, when = numbers
        return Entries(row, ids, kind.astype(np.int32), project.astype(np.int32), when, events, names)

    def priors(self) -> Priors:
        with self._lock:
            return read_priors(self._db)

    def keep(self, priors: Priors, cursors: Mapping[str, int]) -> None:
        body = np.stack([getattr(priors, name) for name in COLUMNS]).tobytes()
        with self._lock, self._transaction():
            self._db.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (NAME, body)
            )
            self._db.execute("INSERT INTO meta VALUES (?, 1) ON CONFLICT DO UPDATE SET value = value + 1", (VERSION,))
            self._db.executemany(
                "INSERT INTO cursors VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position",
                cursors.items(),
            )

    def texts(self, rows: Sequence[int]) -> Iterator[tuple[int, str, str]]:
        for part in split_parameters(rows):
            with self._lock:
                found = self._db.execute(
                    f"SELECT row, title, text FROM contents WHERE row IN ({placeholders(part)})", part
                ).fetchall()
            yield from found
