"""Whether a store is sound: the log's chains, how far each projection got, what waits, what went wrong, and what to do
about it. Checks read only."""

from __future__ import annotations

import stat
from typing import Any

from graphmem import resources
from graphmem.errors import GraphmemError
from graphmem.projections.runner import DERIVED, EVENTS
from graphmem.upkeep.parts import Parts


def health(parts: Parts) -> dict[str, Any]:
    """`{"sound": bool, "problems": [...], "advice": [...], "events": n, "projected": {graph: n, text: n}, "outbox": n}`."""
    problems: list[str] = parts.log.verify()
    advice = ["restore log.db from a backup: the log cannot be made again"] if problems else []
    head = parts.log.head()
    projected: dict[str, int | None] = {}
    for name in ("text", "graph"):
        try:
            projected[name] = getattr(parts, name).cursors().get(EVENTS, 0)
        except GraphmemError as error:
            projected[name] = None
            problems.append(str(error))
    behind = [name for name, position in projected.items() if position is not None and position != head]
    if any((projected[name] or 0) > head for name in behind):
        problems.append("a projection is ahead of the log: the log was replaced or lost its end")
        advice.append("`graphmem rebuild` makes the projections again from the log")
    elif behind:
        advice.append("`graphmem process` brings the projections up to date")
    waiting = int(parts.outbox.metrics().get("pending", 0)) if parts.outbox else 0
    problems += _permissions(parts)
    if len(problems) > 0 and not advice:
        advice.append("`graphmem rebuild` makes everything but the log again")
    return {
        "sound": not problems,
        "problems": problems,
        "advice": advice,
        "events": head,
        "projected": projected,
        "outbox": waiting,
    }


def _permissions(parts: Parts) -> list[str]:
    """Files that others may read."""
    open_to_others = stat.S_IRWXG | stat.S_IRWXO
    return [
        f"permissions: {path.name} can be read by others: chmod go= {path}"
        for path in [parts.path, *parts.path.glob("*.db*")]
        if path.stat().st_mode & open_to_others
    ]


def stats(parts: Parts) -> dict[str, Any]:
    """Counts of what the store holds, and its size in bytes."""
    rows = parts.graph.query(resources.text("queries/graph/read/counts.cypher"), limit=1_000).rows
    relations = parts.graph.query(resources.text("queries/graph/read/relation_counts.cypher"), limit=1_000).rows
    cursors = parts.text.cursors()
    return {
        "project": parts.project,
        "path": str(parts.path),
        "events": parts.log.head(),
        "derivations": cursors.get(DERIVED, 0),
        "nodes": {label: count for label, count in sorted(rows) if label != "Cursor"},
        "relations": dict(sorted(relations)),
        "waiting_for_vectors": int(parts.outbox.metrics().get("pending", 0)) if parts.outbox else 0,
        "bytes": {path.name: path.stat().st_size for path in sorted(parts.path.iterdir()) if path.is_file()},
    }
