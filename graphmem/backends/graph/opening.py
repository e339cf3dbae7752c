"""Opens a graph of any engine."""

from __future__ import annotations

from pathlib import Path

from graphmem.backends.graph.bolt import BoltGraph
from graphmem.backends.graph.engines import ENGINES, engine_of_new_stores
from graphmem.backends.graph.readers import ReadLimits
from graphmem.backends.graph.schema import schema_digest
from graphmem.backends.graph.sqlite.graph import SqliteGraph
from graphmem.ports.graph import OwnedGraph
from graphmem.settings import Settings


def open_graph(
    file: Path | None,
    settings: Settings,
    *,
    engine: str = "",
    buffer_mb: int = 0,
    frozen: bool = False,
    store_id: str = "",
) -> OwnedGraph:
    """Open the graph in a file with an engine, by default the configured one, and create the file if it does not exist;
    without a file, open a small in-memory graph. A `frozen` graph is read-only. `buffer_mb` overrides the configured
    memory limit. The graph of the engine `bolt` is in the database of the setting `graph.url`, marked with `store_id`; without a
    file, it keeps nothing. Raises StoreDamaged for an invalid file, StoreBusy if another process has it open, NotInstalled or
    StoreError if the engine cannot be loaded."""
    chosen = settings.graph
    named = engine or engine_of_new_stores(chosen.engine)
    if not ENGINES[named].is_embedded:
        owner = (store_id, schema_digest(settings.types))
        return BoltGraph(chosen.url, owner, own=settings.types, dry=file is None, frozen=frozen)
    if not ENGINES[named].is_native:
        return SqliteGraph(file, own=settings.types, frozen=frozen, result_mb=chosen.query_result_mb)
    from graphmem.backends.graph.embedded import EmbeddedGraph  # it needs Arrow

    return EmbeddedGraph(
        file,
        engine=named,
        buffer_pool_mb=buffer_mb or chosen.buffer_pool_mb,
        threads=2 if file else 1,
        own=settings.types,
        frozen=frozen,
        reading=ReadLimits(chosen.query_memory_mb, chosen.query_result_mb),
    )
