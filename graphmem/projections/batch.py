"""Combines many changes into one batch: each node, edge, item and link once, with its final properties. Frequent shapes
are added row by row and come out as tables, without an object for each row. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from graphmem.model.changes import Changes, Edge, EdgeTable, Item, Link, Node, NodeTable

_MAX_EVENTS = 8_000  # events or derivations per transaction: smaller transactions rewrite the same pages repeatedly
_MOST_TEXT = 3 * _MAX_EVENTS  # for an index only, where each transaction changes pages everywhere
_HEAVY = 8_000_000  # characters of their texts
NodeShape = tuple[str, tuple[str, ...]]  # label, property names
EdgeShape = tuple[str, str, str, tuple[str, ...]]  # type, label of the source, of the target, property names
Edges = dict[tuple[str, str, str, str], dict[str, Edge]]  # by everything but the target, then by target


class Refusal(NamedTuple):
    """An event that a projection cannot process, and the reason."""

    event: str
    reason: str


class Batch:
    """Changes combined in order. With only the graph or only the text index requested, the other part is dropped."""

    def __init__(self, *, graph: bool = True, text: bool = True) -> None:
        self.graph, self.text = graph, text
        self.count = 0  # events or derivations, if the caller counts them
        self.weight = 0  # characters of their texts
        self.items: dict[str, Item] = {}
        self.links: dict[Link, None] = {}
        self.sources: list[Any] = []  # ids of the events and numbers of the derivations in it
        self.refused: list[Refusal] = []  # what could not be added
        self._nodes: dict[tuple[str, str], Node] = {}
        self._edges: Edges = {}
        self._node_rows: dict[NodeShape, dict[str, tuple[Any, ...]]] = {}
        self._edge_rows: dict[EdgeShape, dict[tuple[str, str], tuple[Any, ...]]] = {}
        self._rest = Changes()  # removals and tables

    @property
    def full(self) -> bool:
        """Return whether it is large enough for one transaction."""
        return self.count >= (_MAX_EVENTS if self.graph else _MOST_TEXT) or self.weight >= _HEAVY

    # -- row by row

    def nodes_of(self, shape: NodeShape) -> dict[str, tuple[Any, ...]]:
        """Return the table for nodes of one shape, by id, with their properties. Nothing else may create the same nodes."""
        return self._node_rows.setdefault(shape, {})

    def edges_of(self, shape: EdgeShape) -> dict[tuple[str, str], tuple[Any, ...]]:
        """Return the table for relations of one shape, by source and target, with their properties. Nothing else may create the
        same relations."""
        return self._edge_rows.setdefault(shape, {})

    def node(self, node: Node) -> None:
        """Add a node that other events may create, too."""
        name = node[:2]
        known = self._nodes.get(name)
        if known is None:
            self._nodes[name] = node
        elif known is not node and known[2] != node[2]:
            self._nodes[name] = Node(*name, known[2] | node[2])

    def edge(self, edge: Edge) -> None:
        """Add a relation that other events may create, too."""
        source = edge[:4]
        targets = self._edges.get(source)
        if targets is None:
            self._edges[source] = {edge[4]: edge}
            return
        before = targets.get(edge[4])
        if before is None:
            targets[edge[4]] = edge
        elif before is not edge and before[5] != edge[5]:
            targets[edge[4]] = edge._replace(properties=before[5] | edge[5])

    # -- single changes

    def put(self, change: Changes) -> None:
        """Add changes on top of the existing ones."""
        if change.removed_nodes or change.removed_edges or change.removed_items:
            self._remove(change)
        if self.graph:
            for node in change.nodes:
                self.node(node)
            for edge in change.edges:
                self.edge(edge)
            self._rest.node_tables += change.node_tables
            self._rest.edge_tables += change.edge_tables
        if self.text:
            self.weight += sum([len(item.text) for item in change.items])
            self.items |= {item.id: item for item in change.items}
            self.links |= dict.fromkeys(change.links)
        else:
            self.weight += sum([len(node.properties.get("content") or "") for node in change.nodes])

    def _remove(self, change: Changes) -> None:
        """Record removals, and drop earlier changes to what is removed."""
        self._take_apart()
        if change.removed_nodes:
            _detach(self._edges, set(change.removed_nodes))
        for node in change.removed_nodes:
            self._nodes.pop(node, None)
        for key in change.removed_edges:
            if key.target:
                self._edges.get(key[:4], {}).pop(key.target, None)
            else:
                self._edges.pop(key[:4], None)
        for identifier in change.removed_items:
            self.items.pop(identifier, None)
        self._rest.extend(Changes(change.removed_nodes, change.removed_edges, removed_items=change.removed_items))

    def _take_apart(self) -> None:
        """Convert rows to single nodes and edges."""
        node_rows, self._node_rows = self._node_rows, {}
        edge_rows, self._edge_rows = self._edge_rows, {}
        for (label, names), rows in node_rows.items():
            for node, values in rows.items():
                self.node(Node(label, node, dict(zip(names, values, strict=True))))
        for (kind, source, target, names), ends in edge_rows.items():
            for (start, end), values in ends.items():
                self.edge(Edge(kind, source, start, target, end, dict(zip(names, values, strict=True))))

    # -- results

    def changes(self) -> Changes:
        """Return the result: tables for rows, and the rest as single changes; only single changes if something was
        removed."""
        rest = self._rest
        if rest.removed_nodes or rest.removed_edges:
            self._take_apart()
        return Changes(
            list(dict.fromkeys(rest.removed_nodes)),
            list(dict.fromkeys(rest.removed_edges)),
            list(self._nodes.values()),
            [edge for targets in self._edges.values() for edge in targets.values()],
            [*rest.node_tables, *(_node_table(*each) for each in self._node_rows.items() if each[1])],
            [*rest.edge_tables, *(_edge_table(*each) for each in self._edge_rows.items() if each[1])],
            list(dict.fromkeys(rest.removed_items)),
            list(self.items.values()),
            list(self.links),
        )

    def singly(self) -> Changes:
        """Return the result as single changes: rows first."""
        shared, self._nodes = self._nodes, {}
        self._take_apart()
        for node in shared.values():
            self.node(node)
        return self.changes()

    def without(self, buried: Iterable[str]) -> Changes:
        """Return the result without these nodes and items, and without edges and links to them."""
        gone = frozenset(buried)
        changes = self.singly() if gone else self.changes()
        if gone:
            changes.nodes = [node for node in changes.nodes if node.id not in gone]
            changes.edges = [edge for edge in changes.edges if edge.source not in gone and edge.target not in gone]
            changes.links = [link for link in changes.links if link.item not in gone]
            changes.items = [item for item in changes.items if item.id not in gone]
        return changes


def iterate_batches(source: Iterable[Any], most: int = 0) -> Iterator[list[Any]]:
    """Yield lists of this length, or of a size for one transaction."""
    iterator = iter(source)
    while batch := list(islice(iterator, most or _MAX_EVENTS)):
        yield batch


def compact_batches(changes: Iterable[Changes]) -> Changes:
    """Return one batch with the effect of all, in order."""
    batch = Batch()
    for change in changes:
        batch.put(change)
    return batch.changes()


def _detach(edges: Edges, gone: set[tuple[str, str]]) -> None:
    """Remove the batch's edges from and to removed nodes."""
    for key in [key for key in edges if (key[1], key[2]) in gone]:
        del edges[key]
    for (_, _, _, label), targets in edges.items():
        for target in [target for target in targets if (label, target) in gone]:
            del targets[target]


def _node_table(shape: NodeShape, rows: dict[str, tuple[Any, ...]]) -> NodeTable:
    label, names = shape
    return NodeTable(label, {"id": list(rows), **dict(zip(names, zip(*rows.values(), strict=True), strict=True))})


def _edge_table(shape: EdgeShape, rows: dict[tuple[str, str], tuple[Any, ...]]) -> EdgeTable:
    kind, source, target, names = shape
    ends = dict(zip(("source", "target"), zip(*rows, strict=True), strict=True))
    return EdgeTable(kind, source, target, {**ends, **dict(zip(names, zip(*rows.values(), strict=True), strict=True))})
