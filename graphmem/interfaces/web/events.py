"""Renders events as list rows, for the overview, live and debug pages."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import chip, div, text, time
from graphmem.interfaces.web.steps import moment_of
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
_COUNTED = re.compile(r"\d{1,9} [a-z_]{1,30}(?:, \d{1,9} [a-z_]{1,30}){0,9}")  # of `http/brief`
_UNNAMED = {
    "supersession_decided": "which of two facts holds",
    "memory_restored": "a rating or merge was taken back",
    "memory_archived": "put away",
}
_TONES = {"Conversation": "w0", "Memory": "w2", "Work": "w1", "Sources": "w5"}


def _line(view: View, event: dict[str, Any]) -> str:
    """Return what an event says, in the user's language where it is not somebody's words."""
    said = str(event["text"])
    if event["type"] == "memory_shown":
        return moment_of(view, said)
    if event["type"] in _UNNAMED and not said:
        return view.t(_UNNAMED[event["type"]])
    if _COUNTED.fullmatch(said):
        counts = [part.split(" ", 1) for part in said.split(", ")]
        named = [(f"{{n}} {name}", int(number)) for number, name in counts]
        return ", ".join(view.t(words, n=number) for words, number in named)
    if view.language != "en" and " → " in said:
        words, _, new = said.rpartition(" → ")
        return f"{words} → {view.t(new)}"
    return said or "—"


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
            text(_line(view, event))
        if event["session"]:
            text(event["session"][:16], "gm-time")
    return link
