"""Renders events as list rows, for the overview, live and debug pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import chip, div, text, time
from graphmem.interfaces.web.view import View, address
from graphmem.model.events import EVENT_TYPES

_PREFIXES = {
    "Conversation": ("session_", "user_", "agent_", "tool_"),
    "Memory": (
        "memory_",
        "memified",
        "fact_",
        "supersession_",
        "entities_",
        "category_",
        "graduated",
        "memories_",
        "turns_",
        "endless_",
        "log_",
    ),
    "Work": ("task_", "condition_", "artifact_"),
}


def family(type: str) -> str:
    """Return the family of an event type from the first word of its name; "sources" for the rest."""
    return next((name for name, starts in _PREFIXES.items() if type.startswith(starts)), "Sources")


FAMILIES = {
    name: tuple(sorted(type for type in EVENT_TYPES if family(type) == name)) for name in (*_PREFIXES, "Sources")
}
_TONES = {"Conversation": "w0", "Memory": "w2", "Work": "w1", "Sources": "w5"}


def row(view: View, event: dict[str, Any], *, new: bool = False) -> ui.link:
    """Render an event with a link to its details. `event` comes from `http/brief`."""
    at = event["at"] if isinstance(event["at"], datetime) else datetime.fromisoformat(event["at"])
    link = ui.link(target=address("/debug", event=event["id"])).classes("gm-row" + (" new" if new else ""))
    with link.props(f'data-event="{event["id"]}" tabindex="0"'):
        time(view, at)
        with div("gm-what"):
            name = event["type"].replace("_", " ")
            chip(view.t(name), _TONES[family(event["type"])])
        with div("grow gm-two"):
            text(event["text"] or "—")
        if event["session"]:
            text(event["session"][:16], "gm-time")
    return link
