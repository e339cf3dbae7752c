"""Releases memory while the process is idle. Everything released is reopened on demand. Log, index and encoder stay open,
so searches are not delayed."""

from __future__ import annotations

import functools
import gc

from graphmem.ports.graph import OwnedGraph
from graphmem.ports.vectors import VectorIndex
from graphmem.projections.runner import Log
from graphmem.text.pipeline import release_pipeline
from graphmem.tree.forest import forget_forest

_MANY = 200  # results in the cache of a function from which it is emptied
_UNUSED_S = 30.0  # seconds until a graph opened only for reading is closed


def release_memory(log: Log, graph: OwnedGraph, vectors: VectorIndex | None) -> None:
    """Release pipelines, the cached memory tree, the vector matrix, cached results of functions and the open graph."""
    release_pipeline()
    forget_forest(log)
    if vectors is not None:
        vectors.release_memory()
    graph.release_memory()
    for cached in gc.get_objects():
        if type(cached) is functools._lru_cache_wrapper and cached.cache_info().currsize > _MANY:
            cached.cache_clear()


def is_graph_unused(graph: OwnedGraph) -> bool:
    """Return whether the graph is open but no longer used."""
    return graph.unused_s > _UNUSED_S
