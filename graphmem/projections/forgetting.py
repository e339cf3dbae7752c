"""Projects tombstones, which list the nodes and items to remove."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.model.changes import Changes
from graphmem.model.events import Event

# Nodes shared by many events: removed when nothing refers to them (see `prune` in the runner).
SHARED = frozenset({"Project", "Session", "File", "Person", "Entity", "Tag", "Category", "Symbol"})


def project_tombstone(event: Event) -> Changes:
    """Return the removal of what the tombstone lists."""
    return Changes(
        removed_nodes=[(label, node) for label, node in event.payload.get("nodes", ())],
        removed_items=list(event.payload.get("items", ())),
    )


def owned_nodes(changes: Iterable[Changes]) -> tuple[list[list[str]], list[str]]:
    """Return (nodes, items) that exist only because of these changes, for a tombstone."""
    nodes: dict[tuple[str, str], None] = {}
    items: dict[str, None] = {}
    for change in changes:
        nodes |= {(node.label, node.id): None for node in change.nodes if node.label not in SHARED}
        items |= {item.id: None for item in change.items}
    return [list(node) for node in nodes], list(items)
