"""Graph engines, opened by one function."""

from __future__ import annotations

from pathlib import Path

from graphmem.backends.graph.readers import ReadLimits
from graphmem.ports.graph import OwnedGraph
from graphmem.settings import Settings


def open_graph(file: Path | None, settings: Settings, *, buffer_mb: int = 0, frozen: bool = False) -> OwnedGraph:
    """Open the graph of a file, made where it is not there, with the engine that the settings name; without a file, a small
    one in memory. A `frozen` one is only read. `buffer_mb` is less memory than the settings allow. Raises StoreDamaged for
    a file that cannot be trusted, StoreBusy where another process has it open."""
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
