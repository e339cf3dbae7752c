"""Paged lists of a store: sessions, events, activity, and texts waiting for vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from graphmem import resources
from graphmem.context import StoreContext
from graphmem.errors import NotFound, UsageError
from graphmem.model.events import EVENT_TYPES, Event
from graphmem.model.table import Table

_READ, _LOOK = "queries/graph/read", "queries/graph/look"
_DAY = 86_400_000_000  # microseconds
_MOST = 1_000  # maximum rows per page
_TIMEOUT = 30.0


def _bounded(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise UsageError(f"{name} must be from {least} to {most}, not {value}", **{name: value})
    return value


def read_events(
    context: StoreContext, session: str | None, types: Sequence[str] | None, limit: int, before: int | None, after: int
) -> list[Event]:
    """Return events, oldest first. Raises UsageError for an unknown type."""
    unknown = sorted(set(types or ()) - EVENT_TYPES)
    if unknown:
        raise UsageError(f"there is no event type `{unknown[0]}`: choose one of {', '.join(sorted(EVENT_TYPES))}")
    for name, value in (("limit", limit), ("before", before or 0), ("after", after)):
        _bounded(name, value, 0, 2**62)
    return context.log.pages.newest(limit, before=before, after=after, session=session, types=types or None)[::-1]


def read_activity(context: StoreContext, days: int) -> Table:
    """Count events by type for each of the last `days` days (UTC): columns day, type, events. Empty days are omitted."""
    since = (context.clock.now() // _DAY - _bounded("days", days, 1, 36_500) + 1) * _DAY
    rows = [[_day(number), type, count] for number, type, count in context.log.pages.count_by_interval(_DAY, since)]
    return Table(["day", "type", "events"], rows)


def _day(number: int) -> str:
    try:
        return datetime.fromtimestamp(number * _DAY / 1e6, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return "9999-12-31"


def read_sessions(context: StoreContext, page: int, page_size: int) -> dict[str, Any]:
    """Return `{"sessions": [...], "total": n, "page": n, "page_size": n}`, most recent activity first. Each session has
    id, ref, title, project, branch, turns, first, last, summary, and `opening`: the first prompt of a person."""
    _bounded("page", page, 1, 1_000_000)
    _bounded("page_size", page_size, 1, _MOST)
    (total,) = _query(context, "session_count").rows[0]
    found = _page(context, "sessions", total, page, page_size)
    openings = _query(context, "openings", _LOOK, ids=[session["id"] for session in found]).rows if found else []
    said = {id: " ".join(text.split()) for id, text in openings}
    found = [session | {"opening": said.get(session["id"], "")} for session in found]
    return {"sessions": found, "total": total, "page": page, "page_size": page_size}


def read_session(context: StoreContext, ref: str, page: int, page_size: int) -> dict[str, Any]:
    """Return a session and a page of its turns by time, with counts by role. The `agent` of a turn is the id of the subagent
    that it belongs to, "" for the main agent. Raises NotFound."""
    _bounded("page", page, 1, 1_000_000)
    _bounded("page_size", page_size, 1, _MOST)
    found = _query(context, "session_of", ref=ref).to_dicts()
    if not found:
        raise NotFound(f"there is no session `{ref}`: `graphmem sessions` lists them", ref=ref)
    own = found[0]
    roles = {str(role): int(turns) for role, turns in _query(context, "session_roles", id=own["id"])}
    total = sum(roles.values())
    turns = [_with_agent(turn) for turn in _page(context, "session_turns", total, page, page_size, id=own["id"])]
    return own | {"roles": roles, "total": total, "turns": turns, "page": page, "page_size": page_size}


def _with_agent(turn: dict[str, Any]) -> dict[str, Any]:
    metadata = json.loads(turn.pop("metadata", None) or "{}")
    return turn | {"agent": str(metadata.get("agent") or "")}


def outbox_state(context: StoreContext) -> dict[str, Any]:
    """Return counts of texts by the state of their vectors, the age of the oldest waiting one in seconds, the encoder,
    the log's `head`, and the position of each projection."""
    waiting = context.outbox.metrics() if context.outbox else {}
    cursors = {
        f"{name}.{key}": at for name in ("text", "graph") for key, at in getattr(context, name).cursors().items()
    }
    encoder = context.settings.embedding.provider
    return {"encoder": encoder, "jobs": waiting, "head": context.log.head(), "cursors": cursors}


def _page(
    context: StoreContext, name: str, total: int, page: int, size: int, **parameters: Any
) -> list[dict[str, Any]]:
    """Return the rows of a page. Never queries beyond the end: Kuzu allocates memory for an offset even if there are few
    rows."""
    offset = (page - 1) * size
    return _query(context, name, limit=size, offset=offset, **parameters).to_dicts() if offset < total else []


def _query(context: StoreContext, name: str, folder: str = _READ, **parameters: Any) -> Table:
    text = resources.text(f"{folder}/{name}.cypher")
    rows = context.graph.query(text, parameters, limit=_MOST, timeout=_TIMEOUT)
    return Table(rows.columns, rows.rows, rows.truncated)
