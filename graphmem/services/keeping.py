"""Store maintenance: health, statistics, review of withheld items, scheduling, and moving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmem.browse.approvals import list_unapproved
from graphmem.browse.review import decide, review
from graphmem.context import StoreContext
from graphmem.errors import UsageError
from graphmem.evolution.schedule import Plan, schedule
from graphmem.model.table import Table
from graphmem.retrieve.guard import ALLOW, DENY
from graphmem.sync.bug_report import make_bug_report
from graphmem.sync.destination import parse_destination
from graphmem.sync.health import check_health, count_contents


class KeepingService:
    """Maintenance of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def stats(self) -> dict[str, Any]:
        """Return counts of events, nodes, relations and items, and sizes in bytes."""
        return count_contents(self._store)

    def health(self) -> dict[str, Any]:
        """Return the state of every file and projection, and how to fix each problem."""
        return check_health(self._store)

    def bug_report(self) -> dict[str, Any]:
        """Return what a developer needs to know about this store and machine, without any text of the user."""
        return make_bug_report(self._store)

    def review(self, *, limit: int, every: bool) -> Table:
        """Return items withheld from agents, newest first. With `every`, include those already allowed or denied."""
        return review(self._store, limit=limit, every=every)

    def approvals(self, *, limit: int, every: bool) -> Table:
        """Return what waits for approval, newest first. With `every`, include what was rejected."""
        return list_unapproved(self._store, limit=limit, every=every)

    def allowed(self) -> frozenset[str]:
        """Return the ids of what a person allowed agents to see."""
        guard = self._store.retriever.ports.guard
        return frozenset(name for name, verdict in guard.verdicts.items() if verdict == ALLOW) if guard else frozenset()

    def decide(self, id: str, *, allowed: bool) -> dict[str, str]:
        """Allow agents to see an item, or deny it permanently. Raises NotFound."""
        return decide(self._store, id, ALLOW if allowed else DENY)

    def schedule(self, scheduler: str | None, at: str, write: Path | None) -> Plan:
        """Return a scheduler entry that runs `memify` daily, written to a file if one is given."""
        return schedule(self._store.path, scheduler=scheduler, at=at, write=write)

    def destination(self, location: Path, url: str | Path | None, engine: str | None, log: str | None) -> Path:
        """Return the folder that a path or a `file:` URL refers to; the store's own for another engine or place of the log.
        Raises UsageError for any other URL, for a path that is taken, and unless exactly one is given."""
        if [url, engine, log].count(None) != 2:
            raise UsageError(
                "name either the folder, the graph engine or the place of the log that the store shall move to"
            )
        return location if url is None else parse_destination(url, self._store.path)
