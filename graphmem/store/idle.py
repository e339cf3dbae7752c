"""Releases memory while the process is idle. Everything released is reopened on demand. Log, index and encoder stay open,
so searches are not delayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.store import Store

_UNUSED_S = 30.0  # seconds until a graph opened only for reading is closed


def release_memory(store: Store) -> None:
    """Release pipelines, the cached memory tree, the vector matrix and the open graph."""
    from graphmem.text.pipeline import release_pipeline
    from graphmem.tree.forest import forget_forest

    release_pipeline()
    forget_forest(store.log)
    if (vectors := store.__dict__.get("vectors")) is not None:
        vectors.rest()
    _graph(store).rest()


def is_idle(store: Store) -> bool:
    """Return whether the graph is open but no longer used."""
    return _graph(store).unused > _UNUSED_S


def _graph(store: Store) -> KuzuGraph:
    return cast("KuzuGraph", store.graph)
