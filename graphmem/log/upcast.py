"""Upgrades old event versions when they are read; the log itself is never rewritten. One function per change: `(type,
version)` of the stored event -> payload of the next version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from graphmem.model.events import Event

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}


def upcast(events: Iterable[Event], upcasters: dict[tuple[str, int], Upcaster] | None = None) -> Iterator[Event]:
    """Yield the events in their latest version."""
    steps = UPCASTERS if upcasters is None else upcasters
    for event in events:
        while (step := steps.get((event.type, event.version))) is not None:
            event = replace(event, version=event.version + 1, payload=step(event.payload))
        yield event
