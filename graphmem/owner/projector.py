"""Keeps the projections of the logs in a PostgreSQL database up to date, derives their facts, and publishes snapshots for machines
that have none. Several projectors, on any machines, divide the logs; if one ends, the others take over its share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from graphmem.errors import GraphmemError
from graphmem.memory import Memory
from graphmem.plurals import counted
from graphmem.store import shared_logs

_PAUSE_S = 1.0  # seconds between two looks at the logs
_SNAPSHOT = 1_000  # events from which a new snapshot is worth its size, and the share of all events
_SHARE = 10
Report = Callable[[str], None]


class Projector:
    """Works on its share of the logs until it is stopped; `folder` has one store for each."""

    def __init__(self, url: str, folder: Path, report: Report) -> None:
        """`report` is called with one sentence about each log that was worked on, or could not be. Raises UsageError for an
        unusable URL."""
        self._leases, self._folder, self._report = shared_logs.take_leases(url), folder, report
        self._seen: dict[str, int] = {}  # last event projected, by log
        self._published: dict[str, int] = {}

    def run(self, stopping: threading.Event, *, once: bool = False) -> None:
        """Work until `stopping` is set, or until all logs of this share are up to date."""
        try:
            while not stopping.is_set():
                is_behind = self._work(stopping)
                if once and not is_behind:
                    return
                if not is_behind:
                    stopping.wait(_PAUSE_S)
        finally:
            self._leases.close()

    def _work(self, stopping: threading.Event) -> bool:
        """Bring each log of this share up to date once; return whether one was behind."""
        is_behind = False
        try:
            held = self._leases.renew()
        except GraphmemError as error:
            self._report(str(error))
            stopping.wait(_PAUSE_S)
            return False
        for name, url in held.items():
            if stopping.is_set():
                break
            try:
                head = self._leases.head(name)
                if head > self._seen.get(name, 0):
                    self._project(name, url, head)
                    is_behind = True
            except GraphmemError as error:
                self._report(f"{name}: {error}")
        return is_behind

    def _project(self, name: str, url: str, head: int) -> None:
        store = self._folder / name
        if fetched := shared_logs.fetch_projections(store, url):
            self._published[name] = fetched.position
        with Memory.open(store, settings={"log.url": url}) as memory:
            done = memory.process()
        self._seen[name] = head
        said = f"{name}: {counted(done.events, 'event')} projected, {counted(done.derived, 'derivation')}"
        before = self._published.get(name, 0)
        is_due = not before or head - before >= max(_SNAPSHOT, head // _SHARE)
        if is_due and (made := shared_logs.publish_projections(store, url, head)):
            self._published[name] = head
            said += f", snapshot of {max(1, made.bytes >> 10):,} KB"
        self._report(said)
