"""Browse the graph: an item with its relations, its neighbours, a path between two nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from graphmem import resources
from graphmem.errors import NotFound, UsageError
from graphmem.model.table import Table
from graphmem.owntypes import extend_query
from graphmem.ports.graph import GraphStore, Rows
from graphmem.ports.log import EventLog
from graphmem.ports.text import TextIndex
from graphmem.projections.memories import project_memory

_MAX_ROWS = 500  # maximum rows of a result
_QUERY_FOLDER = "queries/graph/read"
_MAX_PATH_STEPS = 6  # maximum steps of a path
_WIDEST = 200_000  # maximum relations followed in one step
# Kinds whose items are nodes of one label. For other kinds the graph is queried.
_SEARCHED = frozenset(
    "turn fact document skill pattern gotcha summary memory task symbol commit snapshot test_run".split()
)


class KnownNode(NamedTuple):
    """An existing node. With its label, the engine searches one table instead of all."""

    id: str
    label: str


def _run(graph: GraphStore, query: str, /, **parameters: Any) -> Rows:
    return graph.query(resources.text(f"{_QUERY_FOLDER}/{query}.cypher"), parameters, limit=_MAX_ROWS, timeout=30)


def _about(graph: GraphStore, query: str, node: KnownNode, /, **parameters: Any) -> Rows:
    """Return a named query about the node `n`, with its label filled in."""
    text = resources.text(f"{_QUERY_FOLDER}/{query}.cypher").replace("(n {id: $id})", f"(n:`{node.label}` {{id: $id}})")
    return graph.query(text, {"id": node.id, **parameters}, limit=_MAX_ROWS, timeout=30)


def item_of(log: EventLog, id: str) -> str:
    """Return the item for a name; a memory with a ref has the item of that ref."""
    event = log.get([id]).get(id)
    return project_memory(event).items[0].id if event is not None and event.type == "memory_remembered" else id


def find_node(graph: GraphStore, text: TextIndex, id: str) -> KnownNode | None:
    """Return the node of an id, or None. For searchable items the index knows the label."""
    for stored in text.find([id]):
        node = KnownNode(stored.item.id, "".join(word.capitalize() for word in stored.item.kind.split("_")))
        if node.id == id and stored.item.kind in _SEARCHED and _about(graph, "node_by_id", node).rows:
            return node
    every = extend_query(resources.text("queries/graph/look/label_of.cypher"), graph.schema()["nodes"])
    rows = graph.query(every, {"id": id}, limit=1, timeout=30).rows
    return KnownNode(id, rows[0][0]) if rows else None


def resolve_node(graph: GraphStore, text: TextIndex, name: str) -> KnownNode:
    """Return the node for an id, ref, commit hash, path or symbol name. Raises NotFound, with candidates if the name is
    ambiguous."""
    for id in (name, *(stored.item.id for stored in text.find([name]) if stored.item.id != name)):
        node = find_node(graph, text, id)
        if node:
            return node
    by_name = extend_query(resources.text(f"{_QUERY_FOLDER}/nodes_by_name.cypher"), graph.schema()["nodes"])
    rows = graph.query(by_name, {"name": name}, limit=_MAX_ROWS, timeout=30).rows
    exact = [row for row in rows if row[2] == 0]
    chosen = exact or rows
    things = [row for row in chosen if row[1] != "Entity"]  # texts only mention an entity; this is what they mean
    chosen = things if len({row[0] for row in things}) == 1 else chosen
    if not chosen:
        raise NotFound(f"no item named `{name}`: search for it with `graphmem search`", name=name)
    if len({row[0] for row in chosen}) > 1:
        some = ", ".join(sorted({str(row[0]) for row in chosen})[:5])
        raise NotFound(f"`{name}` is ambiguous: {some}", name=name, candidates=[row[0] for row in chosen])
    return KnownNode(str(chosen[0][0]), str(chosen[0][1]))


def show_node(graph: GraphStore, text: TextIndex, name: str) -> dict[str, Any]:
    """Return `{"node": properties, "relations": [{type, direction, label, id, title}]}` for a name. An entity has the relations of
    those that it is merged with, too."""
    node = resolve_node(graph, text, name)
    (row,) = _about(graph, "node_by_id", node).rows
    same = _merged_with(graph, node.id) if node.label == "Entity" else []
    found = [_about(graph, "relations_of", one) for one in (node, *(KnownNode(id, "Entity") for id in same))]
    relations = {
        (other["type"], other["direction"], other["id"]): other
        for around in found
        for other in (dict(zip(around.columns, values, strict=True)) for values in around.rows)
        if other["id"] != node.id
    }
    return {"node": row[0], "relations": list(relations.values()), "truncated": any(one.truncated for one in found)}


def _merged_with(graph: GraphStore, id: str) -> list[str]:
    """Return the other entities that a person has merged with this one."""
    kept = {str(merged): str(stays) for merged, _, stays, _, _ in _run(graph, "entities_merged").rows}
    centre = kept.get(id, id)
    group = [centre, *(merged for merged, stays in kept.items() if stays == centre)]
    return [other for other in group if other != id] if len(group) > 1 else []


def neighbours_of(graph: GraphStore, node: KnownNode, depth: int = 1, kinds: Sequence[str] | None = None) -> Table:
    """Return the nodes within `depth` steps (1 to 3): columns id, label, title, distance. `kinds` are labels."""
    if not 1 <= depth <= 3:
        raise UsageError("depth must be 1, 2 or 3", depth=depth)
    rows = _about(graph, f"neighbours_{depth}", node, kinds=list(kinds) if kinds else [""])
    return Table(rows.columns, rows.rows, rows.truncated)


def shortest_path(
    graph: GraphStore, text: TextIndex, first: KnownNode, last: KnownNode, only: Sequence[str] = ()
) -> Table:
    """Return one row with a shortest path of at most six steps: columns nodes, relations. Empty if there is none. `only` restricts
    it to these types of relations. Raises UsageError for an unknown type."""
    a, b = first.id, last.id
    types = _relation_types(graph, only)
    before: dict[str, tuple[str, str]] = {a: ("", "")}
    frontier = [a]
    steps = resources.text(f"{_QUERY_FOLDER}/{'steps_over' if types else 'steps_from'}.cypher")
    given = {"types": types} if types else {}
    for _ in range(_MAX_PATH_STEPS):
        if b in before or not frontier:
            break
        found: dict[str, tuple[str, str]] = {}
        for source, relation, target in sorted(
            graph.query(steps, {"ids": frontier, **given}, limit=_WIDEST, timeout=30).rows
        ):
            if target not in before:
                found.setdefault(target, (source, relation))
        before |= found
        frontier = list(found)
    if b not in before:
        return Table(["nodes", "relations"])
    nodes, relations = [b], []
    while nodes[-1] != a:
        source, relation = before[nodes[-1]]
        nodes.append(source)
        relations.append(relation)
    met = (find_node(graph, text, node) for node in reversed(nodes))
    shown = [_about(graph, "node_by_id", node).rows[0][0] for node in met if node]
    return Table(["nodes", "relations"], [[shown, relations[::-1]]])


def _relation_types(graph: GraphStore, only: Sequence[str]) -> list[str]:
    """Return the types of relations that these words name; a name may be in lower case, and several joined by commas."""
    wanted = [name.strip().upper() for each in only for name in each.split(",") if name.strip()]
    known = graph.schema()["relations"]
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"`{unknown[0]}` is no type of relation: choose from {', '.join(sorted(known))}", only=unknown)
    return wanted
