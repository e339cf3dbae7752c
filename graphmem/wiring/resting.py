"""What a process gives back: after a large piece of work what that left behind, and while it waits for the next turn, perhaps
for hours, whatever comes back by itself when it is asked for. A search asks for none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.wiring import Store

_UNUSED_S = 30.0  # after which a graph that was only looked at is closed again


def lessen(store: Store) -> None:
    """Give back what a use case has freed."""
    from graphmem.backends.freed import give_back

    _graph(store).lessen()
    give_back()


def rest(store: Store) -> None:
    """Hold as little as one can: no pipeline, no folded tree, no matrix and no open graph."""
    from graphmem.language.pipeline import let_go
    from graphmem.tree.forest import forget_forest

    let_go()
    forget_forest(store.log)
    if (vectors := store.__dict__.get("vectors")) is not None:
        vectors.rest()
    _graph(store).rest()


def unneeded(store: Store) -> bool:
    """Whether the graph is open though nobody asks it any more."""
    return _graph(store).unused > _UNUSED_S


def _graph(store: Store) -> KuzuGraph:
    return cast("KuzuGraph", store.graph)
