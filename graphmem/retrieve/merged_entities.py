"""Other entities that are what a query names, as a person has decided by merging them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from graphmem.ports.log import EventLog, LogState
from graphmem.projections.entities import MERGED, merged_entities
from graphmem.text.words import name_key


class Log(EventLog, Protocol):
    """A log with its state."""

    @property
    def state(self) -> LogState: ...


class MergedEntities:
    """Merged entities by name. Read again when the log has a new decision."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._at = (-1, -1)
        self._names: dict[str, tuple[str, ...]] = {}

    def __call__(self) -> Mapping[str, tuple[str, ...]]:
        """Return, for the `name_key` of each name, the ids of the other entities that are the same thing."""
        state = self._log.state
        last = state.last_position(MERGED), state.last_position("log_merged")  # which machines are trusted
        if last != self._at:
            groups: dict[str, list[str]] = {}
            for merged, kept in merged_entities(self._log.read(types=[MERGED])).items() if last[0] else ():
                groups.setdefault(kept, [kept]).append(merged)
            self._names = {}
            for group in groups.values():
                for id in group:
                    key = name_key(name_of(id))
                    self._names[key] = (*self._names.get(key, ()), *(other for other in group if other != id))
            self._at = last
        return self._names


def name_of(entity: str) -> str:
    """Return the name in the id of an entity.

    >>> name_of("ent:library:node.js")
    'node.js'
    """
    return entity.split(":", 2)[-1]
