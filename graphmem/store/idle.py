"""What a process gives up while it waits for the next turn, perhaps for hours: whatever comes back by itself when it is asked
for. A search asks for none of it, and the log, the index and the encoder stay as they are."""

from __future__ import annotations

from graphmem.ports.graph import OwnedGraph
from graphmem.ports.vectors import VectorIndex
from graphmem.projections.runner import Log
from graphmem.text.pipeline import release_pipeline
from graphmem.tree.forest import forget_forest

_UNUSED_S = 30.0  # after which a graph that was only looked at is closed again


def release_memory(log: Log, graph: OwnedGraph, vectors: VectorIndex | None) -> None:
    """Hold as little as one can: no pipeline, no folded tree, no matrix and no open graph."""
    release_pipeline()
    forget_forest(log)
    if vectors is not None:
        vectors.rest()
    graph.rest()


def is_idle(graph: OwnedGraph) -> bool:
    """Whether the graph is open though nobody asks it any more."""
    return graph.unused > _UNUSED_S
