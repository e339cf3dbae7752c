"""Searchable nodes derived by passes: replaces those of the previous run by those of the current one; unchanged ones are
not rewritten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Node

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext


class DerivedNode(NamedTuple):
    """A node with its edges and, if searchable, its item."""

    node: Node
    edges: list[Edge]
    item: Item | None = None

    @property
    def digest(self) -> str:
        """Return a digest that changes with the content."""
        said = json.dumps([self.node, sorted(self.edges, key=str), self.item], sort_keys=True, default=str)
        return json.dumps({"memified": hashlib.sha256(said.encode()).hexdigest()[:20]})


def upsert_derived(context: RunContext, prefix: str, told: Sequence[DerivedNode]) -> None:
    """Make these the only nodes with ids that start with `prefix`."""
    known = {(label, node): digest for label, node, digest in context.query("concluded") if node.startswith(prefix)}
    wanted = {(each.node.label, each.node.id) for each in told}
    shown = {item for item in context.entries.ids if item.startswith(prefix)} if context.anew else set()
    changes = Changes(removed_nodes=sorted(known.keys() - wanted))
    changes.removed_items = sorted(({node for _, node in known} | shown) - {node for _, node in wanted})
    for each in told:
        label, node, properties = each.node
        if known.get((label, node)) == each.digest and not context.anew:
            continue
        if (label, node) in known:
            kinds = {(edge.type, edge.target_label) for edge in each.edges if edge.source == node}
            changes.removed_edges += [EdgeKey(kind, label, node, target) for kind, target in sorted(kinds)]
        changes.nodes.append(Node(label, node, properties | {"metadata": each.digest}))
        changes.edges += each.edges
        if each.item:
            changes.items.append(each.item)
    context.changes.append(changes)


def name_of(*parts: object) -> str:
    """Return a short id from identifying values."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:16]
