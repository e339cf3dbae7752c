"""Formats commits and events of the log for people: what happened, when, in which session, and a short preview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graphmem.memory import Memory
from graphmem.model.events import Event
from graphmem.model.table import Table
from graphmem.model.tasks import to_datetime

_MAX_PREVIEW_CHARS = 80  # characters of a preview
_HASH = 8  # characters of a commit in a list: git finds it by them
_SUBJECT = 160  # characters of the subject of a commit
_TELLING = ("title", "command", "subject", "content", "path", "target", "root", "task", "event", "reason", "cwd")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One event. `at` is when it happened, `recorded_at` when it was recorded. `payload` is empty once purged."""

    id: str
    type: str
    at: datetime
    session: str
    preview: str
    project: str
    actor: str
    position: int
    recorded_at: datetime
    origin: str
    payload: dict[str, Any]


def commit_line(row: Sequence[Any]) -> str:
    """Return a row of the history of a symbol or file as a line, and the reason of the commit below it."""
    hash_, at, author, subject, change, *reasons = row
    subject = subject if len(subject) <= _SUBJECT else f"{subject[:_SUBJECT]}…"
    mark = f" ({change})" if change not in ("", "M", None) else ""
    reason = f"\n  {reasons[0]}" if reasons and reasons[0] else ""
    return f"{hash_[:_HASH]} {at:%Y-%m-%d} {author}: {subject}{mark}{reason}"


def commits_end(result: Table) -> str:
    """Return the closing line of a history: how many commits, and how to see what they changed."""
    count = f"{len(result.rows)} commit{'' if len(result.rows) == 1 else 's'}"
    cut = ", cut at the limit: --limit shows more" if result.truncated else ""
    return f"{count}{cut}" + ("; --patch shows what each changed" if result.rows else "")


def list_events(
    mem: Memory, session: str | None, types: Sequence[str] | None, limit: int, before: int | None = None
) -> list[HistoryRow]:
    """Return the latest events in order of time."""
    return [_row(event) for event in mem.history(session=session, types=types, limit=limit, before=before)]


def _row(event: Event) -> HistoryRow:
    at, recorded = (to_datetime(each) for each in (event.at, event.clock))
    words = next((str(event.payload[name]) for name in _TELLING if event.payload.get(name)), "")
    plain = " ".join(words.split())
    preview = plain if len(plain) <= _MAX_PREVIEW_CHARS else plain[: _MAX_PREVIEW_CHARS - 1] + "…"
    return HistoryRow(event.id, event.type, at.astimezone(UTC), event.session, preview, event.project, event.actor, event.position,
                recorded.astimezone(UTC), event.origin, event.payload)  # fmt: skip
