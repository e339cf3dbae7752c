"""Lists what hooks injected into agent sessions, when, and its token cost. It is read from the log; memories are
shown with their current text, forgotten ones only with their citation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from graphmem.errors import NotFound
from graphmem.hooks.injection import PARTS
from graphmem.memory import Memory
from graphmem.model.table import Table

_MAX_PREVIEW_CHARS = 100  # characters of a memory
_UNNAMED = "last sessions or state of the tasks"  # recorded before parts were


def injections(mem: Memory, session: str | None = None, limit: int = 50) -> Table:
    """Return a table with one row per injected memory and kind of other part (last sessions, tasks): at, session, event, tokens of
    the whole text (in its first row), citation, memory."""
    shown = mem.history(session=session, types=["memory_shown"], limit=limit)
    rows: list[list[object]] = []
    for event in shown:
        at = datetime.fromtimestamp(event.at / 1e6, UTC)
        head = [at, event.session, event.payload.get("event"), event.payload.get("tokens")]
        items, citations = event.payload.get("items", ()), event.payload.get("citations", ())
        now = _shown_now(mem, items)
        lines = [[citation, now.get(item, "(forgotten)")] for item, citation in zip(items, citations, strict=False)]
        kinds = dict.fromkeys(str(part).partition(" ")[0] for part in event.payload.get("parts", ()))
        lines += [["", PARTS[kind]] for kind in kinds if kind in PARTS]
        for number, line in enumerate(lines or [["", _UNNAMED]]):
            rows.append([*(head if number == 0 else [at, event.session, head[2], None]), *line])
    return Table(["at", "session", "event", "tokens", "citation", "memory"], rows)


def _shown_now(mem: Memory, items: Sequence[str]) -> dict[str, str]:
    """Return the current text of these memories, for those that still exist."""
    try:
        details = mem.details(items)
    except NotFound:
        return {}
    return {detail.id: " ".join((detail.title or detail.content).split())[:_MAX_PREVIEW_CHARS] for detail in details}
