"""Old versions of events become today's when they are read; the log itself is never rewritten. One function a change:
`(type, version)` of the stored event -> the payload of the next version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from graphmem.model.events import Event

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}


def upcast(events: Iterable[Event], upcasters: dict[tuple[str, int], Upcaster] | None = None) -> Iterator[Event]:
    """The same events in their newest version."""
    steps = UPCASTERS if upcasters is None else upcasters
    for event in events:
        while (step := steps.get((event.type, event.version))) is not None:
            event = replace(event, version=event.version + 1, payload=step(event.payload))
        yield event
