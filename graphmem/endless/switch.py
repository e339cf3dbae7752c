"""Whether endless mode is on for a project. Turning it on and off is for `service`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from graphmem.context import Log
    from graphmem.model.events import Event

CHANGED = "endless_changed"
_LOOKED_AT = 50  # switches back that may be of this project


class Store(Protocol):
    """What is asked."""

    @property
    def log(self) -> Log: ...
    @property
    def project(self) -> str: ...


def switched_on(host: Store) -> Event | None:
    """The event that turned endless mode on, None while it is off."""
    for event in host.log.pages.newest(_LOOKED_AT, types=[CHANGED]):
        if event.project == host.project:
            return event if event.payload.get("mode") == "endless" else None
    return None
