"""Summarises an event in one line for lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmem.model.events import Event
from graphmem.model.tasks import to_datetime

_MAX_CHARS = 240  # characters
_TELLING = ("title", "subject", "content", "command", "text", "summary", "tool", "path", "source", "reason", "name", "root",
            "condition", "status", "mode", "event", "id", "task")  # fmt: skip


def summarise_event(event: Event) -> dict[str, Any]:
    """Return `{position, id, type, at, session, project, actor, text}`, plus `gone`: ids that a tombstone hides."""
    row = {
        "position": event.position,
        "id": event.id,
        "type": event.type,
        "at": to_datetime(event.at),
        "session": event.session,
        "project": event.project,
        "actor": event.actor or str(event.payload.get("role") or ""),
        "text": payload_line(event.payload),
    }
    if event.type == "memory_forgotten":
        row["gone"] = [str(id) for name in ("events", "items") for id in event.payload.get(name, ())]
    return row


def payload_line(payload: Mapping[str, Any]) -> str:
    """Return the most informative text of a payload. Task changes name the task."""
    task = payload.get("task")
    if isinstance(task, str) and task and not payload.get("title"):
        words = task.rpartition(":")[2].replace("-", " ")
        new = payload.get("by") or payload.get("to") or payload.get("priority") or ""
        return f"{words} → {new}" if isinstance(new, str) and new else words
    for name in _TELLING:
        text = payload.get(name)
        if isinstance(text, str) and text.strip():
            if name == "condition":
                text = text.rpartition(":")[2].replace("-", " ")
            flat = " ".join(text[: 4 * _MAX_CHARS].split())
            return flat if len(flat) <= _MAX_CHARS else flat[: _MAX_CHARS - 1] + "…"
    if isinstance(payload.get("required"), bool):
        return "on" if payload["required"] else "off"
    return _counted(payload)


def _counted(payload: Mapping[str, Any]) -> str:
    """Describe a payload without text by its counts: `4 shown, 1 opened`."""
    return ", ".join(
        f"{len(found)} {name}" for name, found in payload.items() if isinstance(found, list | tuple) and found
    )
