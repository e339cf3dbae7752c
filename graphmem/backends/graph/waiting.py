"""Relations with missing ends. They are stored in the graph until the missing node exists, so that a replay in other
batches, or with derived nodes created later, gives the same graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from graphmem.model.changes import Changes, Edge, EdgeKey, Node

_KEY = "edge:"
End = tuple[str, str]  # label, id


class PendingEdges:
    """Relations whose end nodes do not exist yet, and their difference to those stored in the graph."""

    def __init__(self, rows: Iterable[Sequence[str]] = ()) -> None:
        """`rows` are (id, body) of the stored ones."""
        self._edges = {key: Edge(*json.loads(body)) for key, body in rows}
        self._new: dict[str, Edge] = {}
        self._gone: set[str] = set()

    def prune(self, changes: Changes) -> None:
        """Drop those affected by the removals."""
        if not self._edges:
            return
        nodes, keys = set(changes.removed_nodes), set(changes.removed_edges)
        for key, edge in list(self._edges.items()):
            exact = EdgeKey(*edge[:5])
            if _ends(edge) & nodes or exact in keys or exact._replace(target="") in keys:
                self._drop(key)

    def take_ready(self, nodes: Iterable[End]) -> list[Edge]:
        """Return those that one of these nodes may complete, and stop waiting for them."""
        if not self._edges:
            return []
        come = set(nodes)
        found = [key for key, edge in self._edges.items() if _ends(edge) & come]
        return [self._drop(key) for key in found]

    def add(self, edges: Iterable[Edge]) -> None:
        """Add relations; properties of earlier ones are kept unless set again."""
        for edge in edges:
            key = _KEY + json.dumps(edge[:5], ensure_ascii=False)
            known = self._edges.get(key)
            if known:
                edge = edge._replace(properties=known.properties | edge.properties)
            self._edges[key] = self._new[key] = edge
            self._gone.discard(key)

    def _drop(self, key: str) -> Edge:
        self._new.pop(key, None)
        self._gone.add(key)
        return self._edges.pop(key)

    def changes(self) -> tuple[list[str], list[Node]]:
        """Return (ids to remove, nodes to merge) that update the stored ones."""
        gone = sorted(self._gone)
        new = [
            Node("Cursor", key, {"body": json.dumps(edge, ensure_ascii=False, sort_keys=True)})
            for key, edge in self._new.items()
        ]
        self._gone.clear()
        self._new.clear()
        return gone, new


def _ends(edge: Edge) -> set[End]:
    return {(edge.source_label, edge.source), (edge.target_label, edge.target)}
