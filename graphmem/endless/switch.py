"""Whether endless mode is on, and whether a hook concerns it: the little that every hook asks. It loads nothing but what a
hook that only records has loaded anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from graphmem.upkeep.hooks.told import NOTHING, Recalled

if TYPE_CHECKING:
    from graphmem.model.events import Event
    from graphmem.upkeep.hooks.host import Host
    from graphmem.upkeep.parts import Log

CHANGED = "endless_changed"
_LOOKED_AT = 50  # switches back that may be of this project
_RECORDING = frozenset(
    """SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop PreCompact SessionEnd""".split()
)


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


def extra(host: Host, event: str, session: str, given: Mapping[str, Any]) -> Recalled:
    """What a hook does and tells beyond what it does anyway; nothing where endless mode is off and nothing was compacted."""
    compacted = event == "SessionStart" and given.get("source") == "compact"
    if event not in _RECORDING or not (compacted or switched_on(host)):
        return NOTHING
    from graphmem.endless.inject import told_by

    return told_by(host, event, session, given)
