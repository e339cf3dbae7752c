"""Since when files and symbols exist, and until when, by the commits that changed them: so that a drawing can go back in time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from graphmem import resources
from graphmem.ports.graph import GraphStore

_LOOK = "queries/graph/look"
_TIMEOUT = 60.0

Span = tuple[datetime | None, datetime | None]  # since, until


def read_code_times(graph: GraphStore) -> dict[str, Span]:
    """Return since when and until when each file, symbol and unresolved call exists, by id. A symbol begins with the first
    commit that is known to have changed it, otherwise with its file, and it ends with its file."""
    found: dict[str, Span] = {}
    by_path: dict[str, Span] = {}
    for id, path, first, last, removed in _rows(graph, "file_times"):
        is_gone = removed is not None and (last is None or removed >= last)
        found[id] = by_path[path] = first, removed if is_gone else None
    first_change = dict(_rows(graph, "symbol_times"))
    for id, path in _rows(graph, "defining_files"):
        since, until = by_path.get(path, (None, None))
        found[id] = first_change.get(id) or since, until
    return found


def _rows(graph: GraphStore, name: str) -> list[Any]:
    return graph.query(resources.text(f"{_LOOK}/{name}.cypher"), {}, timeout=_TIMEOUT).rows
