"""The record of a conclusion: a node with its edges and its item, and a digest that shows whether it changed."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

from graphmem.model.changes import Edge, Item, Node


class ConcludedNode(NamedTuple):
    """One concluded node. `learnt` is the clock of the source that completed its evidence: with less, it would not exist."""

    node: Node
    edges: list[Edge]
    item: Item
    learnt: int = 0

    def with_digest(self) -> ConcludedNode:
        """Return the same with its digest in the metadata of the node."""
        told = json.dumps([self.node, self.edges, self.item], sort_keys=True, default=str)
        metadata = json.dumps({"concluded": hashlib.sha256(told.encode()).hexdigest()[:20]})
        return self._replace(node=self.node._replace(properties=self.node.properties | {"metadata": metadata}))


def node_of(label: str, identifier: str, properties: dict[str, Any]) -> Node:
    """Return a node of a conclusion."""
    return Node(label, identifier, properties)
