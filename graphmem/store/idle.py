"""What a process gives up while it waits for the next turn, perhaps for hours: whatever comes back by itself when it is asked
for. A search asks for none of it, and the log, the index and the encoder stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.store import Store

_UNUSED_S = 30.0  # after which a graph that was only looked at is closed again


def release_memory(store: Store) -> None:
    """Hold as little as one can: no pipeline, no folded tree, no matrix and no open graph."""
    from graphmem.text.pipeline import release_pipeline
    from graphmem.tree.forest import forget_forest

    release_pipeline()
    forget_forest(store.log)
    if (vectors := store.__dict__.get("vectors")) is not None:
        vectors.rest()
    _graph(store).rest()


def is_idle(store: Store) -> bool:
    """Whether the graph is open though nobody asks it any more."""
    return _graph(store).unused > _UNUSED_S


def _graph(store: Store) -> KuzuGraph:
    return cast("KuzuGraph", store.graph)
