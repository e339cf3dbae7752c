"""Upgrades old event versions when they are read; the log itself is never rewritten. One function per change: `(type,
version)` of the stored event -> payload of the next version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from graphmem.errors import StoreOfLaterVersion
from graphmem.model.events import Event

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}


def upcast(events: Iterable[Event], upcasters: dict[tuple[str, int], Upcaster] | None = None) -> Iterator[Event]:
    """Yield the events in their latest version. Raises StoreOfLaterVersion for an event that this version does not know."""
    steps = UPCASTERS if upcasters is None else upcasters
    latest = latest_versions(steps)
    for event in events:
        while (step := steps.get((event.type, event.version))) is not None:
            event = replace(event, version=event.version + 1, payload=step(event.payload))
        if event.version > latest.get(event.type, 1):
            raise StoreOfLaterVersion(
                f"event {event.id} was written by a later version of graphmem: update graphmem", id=event.id
            )
        yield event


def latest_versions(upcasters: Iterable[tuple[str, int]] = UPCASTERS) -> dict[str, int]:
    """Return the latest version of each event type that changed; all other types have version 1."""
    return {kind: version + 1 for kind, version in sorted(upcasters)}
