"""A write-behind graph: while the engine writes one batch, the next one is prepared. Order and errors are preserved;
reads wait for all preceding writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast

from graphmem.model.changes import Changes
from graphmem.ports.graph import GraphStore


class _Behind:
    """A graph whose `apply` returns when the preceding batch is written; `cursors` are those after all pending writes."""

    def __init__(self, graph: GraphStore, pool: ThreadPoolExecutor) -> None:
        self._graph = graph
        self._pool = pool
        self._cursors = graph.cursors()
        self._last: Future[None] | None = None

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        self.finish()
        self._cursors |= cursors
        self._last = self._pool.submit(self._graph.apply, changes, cursors)

    def cursors(self) -> dict[str, int]:
        return dict(self._cursors)

    def finish(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def __getattr__(self, name: str) -> Any:
        self.finish()
        return getattr(self._graph, name)


@contextmanager
def write_behind(graph: GraphStore) -> Iterator[GraphStore]:
    """Yield the graph with write-behind; at the end of the block everything is written. Raises the errors of the writes."""
    with ThreadPoolExecutor(1, "graphmem-graph") as pool:
        behind = _Behind(graph, pool)
        yield cast(GraphStore, behind)
        behind.finish()
