"""State of a log on a server. What holds for everybody who uses the log is stored there; what concerns the projections and the
owner of one store is stored in that store."""

from __future__ import annotations

import json
import threading
from typing import Any

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.state import BEGUN, REACHED, LogState

_OWN_STEPS = ("index/", "mended/", "own/")  # prefixes of watermarks of one store
_OWN_SETTINGS = frozenset({"graph_engine", "graph_id"})


def is_own_row(name: str) -> bool:
    """Return whether a row of the table `meta` concerns one store alone."""
    return name in _OWN_SETTINGS or name.startswith((BEGUN, *(REACHED + step for step in _OWN_STEPS)))


class ServerState(LogState):
    """The `meta` table of a log on a server, and that of this store."""

    def __init__(self, db: Connection, lock: threading.RLock, own: LogState) -> None:
        super().__init__(db, lock)
        self.own = own

    def setting(self, name: str, default: Any, *, replace: bool = False) -> Any:
        """Return a stored value; the first one given is kept, unless `replace` is set."""
        if name in _OWN_SETTINGS:
            return self.own.setting(name, default, replace=replace)
        told = default if default is None else lambda: json.dumps(default() if callable(default) else default)
        found = super().setting(name, told, replace=replace)
        return None if found is None else json.loads(found)

    def _write(self, statement: str, *arguments: Any) -> None:
        super()._write(statement, *map(str, arguments))

    def release_memory(self) -> None:
        """Release cached pages of the file of this store."""
        self.own.release_memory()

    def begin_operation(self, work: str) -> None:
        """Durably record that the owner of this store must complete this operation, even after a crash."""
        self.own.begin_operation(work)

    def finish_operation(self, work: str) -> None:
        """Remove that record."""
        self.own.finish_operation(work)

    def unfinished_operations(self) -> set[str]:
        """Return operations of this store that were started but not completed."""
        return self.own.unfinished_operations()

    def watermark(self, step: str) -> int:
        """Return the position up to which the step has processed the log, 0 at first."""
        return self.own.watermark(step) if step.startswith(_OWN_STEPS) else super().watermark(step)

    def save_watermark(self, step: str, position: int) -> None:
        """Record that the step has processed the log up to this position."""
        if step.startswith(_OWN_STEPS):
            self.own.save_watermark(step, position)
        else:
            super().save_watermark(step, position)

    def watermarks(self, prefix: str) -> dict[str, int]:
        """Return the watermarks of all steps whose name has this prefix, with the prefix removed."""
        return self.own.watermarks(prefix) if prefix.startswith(_OWN_STEPS) else super().watermarks(prefix)

    def last_derivation_number(self) -> int:
        """Return the highest derivation number ever used."""
        return max(
            int(self._one("SELECT coalesce(max(number), 0) FROM derivations WHERE number > ?", 0)),
            int(self._one("SELECT value FROM meta WHERE name = ?", "last_number") or 0),
        )
