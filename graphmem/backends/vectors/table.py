"""Reads the vectors of one model from `index.db` incrementally. Vectors are keyed by content, so one vector can belong to
several rows, and a new row may find its vector already there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.backends.text.fts5 import open_index
from graphmem.backends.vectors import vector_cache_files

_ROWS_PER_READ = 100_000  # rows per read: all vectors of a large store are too many for one query
_PATIENCE_MS = 200  # seconds that a search waits at most to write a file
_LATER = (
    "SELECT i.row, v.vector FROM vectors v JOIN models m ON m.number = v.model JOIN items i USING (digest)"
    " WHERE m.name = :name AND v.number > :number AND v.number <= :last AND i.row <= :upto"
    " UNION ALL "
    "SELECT i.row, v.vector FROM items i JOIN models m JOIN vectors v ON v.model = m.number"
    " AND v.digest = i.digest WHERE m.name = :name AND v.number <= :number AND i.row > :row AND i.row <= :upto"
    " ORDER BY 1"
)
_RANGE = (
    "SELECT i.row, v.vector FROM items i JOIN models m JOIN vectors v ON v.model = m.number AND v.digest = i.digest"
    " WHERE m.name = :name AND i.row > :low AND i.row <= :high AND v.number <= :last"
    " AND NOT (v.number <= :number AND i.row <= :row) ORDER BY 1"
)
_OWNER = "JOIN contents c ON c.row = CASE i.parent WHEN 0 THEN i.row ELSE i.parent END"  # of a passage: its item
_WAITING = (
    f"SELECT DISTINCT event FROM jobs j JOIN items i USING (row) {_OWNER}"
    " WHERE model = (SELECT number FROM models WHERE name = :name)"
    " AND status = :status ORDER BY j.number LIMIT :limit"
)
_UNKNOWN = "SELECT event FROM items JOIN contents USING (row) WHERE embed AND NOT parent ORDER BY row LIMIT ?"


class ReadPosition(NamedTuple):
    """Position of a reader: how often the index was emptied, the last vector and the last row."""

    epoch: int = 0
    number: int = 0
    row: int = 0


class VectorTable:
    """Vectors by item row."""

    def __init__(self, path: Path, name: str, dimensions: int) -> None:
        self._db = open_index(path)
        self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        self._name = name
        self._dimensions = dimensions

    def mark(self) -> ReadPosition:
        """Return the position up to which there is data."""
        return ReadPosition(
            *self._db.execute(
                "SELECT coalesce((SELECT value FROM meta WHERE name = 'epoch'), 0),"
                " coalesce((SELECT max(number) FROM vectors), 0), coalesce((SELECT max(row) FROM items), 0)"
            ).fetchone()
        )

    def read(self, after: ReadPosition, upto: ReadPosition) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (rows, float16 matrix) of the vectors between two positions, ordered by row; large ranges in parts."""
        values: dict[str, int | str] = {
            "name": self._name,
            "number": after.number,
            "row": after.row,
            "last": upto.number,
            "upto": upto.row,
        }
        if max(upto.number - after.number, upto.row - after.row) <= _ROWS_PER_READ:
            yield self._arrays(_LATER, values)
            return
        for low in range(0, upto.row, _ROWS_PER_READ):
            yield self._arrays(_RANGE, {**values, "low": low, "high": min(low + _ROWS_PER_READ, upto.row)})

    def _arrays(self, query: str, values: dict[str, int | str]) -> tuple[np.ndarray, np.ndarray]:
        found = self._db.execute(query, values).fetchall()
        rows = np.fromiter((row for row, _ in found), np.int64, len(found))
        return rows, np.frombuffer(b"".join(vector for _, vector in found), np.float16).reshape(-1, self._dimensions)

    def waiting(self, limit: int) -> list[str]:
        """Return the events of items not yet encoded by this model, oldest first, at most this many."""
        if not self._db.execute("SELECT 1 FROM models WHERE name = ?", (self._name,)).fetchone():
            return [event for (event,) in self._db.execute(_UNKNOWN, (limit,))]
        found: list[str] = []
        for status in ("processing", "pending"):
            values = {"name": self._name, "status": status, "limit": limit - len(found)}
            found += [event for (event,) in self._db.execute(_WAITING, values)]
        return found

    def write(self, file: Path, fill: Callable[[Path], None]) -> bool:
        """Write a file that copies this data; return False if that is not possible now."""
        return vector_cache_files.write_checked(self._db, file, fill)

    def whole(self, file: Path) -> bool:
        """Return whether a file is such a copy of this index."""
        return vector_cache_files.is_unchanged(self._db, file)

    def close(self) -> None:
        """Close the file."""
        self._db.close()
