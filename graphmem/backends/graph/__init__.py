"""Graph engines, opened by one function."""

from __future__ import annotations

from pathlib import Path

from graphmem.backends.graph.readers import ReadLimits
from graphmem.ports.graph import OwnedGraph
from graphmem.settings import Settings


def open_graph(file: Path | None, settings: Settings, *, buffer_mb: int = 0, frozen: bool = False) -> OwnedGraph:
    """Open the graph in a file with the configured engine, and create the file if it does not exist; without a file,
    open a small in-memory graph. A `frozen` graph is read-only. `buffer_mb` overrides the configured memory limit.
    Raises StoreDamaged for an invalid file, StoreBusy if another process has it open."""
    from graphmem.backends.graph.kuzu import KuzuGraph

    chosen = settings.graph
    return KuzuGraph(
        file,
        buffer_pool_mb=buffer_mb or chosen.buffer_pool_mb,
        threads=2 if file else 1,
        own=settings.types,
        frozen=frozen,
        reading=ReadLimits(chosen.query_memory_mb, chosen.query_result_mb),
    )
