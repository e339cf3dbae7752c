"""Determines whether endless mode is on for a project. `services/endless.py` turns it on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.context import HookContext
    from graphmem.model.events import Event

CHANGED = "endless_changed"
_LOOKED_AT = 50  # maximum mode changes to look back for one of this project


def switched_on(host: HookContext) -> Event | None:
    """Return the event that enabled endless mode; None if it is off."""
    for event in host.log.pages.newest(_LOOKED_AT, types=[CHANGED]):
        if event.project == host.project:
            return event if event.payload.get("mode") == "endless" else None
    return None
