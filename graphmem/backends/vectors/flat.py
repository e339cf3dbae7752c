"""Exact nearest neighbours by brute force over float16 vectors: about 2 ms for 100,000 of 256 dimensions. The matrix
lies in a file beside the index, mapped into memory, so that a new process need not read it; the file is disposable."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphmem.backends.vectors.table import Mark, VectorTable
from graphmem.ports.text import ItemFilter

_SAVED = 2_000  # vectors beyond the file that are worth writing it anew
_HEADER = 256  # bytes


class FlatIndex:
    """VectorIndex over all vectors of one model. `mask` tells which rows a filter lets through. Thread-safe."""

    def __init__(self, path: Path, name: str, dimensions: int, mask: Callable[[ItemFilter], np.ndarray]) -> None:
        self._table = VectorTable(path, name, dimensions)
        self._file = path.with_name(f"vectors-{hashlib.sha256(name.encode()).hexdigest()[:12]}.f16")
        self._lock = threading.RLock()
        self._dimensions = dimensions
        self._mask = mask
        self._mark = Mark()
        self._rows = np.empty(0, np.int64)
        self._kept = np.empty((0, dimensions), np.float16)  # mapped from the file
        self._tail = np.empty((0, dimensions), np.float16)  # what came since, in memory
        self._places = np.full(1, -1, np.int32)  # row -> place in the matrix
        self._open()

    def refresh(self) -> int:
        with self._lock:
            mark = self._table.mark()
            if mark.epoch != self._mark.epoch:
                empty = np.empty((0, self._dimensions), np.float16)
                self._take(np.empty(0, np.int64), empty, empty, Mark(mark.epoch))
            if mark != self._mark:
                found = list(self._table.read(self._mark, mark))
                rows = np.concatenate((self._rows, *(part for part, _ in found)))
                tail = np.concatenate((self._tail, *(part for _, part in found)))
                self._take(rows, self._kept, tail, mark)
            if len(self._tail) > max(_SAVED, len(self._kept) // 10):
                self._save()
            return len(self._rows)

    def _take(self, rows: np.ndarray, kept: np.ndarray, tail: np.ndarray, mark: Mark) -> None:
        self._rows, self._kept, self._tail, self._mark = rows, kept, tail, mark
        self._places = np.full(int(rows.max(initial=0)) + 1, -1, np.int32)
        self._places[rows] = np.arange(len(rows), dtype=np.int32)

    def _open(self) -> None:
        """Map the file, if there is one that belongs to this index."""
        try:
            with self._file.open("rb") as file:
                header = json.loads(file.read(_HEADER))
            count, mark = header["count"], Mark(*header["mark"])
            if header["dimensions"] != self._dimensions or mark.epoch != self._table.mark().epoch:
                return
            rows = np.fromfile(self._file, np.int64, count, offset=_HEADER)
            matrix = np.memmap(self._file, np.float16, "r", _HEADER + 8 * count, (count, self._dimensions))
        except (OSError, ValueError, KeyError, TypeError):
            return
        self._take(rows, np.asarray(matrix), self._tail[:0], mark)

    def _save(self) -> None:
        """Write the file beside the old one and put it in its place. Where that fails the next process reads longer."""
        header = {"count": len(self._rows), "dimensions": self._dimensions, "mark": list(self._mark)}
        new = self._file.with_suffix(f".{os.getpid()}.new")
        try:
            with new.open("wb") as file:
                file.write(json.dumps(header).encode().ljust(_HEADER))
                file.write(self._rows.tobytes())
                file.write(np.ascontiguousarray(self._kept).data)
                file.write(np.ascontiguousarray(self._tail).data)
            new.chmod(0o600)
            new.replace(self._file)
        except OSError:
            new.unlink(missing_ok=True)
            return
        self._open()

    def search(self, vector: np.ndarray, limit: int, where: ItemFilter | None = None) -> list[tuple[int, float]]:
        with self._lock:
            if not len(self._rows):
                return []
            cosines = np.concatenate((_dot(self._kept, vector), _dot(self._tail, vector)))
            mask = self._mask(where or ItemFilter())
            there = self._rows < len(mask)
            there[there] = mask[self._rows[there]]
            places = np.flatnonzero(there)
            cosines = cosines[places]
            if len(places) > limit:
                best = np.argpartition(-cosines, limit - 1)[:limit]
                places, cosines = places[best], cosines[best]
            rows = self._rows[places]
            order = np.lexsort((rows, -cosines))
            return list(zip(rows[order].tolist(), cosines[order].tolist(), strict=True))

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        with self._lock:
            found = np.zeros((len(rows), self._dimensions), np.float32)
            wanted = np.asarray(rows)
            places = np.where(wanted < len(self._places), self._places[np.minimum(wanted, len(self._places) - 1)], -1)
            kept, late = (places >= 0) & (places < len(self._kept)), places >= len(self._kept)
            found[kept] = self._kept[places[kept]]
            found[late] = self._tail[places[late] - len(self._kept)]
            return found

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._table.close()


def _dot(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The product of a float16 matrix and a vector. numpy would convert the matrix first, at twenty times the cost."""
    if not len(matrix):
        return np.empty(0, np.float32)
    try:
        import numkong
    except ImportError:
        return np.concatenate([matrix[i : i + 8192].astype(np.float32) @ vector for i in range(0, len(matrix), 8192)])
    found: np.ndarray = np.asarray(numkong.cdist(vector.astype(np.float16)[None], matrix, metric="dot"))[0]
    return found.astype(np.float32)
