"""Exact nearest neighbours by brute force over float16 vectors: about 2 ms for 100,000 vectors of 256 dimensions. The
matrix is in a memory-mapped file next to the index, so that a new process need not read it; the file is disposable."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphmem.backends.vectors import matrix_file
from graphmem.backends.vectors.table import ReadPosition, VectorTable
from graphmem.ports.text import ItemFilter

_SAVED = 2_000  # new vectors from which the file is rewritten
_BLOCK = 64
_WIDE, _MANY = 8_192, 512  # matrix vectors, and queries, per matrix product
_NONE = 10.0  # lower than any cosine


class FlatIndex:
    """VectorIndex over all vectors of one model. `mask` returns which rows pass a filter. Thread-safe."""

    def __init__(self, path: Path, name: str, dimensions: int, mask: Callable[[ItemFilter], np.ndarray]) -> None:
        self._table = VectorTable(path, name, dimensions)
        self._file = path.with_name(f"vectors-{hashlib.sha256(name.encode()).hexdigest()[:12]}.f16")
        self._lock = threading.RLock()
        self._dimensions = dimensions
        self._mask = mask
        self._mark = ReadPosition()
        self._rows = np.empty(0, np.int64)
        self._kept = np.empty((0, dimensions), np.float16)  # mapped from the file
        self._tail = np.empty((0, dimensions), np.float16)  # later vectors, in memory
        self._places = np.full(1, -1, np.int32)  # row -> position in the matrix
        self._asked: tuple[bytes, ReadPosition] = b"", self._mark
        self._found = np.empty(0, np.float32)
        self._open()

    def refresh(self) -> int:
        with self._lock:
            mark = self._table.mark()
            if mark.epoch != self._mark.epoch:
                empty = np.empty((0, self._dimensions), np.float16)
                self._take(np.empty(0, np.int64), empty, empty, ReadPosition(mark.epoch))
            if mark != self._mark:
                found = list(self._table.read(self._mark, mark))
                rows = np.concatenate((self._rows, *(part for part, _ in found)))
                tail = np.concatenate((self._tail, *(part for _, part in found)))
                self._take(rows, self._kept, tail, mark)
            if self._damaged or len(self._tail) > max(_SAVED, len(self._kept) // 10):
                self._save()
            return len(self._rows)

    def _take(self, rows: np.ndarray, kept: np.ndarray, tail: np.ndarray, mark: ReadPosition) -> None:
        self._rows, self._kept, self._tail, self._mark = rows, kept, tail, mark
        self._places = np.full(int(rows.max(initial=0)) + 1, -1, np.int32)
        self._places[rows] = np.arange(len(rows), dtype=np.int32)

    def _open(self) -> None:
        """Map the file, if there is a valid one for this index. A damaged one is ignored and rewritten."""
        whole = self._table.whole(self._file)
        self._damaged = not whole and self._file.exists()
        if not whole:
            return
        found = matrix_file.map_matrix(self._file)
        if found.matrix.shape[1] != self._dimensions or found.position.epoch != self._table.mark().epoch:
            return
        self._take(found.rows, found.matrix, self._tail[:0], found.position)

    def _save(self) -> None:
        """Write the file. On failure the next process needs longer to read."""
        parts = self._kept, self._tail
        if self._table.write(
            self._file, lambda file: matrix_file.write_matrix(file, self._rows, parts, self._mark, self._dimensions)
        ):
            self._open()

    def search(self, vector: np.ndarray, limit: int, where: ItemFilter | None = None) -> list[tuple[int, float]]:
        with self._lock:
            if not len(self._rows):
                return []
            cosines = np.where(self._let_through(where), self._cosines(vector), -np.inf)
            places = np.flatnonzero(cosines >= max(_least(cosines, limit), -_NONE))
            rows, cosines = self._rows[places], cosines[places]
            order = np.lexsort((rows, -cosines))[:limit]
            return list(zip(rows[order].tolist(), cosines[order].tolist(), strict=True))

    def search_many(
        self, vectors: np.ndarray, limit: int, where: ItemFilter | None = None
    ) -> list[list[tuple[int, float]]]:
        with self._lock:
            rows = self._rows[self._let_through(where)]
            best = np.full((len(vectors), limit), -np.inf, np.float32)
            found = np.full((len(vectors), limit), -1, np.int64)
            for some in np.split(rows, range(_WIDE, len(rows), _WIDE)):
                matrix = self.vectors(some).T
                for at in range(0, len(vectors), _MANY):
                    asked = slice(at, at + _MANY)
                    cosines = np.hstack((best[asked], vectors[asked] @ matrix))
                    among = np.hstack((found[asked], np.broadcast_to(some, (len(cosines), len(some)))))
                    first = np.argpartition(-cosines, limit - 1, axis=1)[:, :limit]
                    best[asked] = np.take_along_axis(cosines, first, axis=1)
                    found[asked] = np.take_along_axis(among, first, axis=1)
            order = np.lexsort((found, -best))
            best, found = np.take_along_axis(best, order, axis=1), np.take_along_axis(found, order, axis=1)
            pairs = (zip(*lists, strict=True) for lists in zip(found.tolist(), best.tolist(), strict=True))
            return [[(row, cosine) for row, cosine in one if row >= 0] for one in pairs]

    def _let_through(self, where: ItemFilter | None) -> np.ndarray:
        """Return which vectors belong to items that pass the filter."""
        mask = self._mask(where or ItemFilter())
        there: np.ndarray = self._rows < len(mask)
        there[there] = mask[self._rows[there]]
        return there

    def _cosines(self, vector: np.ndarray) -> np.ndarray:
        """Return the cosine with every vector; cached for the next search, which often differs only in kinds."""
        asked = vector.tobytes(), self._mark
        if asked != self._asked:
            self._asked, self._found = asked, np.concatenate((_dot(self._kept, vector), _dot(self._tail, vector)))
        return self._found

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        with self._lock:
            found = np.zeros((len(rows), self._dimensions), np.float32)
            wanted = np.asarray(rows)
            places = np.where(wanted < len(self._places), self._places[np.minimum(wanted, len(self._places) - 1)], -1)
            kept, late = (places >= 0) & (places < len(self._kept)), places >= len(self._kept)
            found[kept] = self._kept[places[kept]]
            found[late] = self._tail[places[late] - len(self._kept)]
            return found

    def waiting(self, limit: int) -> list[str]:
        with self._lock:
            return self._table.waiting(limit)

    def release_memory(self) -> None:
        """Release the pages of the file by mapping it again."""
        with self._lock:
            self._asked, self._found = (b"", self._mark), np.empty(0, np.float32)
            if len(self._kept) and self._table.whole(self._file):
                found = matrix_file.map_matrix(self._file)
                if np.array_equal(
                    found.rows, self._rows[: len(self._kept)]
                ):  # otherwise another process wrote it meanwhile
                    self._kept = found.matrix

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._table.close()


def _least(cosines: np.ndarray, limit: int) -> float:
    """Return a cosine that at least `limit` vectors reach, and not many more: only the best of each block are considered."""
    blocks = len(cosines) // _BLOCK
    if blocks <= limit:
        return -np.inf
    best = cosines[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(best, -limit)[-limit])


def _dot(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return the product of a float16 matrix and a vector. numpy would convert the matrix first, at twenty times the
    cost."""
    if not len(matrix):
        return np.empty(0, np.float32)
    try:
        import numkong
    except ImportError:
        return np.concatenate([matrix[i : i + 8192].astype(np.float32) @ vector for i in range(0, len(matrix), 8192)])
    found: np.ndarray = np.asarray(numkong.cdist(vector.astype(np.float16)[None], matrix, metric="dot"))[0]
    return found.astype(np.float32)
