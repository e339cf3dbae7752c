"""Approximate nearest neighbours for stores too large to scan: an HNSW graph (usearch) besides the exact matrix. `build`
takes about half a minute per 100,000 new vectors; later vectors are scanned. Disposable."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.backends.vectors.flat import FlatIndex
from graphmem.ports.text import ItemFilter

WORTH_IT = 150_000  # vectors from which the graph is worthwhile
_STALE = 0.1  # share of vectors outside of the graph from which it is rebuilt
_EXPANSION = 128  # recall@10 of .97 at 100,000 (f16)
_ADDED = 50_000  # vectors per call
_ALONE = 1_000  # the first vectors are added sequentially: threads do not see each other's, and few others exist
_OVERSAMPLE = 3  # factor over the limit, for results lost to filters and removals


class UsearchIndex(FlatIndex):
    """VectorIndex that scans until a graph exists, or always where usearch is not installed (requirements-core.txt)."""

    worth_it = WORTH_IT

    def __init__(
        self,
        path: Path,
        name: str,
        dimensions: int,
        mask: Callable[[ItemFilter], np.ndarray],
        worth_it: int = 0,
    ) -> None:
        self._graph: Any = None
        self._reached = 0  # number of vectors in the graph
        self.worth_it = worth_it or self.worth_it
        super().__init__(path, name, dimensions, mask)
        self._epoch = self._table.mark().epoch
        self._view()

    def build(self) -> bool:
        """Build the graph, or add later vectors if there are enough; return whether it did."""
        with self._lock:
            count = self.refresh()
            if count < self.worth_it or count - self._reached <= _STALE * count or not _is_installed():
                return False
            graph = self._empty()
            if self._reached:
                graph.load(str(self._graph_file))
            begun = min(max(self._reached, _ALONE), count)
            for start, end, threads in ((self._reached, begun, 1), (begun, count, 0)):
                for rows in np.split(self._rows[start:end], range(_ADDED, end - start, _ADDED)):
                    graph.add(rows, self.vectors(rows).astype(np.float16), copy=True, threads=threads)
            if self._table.write(self._graph_file, lambda file: graph.save(str(file))):
                self._view()
            return True

    def _empty(self) -> Any:
        from usearch.index import Index

        return Index(
            ndim=self._dimensions, metric="ip", dtype="f16", expansion_add=_EXPANSION, expansion_search=_EXPANSION
        )

    @property
    def _graph_file(self) -> Path:
        """Return the graph's file; after the index was emptied, rows have another meaning, so the name changes."""
        return self._file.with_suffix(f".{self._epoch}.usearch")

    def _view(self) -> None:
        """Map the graph's file, if it matches these vectors."""
        self._graph, self._reached = None, 0
        if not self._table.whole(self._graph_file) or not _is_installed():
            return
        try:
            graph = self._empty()
            graph.view(str(self._graph_file))
        except (RuntimeError, ValueError, OSError):
            return
        if 0 < len(graph) <= len(self._rows):  # it may be of another process with more vectors: then scan
            self._graph, self._reached = graph, len(graph)

    def release_memory(self) -> None:
        with self._lock:
            super().release_memory()
            self._view()

    def refresh(self) -> int:
        with self._lock:
            count = super().refresh()
            if self._mark.epoch != self._epoch:
                self._graph_file.unlink(missing_ok=True)
                self._epoch = self._mark.epoch
                self._view()
            return count

    def search(self, vector: np.ndarray, limit: int, where: ItemFilter | None = None) -> list[tuple[int, float]]:
        with self._lock:
            if self._graph is None:
                return super().search(vector, limit, where)
            near = self._graph.search(vector.astype(np.float16), _OVERSAMPLE * limit)
            rows = np.concatenate((near.keys.astype(np.int64), self._rows[self._reached :]))
            mask = self._mask(where or ItemFilter())
            rows = rows[rows < len(mask)]
            rows = np.fromiter(dict.fromkeys(rows[mask[rows]].tolist()), np.int64)
            if len(rows) < limit:  # a narrow filter: the graph found too few matching vectors
                return super().search(vector, limit, where)
            cosines = self.vectors(rows) @ vector
            order = np.lexsort((rows, -cosines))[:limit]
            return list(zip(rows[order].tolist(), cosines[order].tolist(), strict=True))


@cache
def _is_installed() -> bool:
    return importlib.util.find_spec("usearch") is not None
