"""The verbs of looking around: sessions, activity, the drawing of a part of the graph, the outbox and the settings. One row
each, like those of `verbs.py`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.interfaces.arguments import typed
from graphmem.interfaces.verb import Verb
from graphmem.memory import Memory

Page = Annotated[int, "from 1"]


def sessions(mem: Memory, page: Page = 1, page_size: Annotated[int, "sessions a page"] = 20) -> Any:
    """List sessions, those with the newest turns first."""
    return mem.sessions(page=page, page_size=page_size)


def session(
    mem: Memory,
    id: Annotated[str, "the session: the agent's id of it"],
    page: Page = 1,
    page_size: Annotated[int, "turns a page"] = 50,
) -> Any:
    """Read one session from its start."""
    return mem.session(id, page=page, page_size=page_size)


def activity(mem: Memory, days: Annotated[int, "how many days back"] = 90) -> Any:
    """Count events by day and type."""
    return mem.activity(days=days)


def around(
    mem: Memory,
    ids: Annotated[list[str] | None, "ids of nodes; without any, the most connected ones"] = None,
    relation: Annotated[list[str] | None, "only these types of relations"] = None,
    limit: Annotated[int, "most relations"] = 500,
) -> Any:
    """Return a subgraph (nodes and relations) for visualisation."""
    return mem.around(ids or (), relations=relation, limit=limit)


def outbox(mem: Memory) -> Any:
    """Show the pending vectors and the cursor of each projection."""
    return mem.outbox()


def config(
    mem: Memory,
    key: Annotated[str | None, "a setting, as section.name"] = None,
    value: Annotated[str | None, "its new value; `default` resets it"] = None,
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
    Verb("around", around),
    Verb("outbox", outbox),
    Verb("config", config, writes=True),
)
