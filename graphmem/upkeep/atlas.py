"""Parts of the graph as one draws them: nodes with a title and a time, and the relations between them. It reads few
properties and many nodes; `walk` shows one thing whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from string import Template
from typing import Any

from graphmem import resources
from graphmem.errors import NotFound, UsageError
from graphmem.owntypes import covering
from graphmem.ports.graph import GraphStore

_MOST = 5_000  # relations of one picture
_TIMEOUT = 30.0
_WIDTH = 5  # columns of a node: id, label, title, at, until
_TITLE = 120  # characters


def around(graph: GraphStore, ids: Sequence[str], relations: Sequence[str] | None, limit: int) -> dict[str, Any]:
    """`{"nodes": [{id, label, title, at, until}], "edges": [{source, relation, target}], "truncated": bool}`: these nodes
    with what they are related to; without ids, what ties the memory together. `until` is when something stopped being
    true. Raises NotFound for the first unknown id, UsageError for a limit that is out of bounds."""
    if not 1 <= limit <= _MOST:
        raise UsageError(f"limit is a number from 1 to {_MOST}, not {limit}", limit=limit)
    if not ids:
        tied = covering(resources.text("queries/graph/look/tied.cypher"), graph.schema()["nodes"])
        rows = _rows(graph, tied, limit + 1)
        return _drawn({}, [(row[:_WIDTH], row[_WIDTH], row[_WIDTH + 1 :]) for row in rows], limit)
    found = _rows(graph, resources.text("queries/graph/look/nodes.cypher"), _MOST, ids=list(ids))
    known = {row[0]: row for row in found}
    for missing in (id for id in ids if id not in known):
        raise NotFound(f"there is no node `{missing}`: search for it with `graphmem search`", id=missing)
    steps: list[Step] = []
    for label in sorted({row[1] for row in found}):
        own = [id for id, row in known.items() if row[1] == label]
        query = Template(resources.text("queries/graph/look/steps.cypher")).substitute(label=label)
        rows = _rows(graph, query, limit + 1 - len(steps), ids=own, relations=list(relations or [""]))
        steps += [_step(known[wanted], relation, outward, other) for wanted, relation, outward, *other in rows]
    return _drawn(known, steps, limit)


Step = tuple[list[Any], str, list[Any]]


def _step(node: list[Any], relation: str, outward: bool, other: list[Any]) -> Step:
    return (node, relation, other) if outward else (other, relation, node)


def _rows(graph: GraphStore, query: str, limit: int, **parameters: Any) -> list[list[Any]]:
    return graph.query(query, parameters, limit=limit, timeout=_TIMEOUT).rows


def _drawn(nodes: dict[str, list[Any]], steps: Sequence[Step], limit: int) -> dict[str, Any]:
    """Each node and each relation is told once."""
    found = dict(nodes)
    edges: dict[tuple[str, str, str], None] = {}
    for source, relation, target in steps[:limit]:
        found.setdefault(source[0], source)
        found.setdefault(target[0], target)
        edges.setdefault((source[0], relation, target[0]))
    return {
        "nodes": [_node(*row) for row in found.values()],
        "edges": [{"source": a, "relation": relation, "target": b} for a, relation, b in edges],
        "truncated": len(steps) > limit,
    }


def _node(id: str, label: str, title: str, at: datetime | None, until: datetime | None) -> dict[str, Any]:
    line = " ".join(title.split())
    return {"id": id, "label": label, "title": line[:_TITLE] + "…" * (len(line) > _TITLE), "at": at, "until": until}
