"""The runs of memify in the log: which there were, whether one is due, and whether index and graph hold what the last one wrote.
Every owner asks that, and few have anything to run: this module loads none of the passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from graphmem.memify.usage import BY_HAND, DAY
from graphmem.model.events import Event
from graphmem.ports.log import EventLog, LogState

NAMES = (
    "consolidation", "importance", "decay", "conflicts", "graduation", "association", "categories", "communities", "insights",
)  # fmt: skip
HOUR = 3_600_000_000


class Run(NamedTuple):
    """A run: its event, its day (whole days since 1970), how far it read the log, and its passes."""

    id: str
    day: int
    upto: int
    clock: int
    passes: tuple[str, ...]

    @property
    def now(self) -> int:
        """Return the end of its day in microseconds: events of that day have age zero."""
        return (self.day + 1) * DAY


class Reach(NamedTuple):
    """Log positions of the last run, tombstone and manual decision. Index and graph store it as cursors."""

    memified: int
    memified_stones: int
    memified_hands: int

    @classmethod
    def of(cls, state: LogState) -> Reach:
        """Return the reach of a log."""
        return cls(
            state.last_position("memified"),
            state.last_position("memory_forgotten"),
            max(map(state.last_position, BY_HAND)),
        )

    @classmethod
    def shown(cls, cursors: Mapping[str, int]) -> Reach:
        """Return the reach of a projection."""
        return cls(*(cursors.get(name, 0) for name in cls._fields))


def is_restored(reach: Reach, text: Reach, graph: Reach) -> bool:
    """Return whether index and graph reach as far as the log, or no run or decision concerns them."""
    return text == graph == reach or not (reach.memified or reach.memified_hands)


def past_runs(log: EventLog) -> list[Run]:
    """Return every run, oldest first."""
    events = sorted(log.read(types=["memified"]), key=lambda event: event.clock)
    return [read_run(event) for event in events if event.payload]  # one that was written by hand may hold nothing


def read_run(event: Event) -> Run:
    """Return the run that an event records."""
    payload = event.payload
    return Run(event.id, int(payload["day"]), int(payload["upto"]), event.clock, tuple(payload["passes"]))


def due_trigger(log: EventLog, now: int) -> str | None:
    """Return the due trigger: "daily" a day after the last run (or first event), "task_completion" if a task was
    completed since the last run, which is an hour ago; None if nothing is due."""
    every = past_runs(log)
    daily = max((run.clock for run in every if set(run.passes) >= set(NAMES)), default=0)
    if not daily:
        first = next(iter(log.read(upto=1)), None)
        if first is None:
            return None
        daily = first.clock
    if now - daily >= DAY:
        return "daily"
    last = every[-1] if every else None
    if last and now - last.clock >= HOUR and _task_done(log, last.upto):
        return "task_completion"
    return None


def _task_done(log: EventLog, after: int) -> bool:
    events = log.read(after, types=["task_status_changed"])
    return any((event.payload.get("state") or {}).get("status") == "done" for event in events)
