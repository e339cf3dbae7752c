"""Returns subgraphs for drawing: nodes with title and time, and their relations. Reads few properties of many nodes;
`explore` shows a single node in full."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from string import Template
from typing import Any

from graphmem import resources
from graphmem.browse import explore
from graphmem.browse.code_times import read_code_times
from graphmem.errors import NotFound, UsageError
from graphmem.owntypes import extend_query
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import TextIndex

_LOOK = "queries/graph/look"
_MAX_SINGLE_LOOKUPS = 25  # nodes that are looked up one by one
_MAX_RELATIONS = 5_000  # maximum relations of a subgraph
_TIMEOUT = 30.0
_WIDTH = 5  # columns of a node: id, label, title, at, until
_TITLE = 120  # characters


def subgraph(
    graph: GraphStore,
    text: TextIndex,
    ids: Sequence[str],
    relations: Sequence[str] | None,
    limit: int,
    without: Sequence[str] = (),
) -> dict[str, Any]:
    """Return `{"nodes": [{id, label, title, at, until}], "edges": [{source, relation, target}], "truncated": bool}`:
    these nodes with their neighbours; without ids, the best-connected nodes. Nodes with a label of `without` are left out
    before the limit is applied. `until` is when something stopped being
    true. Raises NotFound for the first unknown id, UsageError for an invalid limit."""
    if not 1 <= limit <= _MAX_RELATIONS:
        raise UsageError(f"limit must be from 1 to {_MAX_RELATIONS}, not {limit}", limit=limit)
    left_out = list(without) or [""]
    if not ids:
        tied = extend_query(resources.text(f"{_LOOK}/tied.cypher"), graph.schema()["nodes"])
        rows = _rows(graph, tied, _MAX_RELATIONS + 1 if without else limit + 1)
        rows = [row for row in rows if row[1] not in without and row[_WIDTH + 2] not in without]
        return _dated(graph, _drawn({}, [(row[:_WIDTH], row[_WIDTH], row[_WIDTH + 1 :]) for row in rows], limit))
    look = _one_by_one if len(ids) <= _MAX_SINGLE_LOOKUPS else _at_once
    found, steps = look(graph, text, list(dict.fromkeys(ids)), list(relations or [""]), left_out, limit + 1)
    return _dated(graph, _drawn(found, steps, limit))


def _dated(graph: GraphStore, drawn: dict[str, Any]) -> dict[str, Any]:
    """Add since when files and symbols exist."""
    wanted = [node for node in drawn["nodes"] if node["label"] in ("File", "Symbol", "CallSite")]
    times = read_code_times(graph) if wanted else {}
    for node in wanted:
        node["at"], node["until"] = times.get(node["id"], (node["at"], node["until"]))
    return drawn


Step = tuple[list[Any], str, list[Any]]
Found = tuple[dict[str, list[Any]], list[Step]]


def _one_by_one(
    graph: GraphStore, text: TextIndex, ids: list[str], relations: list[str], without: list[str], limit: int
) -> Found:
    """Return a few nodes, by any of their names, with their relations, each by its key."""
    found: dict[str, list[Any]] = {}
    steps: list[Step] = []
    for name in ids:
        id, label = explore.resolve_node(graph, text, name)
        (row,) = _typed(graph, "node", label, 1, id=id)
        found[id] = [id, label, *_display_fields(row[0])]
        rows = _typed(graph, "steps_of", label, limit - len(steps), id=id, relations=relations, without=without)
        steps += [_step(found[wanted], relation, outward, other) for wanted, relation, outward, *other in rows]
    return found, steps


def _at_once(
    graph: GraphStore, text: TextIndex, ids: list[str], relations: list[str], without: list[str], limit: int
) -> Found:
    """Return many nodes with their relations: one scan of the graph is faster than many lookups."""
    found: dict[str, list[Any]] = {}
    for label in graph.schema()["nodes"]:
        nodes = _typed(graph, "nodes", label, _MAX_RELATIONS, ids=[id for id in ids if id not in found])
        found |= {node["id"]: [node["id"], label, *_display_fields(node)] for (node,) in nodes}
    for id in ids:
        if id not in found:
            raise _missing(id)
    steps: list[Step] = []
    for label in sorted({row[1] for row in found.values()}):
        own = [id for id, row in found.items() if row[1] == label]
        rows = _typed(graph, "steps", label, limit - len(steps), ids=own, relations=relations, without=without)
        steps += [_step(found[wanted], relation, outward, other) for wanted, relation, outward, *other in rows]
    return found, steps


def _missing(id: str) -> NotFound:
    return NotFound(f"there is no node `{id}`: search for it with `graphmem search`", id=id)


def _display_fields(node: dict[str, Any]) -> list[Any]:
    """Return title, time and end of a node, as defined in `steps.cypher`."""

    def first(*names: str) -> Any:
        return next((node[name] for name in names if node.get(name) is not None), None)

    named = node.get("title") or node.get("content")
    title = named or first("subject", "qualified_name", "path", "name", "text", "command", "summary", "ref", "id")
    return [title, first("at", "started_at", "created_at", "recorded_at"), first("retired_at", "valid_to")]


def _typed(graph: GraphStore, name: str, label: str, limit: int, **parameters: Any) -> list[list[Any]]:
    """Return the rows of a query with the node's label filled in."""
    if limit < 1:
        return []
    query = Template(resources.text(f"{_LOOK}/{name}.cypher")).substitute(label=label)
    return _rows(graph, query, limit, **parameters)


def _step(node: list[Any], relation: str, outward: bool, other: list[Any]) -> Step:
    return (node, relation, other) if outward else (other, relation, node)


def _rows(graph: GraphStore, query: str, limit: int, **parameters: Any) -> list[list[Any]]:
    return graph.query(query, parameters, limit=limit, timeout=_TIMEOUT).rows


def _drawn(nodes: dict[str, list[Any]], steps: Sequence[Step], limit: int) -> dict[str, Any]:
    """Return nodes and relations without duplicates."""
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
