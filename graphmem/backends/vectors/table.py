"""Reads the vectors of one model out of `index.db`, a part at a time: what came after what the reader has. Vectors are
keyed by content, so one vector can belong to several rows, and a new row can find its vector already there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.backends.text.fts5 import open_index


class Mark(NamedTuple):
    """How far a reader got: the times the index was emptied, the last vector and the last row."""

    epoch: int = 0
    number: int = 0
    row: int = 0


class VectorTable:
    """Vectors by item row."""

    def __init__(self, path: Path, name: str, dimensions: int) -> None:
        self._db = open_index(path)
        self._name = name
        self._dimensions = dimensions

    def mark(self) -> Mark:
        """How far there is something to read."""
        return Mark(
            *self._db.execute(
                "SELECT coalesce((SELECT value FROM meta WHERE name = 'epoch'), 0),"
                " coalesce((SELECT max(number) FROM vectors), 0), coalesce((SELECT max(row) FROM items), 0)"
            ).fetchone()
        )

    def read(self, after: Mark, upto: Mark) -> tuple[np.ndarray, np.ndarray]:
        """(rows, float16 matrix) of the vectors that came between two marks, in the order of their rows."""
        found = self._db.execute(
            "SELECT i.row, v.vector FROM vectors v JOIN models m ON m.number = v.model JOIN items i USING (digest)"
            " WHERE m.name = :name AND v.number > :number AND v.number <= :last AND i.row <= :upto"
            " UNION ALL "
            "SELECT i.row, v.vector FROM items i JOIN models m JOIN vectors v ON v.model = m.number"
            " AND v.digest = i.digest WHERE m.name = :name AND v.number <= :number AND i.row > :row AND i.row <= :upto"
            " ORDER BY 1",
            {"name": self._name, "number": after.number, "row": after.row, "last": upto.number, "upto": upto.row},
        ).fetchall()
        rows = np.fromiter((row for row, _ in found), np.int64, len(found))
        matrix = np.frombuffer(b"".join(vector for _, vector in found), np.float16).reshape(-1, self._dimensions)
        return rows, matrix

    def close(self) -> None:
        """Release the file."""
        self._db.close()
