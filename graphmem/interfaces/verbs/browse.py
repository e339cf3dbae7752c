"""Verbs for browsing the store: sessions, activity, subgraphs, the outbox and the settings."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.verbs.arguments import typed
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

Page = Annotated[int, "page number, from 1"]


def sessions(mem: Memory, page: Page = 1, page_size: Annotated[int, "sessions per page"] = 20) -> Any:
    """List sessions, most recent activity first."""
    return mem.sessions(page=page, page_size=page_size)


def session(
    mem: Memory,
    id: Annotated[str, "the session id, as the agent names it"],
    page: Page = 1,
    page_size: Annotated[int, "turns per page"] = 50,
) -> Any:
    """Show the turns of a session, oldest first."""
    return mem.session(id, page=page, page_size=page_size)


def activity(mem: Memory, days: Annotated[int, "number of days"] = 90) -> Any:
    """Count events by day and type."""
    return mem.activity(days=days)


def analytics(mem: Memory, days: Annotated[int, "number of days"] = 30) -> Any:
    """Show what injected memories led to, repeated failures, knowledge by area, and possible junk."""
    return mem.analytics(days=days)


def around(
    mem: Memory,
    ids: Annotated[list[str] | None, "ids of nodes (default: the most connected nodes)"] = None,
    relation: Annotated[list[str] | None, "only relations of these types"] = None,
    limit: Annotated[int, "maximum number of relations"] = 500,
    without: Annotated[list[str] | None, "leave out nodes with these labels"] = None,
) -> Any:
    """Print a subgraph (nodes and relations) for visualisation."""
    return mem.around(ids or (), relations=relation, limit=limit, without=without or ())


def outbox(mem: Memory) -> Any:
    """Show texts waiting for vectors, and the position of each projection."""
    return mem.outbox()


def config(
    mem: Memory,
    key: Annotated[str | None, "a setting, such as buffer.window, or the start of its name"] = None,
    value: Annotated[str | None, "the new value; `default` resets the setting"] = None,
) -> Any:
    """List the settings of the store, or change one."""
    if key is None:
        return mem.config()
    if value is not None:
        chosen = None if value == "default" else typed(value)
        return [entry for entry in mem.configure({key: chosen}) if entry.key == key]
    return [entry for entry in mem.config() if entry.key.startswith(key)]


BROWSE: tuple[Verb, ...] = (
    Verb("sessions", sessions),
    Verb("session", session),
    Verb("activity", activity),
    Verb("analytics", analytics),
    Verb("around", around),
    Verb("outbox", outbox),
    Verb("config", config, writes=True),
)
