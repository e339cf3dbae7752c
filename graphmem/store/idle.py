"""Releases memory while the process is idle. Everything released is reopened on demand. Log, index and encoder stay open,
so searches are not delayed."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator

from graphmem.backends.freed import share_heaps
from graphmem.ports.graph import OwnedGraph
from graphmem.ports.vectors import VectorIndex
from graphmem.projections.runner import Log
from graphmem.text.pipeline import release_pipeline
from graphmem.tree.forest import forget_forest

_MAX_CACHED_RESULTS = 200  # results in the cache of a function from which it is emptied
_UNUSED_S = 30.0  # seconds until a graph opened only for reading is closed


def release_memory(log: Log, graph: OwnedGraph, vectors: VectorIndex | None) -> None:
    """Release pipelines, the cached memory tree, the vector matrix, cached results of functions and the open graph."""
    release_pipeline()
    forget_forest(log)
    if vectors is not None:
        vectors.release_memory()
    graph.release_memory()
    clear_function_caches()


def limit_heaps() -> None:
    """Make the threads of this process share heaps, so that each does not keep free memory of its own."""
    share_heaps()


def clear_function_caches() -> None:
    """Empty the large caches of the package's functions and methods."""
    for cached in _cached_functions():
        if cached.cache_info().currsize > _MAX_CACHED_RESULTS:
            cached.cache_clear()


def _cached_functions() -> Iterator[functools._lru_cache_wrapper[object]]:
    """Yield all functions of the loaded modules that have a cache. They are not looked for with `gc.get_objects`: that refers
    to the tuples that other threads are building, which then fail."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "graphmem":
            for value in list(vars(module).values()):
                inner = list(vars(value).values()) if isinstance(value, type) and value.__module__ == name else ()
                for each in (value, *inner):
                    if isinstance(each, functools._lru_cache_wrapper):
                        yield each


def is_graph_unused(graph: OwnedGraph) -> bool:
    """Return whether the graph is open but no longer used."""
    return graph.unused_s > _UNUSED_S
