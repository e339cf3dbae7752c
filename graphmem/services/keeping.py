"""The care of a store: its health and contents, what is withheld from agents, when it evolves, and where it lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmem.browse.review import decide, review
from graphmem.context import StoreContext
from graphmem.evolution.schedule import Plan, schedule
from graphmem.model.table import Table
from graphmem.retrieve.guard import ALLOW, DENY
from graphmem.sync.destination import parse_destination
from graphmem.sync.health import check_health, count_contents


class KeepingService:
    """The care of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

    def stats(self) -> dict[str, Any]:
        """Counts of events, nodes, relations and items, and sizes in bytes."""
        return count_contents(self._store)

    def health(self) -> dict[str, Any]:
        """Whether every file is sound and every projection up to date, and what to do where not."""
        return check_health(self._store)

    def review(self, *, limit: int, every: bool) -> Table:
        """What is withheld from agents, newest first; with `every`, also what was allowed or denied."""
        return review(self._store, limit=limit, every=every)

    def decide(self, id: str, *, allowed: bool) -> dict[str, str]:
        """Let agents see something, or never show it to them. Raises NotFound."""
        return decide(self._store, id, ALLOW if allowed else DENY)

    def schedule(self, scheduler: str | None, at: str, write: Path | None) -> Plan:
        """The entry of a scheduler that runs `memify` every day, written to a file where one is named."""
        return schedule(self._store.path, scheduler=scheduler, at=at, write=write)

    def destination(self, url: str | Path) -> Path:
        """The folder that a path or a `file:` URL means. Raises UsageError for any other URL and for a place that is taken."""
        return parse_destination(url, self._store.path)
