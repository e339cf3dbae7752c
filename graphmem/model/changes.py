"""Changes of projections: nodes and edges to merge into the graph, items to index, and removals. Pure functions
(`projections/`) produce them from events and derivations; backends apply them. Applying a change twice has the same
effect as once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Node(NamedTuple):
    """Merge the node `label` with this id and set these properties; other properties are unchanged."""

    label: str
    id: str
    properties: dict[str, Any]


class Edge(NamedTuple):
    """Merge the one relation of this type between two nodes and set its properties. If a node is missing, the edge is
    kept invisible until it exists."""

    type: str
    source_label: str
    source: str
    target_label: str
    target: str
    properties: dict[str, Any] = {}  # noqa: RUF012 (never written to)


class NodeTable(NamedTuple):
    """Many nodes of one label with the same properties, by column: `id`, then the properties. Equivalent to that many
    `Node`s with distinct ids, but much faster."""

    label: str
    columns: Mapping[str, Sequence[Any]]


class EdgeTable(NamedTuple):
    """Many relations of one type between two labels, by column: `source`, `target`, then the properties. Equivalent to
    that many distinct `Edge`s."""

    type: str
    source_label: str
    target_label: str
    columns: Mapping[str, Sequence[Any]]


class EdgeKey(NamedTuple):
    """Relations to remove: of one type, from one node; to one node if `target` is given."""

    type: str
    source_label: str
    source: str
    target_label: str
    target: str = ""


class Item(NamedTuple):
    """A searchable item, as stored in the full-text and vector indexes and returned in hits. `at` is in microseconds
    since 1970 UTC; `sequence` orders the items of a session; `event` is the source event. The words of `body` are
    searched with less weight; they are neither shown nor embedded."""

    id: str
    kind: str
    title: str
    text: str
    at: int
    ref: str = ""
    session: str = ""
    project: str = ""
    role: str = ""
    event: str = ""
    sequence: int = 0
    tags: tuple[str, ...] = ()
    embed: bool = True
    body: str = ""


class Link(NamedTuple):
    """An item mentions an entity: the same relation as in the graph, stored with the text index so that every process can
    follow it. `name` is a spelling of the entity, for matching in queries."""

    item: str
    entity: str
    name: str


@dataclass(slots=True)
class Changes:
    """A batch, applied in this order: removals, nodes, edges, items, links. Tables come before single nodes or edges."""

    removed_nodes: list[tuple[str, str]] = field(default_factory=list)  # (label, id)
    removed_edges: list[EdgeKey] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    node_tables: list[NodeTable] = field(default_factory=list)
    edge_tables: list[EdgeTable] = field(default_factory=list)
    removed_items: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    standings: list[tuple[str, int, int]] = field(
        default_factory=list
    )  # item, no longer told since (0: told), mark (see `TextIndex.apply`)

    def extend(self, other: Changes) -> None:
        """Append another batch to this one."""
        self.removed_nodes += other.removed_nodes
        self.removed_edges += other.removed_edges
        self.nodes += other.nodes
        self.edges += other.edges
        self.node_tables += other.node_tables
        self.edge_tables += other.edge_tables
        self.removed_items += other.removed_items
        self.items += other.items
        self.links += other.links
        self.standings += other.standings

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)
