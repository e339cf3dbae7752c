"""What endless mode reads from the end of the log: whether it is on, turns not yet in a memory, and turns of the last
day. Reads a few hundred events, however long the log is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from graphmem.context import HookContext
from graphmem.endless.switch import switched_on
from graphmem.model.events import Event
from graphmem.text.todolists import is_own_list
from graphmem.tree.sensor import TYPES, Sensed, sensed_now

CONSOLIDATED = "turns_consolidated"
WINDOW = 24 * 3_600 * 1_000_000  # microseconds of the working set
CAPACITY = 100  # events of the working set
_PAGE = 2 * CAPACITY
_MAX_CACHED_TURNS = 4_096  # analysed turns cached per process


@dataclass(frozen=True, slots=True)
class Trail:
    """`enabled` is the event that enabled the mode, None if off; `last` is the last consolidation since the mode was
    first enabled. `pending` turns are in no memory yet; `recent` turns can be in the working set. Both in order."""

    now: int
    enabled: Event | None
    last: Event | None
    pending: tuple[Event, ...]
    recent: tuple[Event, ...]


def read_trail(host: HookContext) -> Trail:
    """Read the end of the log for endless mode."""
    now, enabled = host.clock.now(), switched_on(host)
    last = _newest(host, CONSOLIDATED)
    upto = max((event.payload["upto"] for event in (last, enabled) if event), default=now)
    carried = host.log.get(last.payload["carried"]) if last else {}
    pending, recent = list(carried.values()), []
    for page in _pages(host):
        fresh = [event for event in page if event.clock > upto]
        near = [event for event in page if event.at >= now - WINDOW]
        pending += fresh
        recent += near
        if not fresh and (len(recent) >= _PAGE or not near):
            break
    return Trail(now, enabled, last, _ordered(pending), _ordered([*recent[:_PAGE], *pending]))


def turns_since(host: HookContext, at: int) -> list[Event]:
    """Return turns of the project since a time, in order."""
    found: list[Event] = []
    for page in _pages(host):
        near = [event for event in page if event.at >= at]
        found += near
        if not near:
            break
    return list(_ordered(found))


def sensed_turns(event: Event) -> Sensed:
    """Return an analysed turn, cached for the life of the process: turns never change."""
    key = (event.id, event.clock, event.at)  # a turn has the same id in every log, but its own time
    known = _SENSED.get(key)
    if known is None:
        known = _SENSED[key] = sensed_now(event)
        if len(_SENSED) > _MAX_CACHED_TURNS:
            _SENSED.popitem(last=False)
    return known


_SENSED: OrderedDict[tuple[str, int, int], Sensed] = OrderedDict()


def _newest(host: HookContext, kind: str) -> Event | None:
    found = host.log.pages.newest(50, types=[kind])
    return next((event for event in found if event.project == host.project and event.payload), None)


def _pages(host: HookContext) -> Iterator[list[Event]]:
    """Yield turns of the project, newest first, in pages."""
    before: int | None = None
    while events := host.log.pages.newest(_PAGE, before=before, types=TYPES):
        own = (event for event in events if event.project == host.project)
        yield [event for event in own if not is_own_list(event.type, event.payload)]
        before = events[-1].position


def _ordered(events: list[Event]) -> tuple[Event, ...]:
    return tuple(sorted({event.id: event for event in events}.values(), key=lambda event: (event.clock, event.id)))
