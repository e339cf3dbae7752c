"""What waits for a person's approval, by the log alone: since when the setting asks for it, and what was decided. Both are
events, so a rebuild gives the same answer. Knowledge is new if its source was recorded after approval became required."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from graphmem.model.events import Event
from graphmem.ports.callers import AGENT
from graphmem.ports.log import EventLog

REQUIRED = "approval_required"  # event: the setting was switched on or off
DECIDED = "approval_decided"  # event: a person approved or rejected items, or took that back
APPROVE, REJECT, UNDO = "approve", "reject", "undo"
WAITING, REJECTED = "waiting", "rejected"  # status of an item
MARKS = {WAITING: 4, REJECTED: 5}  # in the index, see `TextIndex.apply`


class Log(EventLog, Protocol):
    """A log that says when events of a type were last recorded."""

    @property
    def state(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Approvals:
    """`since`: the clock from which approval is required, 0 if it is not. `decided`: the last verdict on each item, with its
    clock. `origins`: who requires it, by log."""

    since: int = 0
    decided: Mapping[str, tuple[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    origins: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_required(self) -> bool:
        """Return whether new knowledge waits for approval."""
        return bool(self.since)

    def status_of(self, item: str, clock: int) -> str:
        """Return "waiting", "rejected" or, for what agents may be shown, "". `clock` is that of the newest source without which
        the item would not exist."""
        if not 0 < self.since < clock:
            return ""
        verdict, when = self.decided.get(item, ("", 0))
        if verdict == REJECT:
            return REJECTED
        return "" if verdict == APPROVE and clock < when else WAITING


_KEPT: WeakKeyDictionary[Any, tuple[tuple[int, int, int], Approvals]] = WeakKeyDictionary()


def read_approvals(log: Log) -> Approvals:
    """Return what a log says about approvals, cached until it says more."""
    state = log.state
    last = state.last_position(REQUIRED), state.last_position(DECIDED), state.last_position("log_merged")
    kept = _KEPT.get(log)
    if kept is None or kept[0] != last:
        kept = _KEPT[log] = last, _read(log) if last[0] else Approvals()
    return kept[1]


def _read(log: Log) -> Approvals:
    since, origins = 0, dict[str, bool]()
    decided: dict[str, tuple[str, int]] = {}
    for event in log.read(types=[REQUIRED, DECIDED], order="clock"):
        if event.is_ignored or not event.payload:
            continue
        if event.type == REQUIRED:
            was = any(origins.values())
            origins[event.origin] = bool(event.payload["required"])
            now = any(origins.values())
            since = (since if was else event.clock) if now else 0
            continue
        for item in event.payload["items"]:
            decided[item] = (str(event.payload["verdict"]), event.clock)
            if event.payload["verdict"] == UNDO:
                del decided[item]
    return Approvals(since, decided, origins)


def is_agents_memory(event: Event) -> bool:
    """Return whether an event is what an agent wrote down by itself: that is new knowledge, too."""
    return event.type == "memory_remembered" and event.actor.startswith(AGENT)
