"""What hooks told the agent, when, and what it cost in tokens: read from the log, with the words that the memories have now.
What was forgotten since shows its citation alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from graphmem.errors import NotFound
from graphmem.memory import Memory
from graphmem.model.table import Table

_SHORT = 100  # characters of a memory


def injections(mem: Memory, session: str | None = None, limit: int = 50) -> Table:
    """One row a memory that was shown: at, session, event, tokens of the whole text (in its first row), citation, memory."""
    shown = mem.history(session=session, types=["memory_shown"], limit=limit)
    rows: list[list[object]] = []
    for event in shown:
        at = datetime.fromtimestamp(event.at / 1e6, UTC)
        head = [at, event.session, event.payload.get("event"), event.payload.get("tokens")]
        items, citations = event.payload.get("items", ()), event.payload.get("citations", ())
        now = _shown_now(mem, items)
        lines = [[citation, now.get(item, "(forgotten)")] for item, citation in zip(items, citations, strict=False)]
        for number, line in enumerate(lines or [["", "state of the tasks"]]):
            rows.append([*(head if number == 0 else [at, event.session, head[2], None]), *line])
    return Table(["at", "session", "event", "tokens", "citation", "memory"], rows)


def _shown_now(mem: Memory, items: Sequence[str]) -> dict[str, str]:
    """What these memories say today, of those that are still there."""
    try:
        details = mem.details(items)
    except NotFound:
        return {}
    return {detail.id: " ".join((detail.title or detail.content).split())[:_SHORT] for detail in details}
