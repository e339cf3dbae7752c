"""Returns the whole graph for drawing, in columns: 100,000 nodes as records of their own would take several times as long to
send and to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graphmem import resources
from graphmem.browse.code_times import read_code_times
from graphmem.errors import UsageError
from graphmem.ports.graph import GraphStore

_LOOK = "queries/graph/look"
MAX_NODES = 100_000
MAX_RELATIONS = 400_000
_TIMEOUT = 120.0


def read_whole_graph(graph: GraphStore, limit: int = MAX_NODES, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return all nodes but those with a label of `without`, and the relations between them:
    `{"labels": [...], "types": [...], "nodes": {"id", "label", "title", "at", "until"}, "relations": {"source", "type",
    "target"}, "total": {label: count}, "left_out_relations": n}`. Labels, types, sources and targets are positions in the lists of
    labels, types and nodes; times are seconds since 1970, or None. If there are more than `limit` nodes, labels with few nodes are
    complete, and the label with the most is cut first. Raises UsageError for an invalid limit."""
    if not 1 <= limit <= MAX_NODES:
        raise UsageError(f"limit must be from 1 to {MAX_NODES}, not {limit}", limit=limit)
    known = graph.schema()["nodes"]  # the nodes of the store's bookkeeping are not in it
    counts = {str(label): int(count) for label, count in _rows(graph, "queries/graph/read/counts") if label in known}
    rows = _read_nodes(graph, {label: count for label, count in counts.items() if label not in without}, limit)
    times = read_code_times(graph) if any(row[1] == "File" for row in rows) else {}
    rows = [[*row[:3], *times.get(row[0], row[3:])] for row in rows]
    position = {row[0]: at for at, row in enumerate(rows)}
    labels = [label for label, _ in Counter(row[1] for row in rows).most_common()]
    label_at = {label: at for at, label in enumerate(labels)}
    types, sources, kinds, targets, left_out = _read_relations(graph, position)
    return {
        "labels": labels,
        "types": types,
        "nodes": {
            "id": [row[0] for row in rows],
            "label": [label_at[row[1]] for row in rows],
            "title": [" ".join(str(row[2]).split()) for row in rows],
            "at": [_seconds(row[3]) for row in rows],
            "until": [_seconds(row[4]) for row in rows],
        },
        "relations": {"source": sources, "type": kinds, "target": targets},
        "total": counts,
        "left_out_relations": left_out,
    }


def _read_nodes(graph: GraphStore, counts: dict[str, int], limit: int) -> list[list[Any]]:
    """Return at most `limit` nodes, complete labels first."""
    rows: list[list[Any]] = []
    for label, _ in sorted(counts.items(), key=lambda pair: (pair[1], pair[0])):
        if len(rows) < limit:
            rows += _rows(graph, f"{_LOOK}/all_nodes", limit - len(rows), label=label)
    return rows


def _read_relations(
    graph: GraphStore, position: dict[str, int]
) -> tuple[list[str], list[int], list[int], list[int], int]:
    """Return types, then source, type and target of each relation between known nodes, and how many were left out."""
    types: list[str] = []
    columns: tuple[list[int], list[int], list[int]] = ([], [], [])
    left_out = 0
    for type, pairs in sorted(_rows(graph, f"{_LOOK}/all_relations")):
        known = [(position[a], position[b]) for a, b in pairs if a in position and b in position]
        if not known:
            continue
        room = MAX_RELATIONS - len(columns[0])
        left_out += max(0, len(known) - room)
        types.append(type)
        columns[0].extend(source for source, _ in known[:room])
        columns[1].extend([len(types) - 1] * min(room, len(known)))
        columns[2].extend(target for _, target in known[:room])
    return types, *columns, left_out


def _rows(graph: GraphStore, query: str, limit: int | None = None, **parameters: Any) -> list[list[Any]]:
    return graph.query(resources.text(f"{query}.cypher"), parameters, limit=limit, timeout=_TIMEOUT).rows


def _seconds(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp())
