"""The property graph: applies changes in one transaction with their cursors, and answers Cypher."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from graphmem.errors import StoreError
from graphmem.model.changes import Changes


class Rows(NamedTuple):
    """A query result: column names, rows, and whether the row limit was reached."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class GraphStore(Protocol):
    """An embedded or remote graph. Not thread-safe unless stated otherwise."""

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        """Apply one batch and set these cursors, atomically."""
        ...

    def refine(self, names: Sequence[str]) -> None:
        """Run these queries of `queries/graph/write` in one transaction; they derive data from the graph's content."""
        ...

    def cursors(self) -> dict[str, int]:
        """Return the position of each projection; empty in a new graph."""
        ...

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        """Run trusted Cypher. `timeout` in seconds, 0 for none. Raises QueryTimeout; UsageError for invalid Cypher."""
        ...

    def query_untrusted(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float
    ) -> Rows:
        """Run untrusted Cypher in a process that can be killed. Raises QueryTimeout, QueryStopped if it needs too much
        memory or crashes the engine, UsageError for invalid Cypher. It is never sent twice."""
        ...

    def schema(self) -> dict[str, Any]:
        """Return `{"nodes": {label: {property: type}}, "relations": {type: {"pairs": [...], "properties": {...}}}}`."""
        ...

    def close(self) -> None:
        """Write everything and close the files."""
        ...


class OwnedGraph(GraphStore, Protocol):
    """A graph whose file this process has open: what the owner of a store needs besides."""

    refusal: StoreError | None  # why queries are not answered: the graph is not what the log says

    @property
    def reverted(self) -> bool:
        """Return whether what came after the last checkpoint was missing when it was opened."""
        ...

    @property
    def unused_s(self) -> float:
        """Return the seconds since the last read or write; 0 while the engine is closed."""
        ...

    def query_untrusted(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float,
        has_left: Callable[[], bool] = ...,
    ) -> Rows:
        """As of any graph; it ends, too, once `has_left` says that nobody waits for the answer any more."""
        ...

    def release_memory(self) -> None:
        """Release the memory of the engine until the next read or write."""
        ...

    def find_damage(self) -> str:
        """Return why the file cannot be used: missing, damaged or replaced; "" if it is as this process left it."""
        ...

    def adopt(self, fresh: GraphStore) -> None:
        """Take the place of another graph of this engine, which is closed by this. Queries wait meanwhile. Raises StoreError
        for a graph in memory, or of another engine."""
        ...
