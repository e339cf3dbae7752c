"""Whether a store has code: most owners ask, and few have to load what indexes it."""

from __future__ import annotations

from graphmem.context import StoreContext

TREE_INDEXED = "tree_indexed"  # the event of an indexed tree
CURSOR = "code:"  # the beginning of the cursors of trees in graph and full-text index


def has_code(context: StoreContext) -> bool:
    """Return whether a tree is in the log, or still in a projection."""
    return bool(context.log.state.last_position(TREE_INDEXED)) or any(
        name.startswith(CURSOR) for place in (context.text, context.graph) for name in place.cursors()
    )
