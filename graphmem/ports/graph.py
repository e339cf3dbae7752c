"""The property graph: applies changes in one transaction with the cursor that they bring it to, and answers Cypher."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from graphmem.errors import StoreError
from graphmem.model.changes import Changes


class Rows(NamedTuple):
    """Answer of a query: names of the columns, rows, and whether the row limit cut it."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class GraphStore(Protocol):
    """One embedded or remote graph. Not safe for use by several threads at once unless it says so."""

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        """Apply one batch and set these cursors, all or nothing."""
        ...

    def refine(self, names: Sequence[str]) -> None:
        """Run these queries of `queries/graph/write` in one transaction: they conclude from what is there."""
        ...

    def cursors(self) -> dict[str, int]:
        """How far each projection got; empty in a new graph."""
        ...

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        """Run trusted Cypher. `timeout` in seconds, 0 for none; raises QueryTimeout, UsageError for bad Cypher."""
        ...

    def query_untrusted(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float
    ) -> Rows:
        """Run Cypher from outside where it can be killed. Raises QueryTimeout, QueryStopped where it takes too much memory
        or breaks the engine, UsageError for bad Cypher. It is never sent twice."""
        ...

    def schema(self) -> dict[str, Any]:
        """`{"nodes": {label: {property: type}}, "relations": {type: {"pairs": [...], "properties": {...}}}}`."""
        ...

    def close(self) -> None:
        """Write everything and release the files."""
        ...


class OwnedGraph(GraphStore, Protocol):
    """A graph whose file this process has open: what the owner of a store needs besides."""

    refusal: StoreError | None  # why queries are not answered: the graph is not what the log says

    @property
    def reverted(self) -> bool:
        """Whether what came after the last checkpoint was missing when it was opened."""
        ...

    @property
    def unused(self) -> float:
        """Seconds since somebody asked something, or wrote; 0 where the engine rests."""
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

    def rest(self) -> None:
        """Give back the memory of the engine until somebody asks or writes."""
        ...

    def lost(self) -> str:
        """Why its file cannot be gone on with; "" where it is as it was left."""
        ...

    def adopt(self, fresh: GraphStore) -> None:
        """Take the place of another graph of this engine, which is closed by this. Queries wait meanwhile. Raises StoreError
        for a graph in memory, or of another engine."""
        ...
