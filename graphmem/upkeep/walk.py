"""Looking around in the graph: one thing with its relations, its neighbourhood, a path between two things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphmem import resources
from graphmem.errors import NotFound, UsageError
from graphmem.model.table import Table
from graphmem.owntypes import covering
from graphmem.ports.graph import GraphStore, Rows
from graphmem.ports.text import TextIndex

_MOST = 500  # rows of one look
_READ = "queries/graph/read"
_LONGEST = 6  # steps of a path
_WIDEST = 200_000  # relations looked at in one step


def _run(graph: GraphStore, query: str, /, **parameters: Any) -> Rows:
    return graph.query(resources.text(f"{_READ}/{query}.cypher"), parameters, limit=_MOST, timeout=30)


def resolve(graph: GraphStore, text: TextIndex, name: str) -> str:
    """The id of the node that a name means: an id, a ref, a commit hash, a path, the name of a symbol. Raises NotFound
    that lists candidates where a name means several."""
    if _run(graph, "node_by_id", id=name).rows:
        return name
    for stored in text.find([name]):
        if _run(graph, "node_by_id", id=stored.item.id).rows:
            return stored.item.id
    by_name = covering(resources.text(f"{_READ}/nodes_by_name.cypher"), graph.schema()["nodes"])
    rows = graph.query(by_name, {"name": name}, limit=_MOST, timeout=30).rows
    exact = [row for row in rows if row[2] == 0]
    chosen = exact or rows
    if not chosen:
        raise NotFound(f"there is nothing called `{name}`: search for it with `graphmem search`", name=name)
    if len({row[0] for row in chosen}) > 1:
        some = ", ".join(sorted({str(row[0]) for row in chosen})[:5])
        raise NotFound(f"`{name}` means several things: {some}", name=name, candidates=[row[0] for row in chosen])
    return str(chosen[0][0])


def show(graph: GraphStore, text: TextIndex, name: str) -> dict[str, Any]:
    """`{"node": properties, "relations": [{type, direction, label, id, title}]}` of what a name means."""
    node = resolve(graph, text, name)
    (row,) = _run(graph, "node_by_id", id=node).rows
    around = _run(graph, "relations_of", id=node)
    relations = [dict(zip(around.columns, other, strict=True)) for other in around.rows]
    return {"node": row[0], "relations": relations, "truncated": around.truncated}


def neighbours(graph: GraphStore, node: str, depth: int = 1, kinds: Sequence[str] | None = None) -> Table:
    """Nodes within `depth` steps (1 to 3): columns id, label, title, distance. `kinds` are labels."""
    if not 1 <= depth <= 3:
        raise UsageError("depth is 1, 2 or 3", depth=depth)
    rows = _run(graph, f"neighbours_{depth}", id=node, kinds=list(kinds) if kinds else [""])
    return Table(rows.columns, rows.rows, rows.truncated)


def path(graph: GraphStore, a: str, b: str) -> Table:
    """One row, a shortest path of at most six steps between two nodes: columns nodes, relations. Empty where none is."""
    before: dict[str, tuple[str, str]] = {a: ("", "")}
    frontier = [a]
    steps = resources.text(f"{_READ}/steps_from.cypher")
    for _ in range(_LONGEST):
        if b in before or not frontier:
            break
        found: dict[str, tuple[str, str]] = {}
        for source, relation, target in sorted(graph.query(steps, {"ids": frontier}, limit=_WIDEST, timeout=30).rows):
            if target not in before:
                found.setdefault(target, (source, relation))
        before |= found
        frontier = list(found)
    if b not in before or not (_run(graph, "node_by_id", id=a).rows):
        return Table(["nodes", "relations"])
    nodes, relations = [b], []
    while nodes[-1] != a:
        source, relation = before[nodes[-1]]
        nodes.append(source)
        relations.append(relation)
    shown = [_run(graph, "node_by_id", id=node).rows[0][0] for node in reversed(nodes)]
    return Table(["nodes", "relations"], [[shown, relations[::-1]]])
