"""State stored with the log: fixed settings, operations that must be completed, and marks by which a projection
recognises its log. Contains nothing that a replay needs."""

from __future__ import annotations

import json
import sqlite3
import threading
from typing import TYPE_CHECKING, Any

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.shrink import shrink_database
from graphmem.backends.log.sqlite_errors import translate_errors

if TYPE_CHECKING:
    import numpy as np

BEGUN, REACHED = "begun:", "reached:"  # prefixes of names in the table `meta`
_ADD = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
_REPLACE = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_BY_PREFIX = "SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?"


class LogState:
    """The `meta` table of a log, and cheap reads of its ends. Safe for concurrent threads and processes."""

    def __init__(self, db: Connection, lock: threading.RLock) -> None:
        self._db = db
        self._lock = lock

    def setting(self, name: str, default: Any, *, replace: bool = False) -> Any:
        """Return a stored value; the first one given is kept, unless `replace` is set. `default` may be a function that
        computes it; None stores nothing."""
        found = self._one("SELECT value FROM meta WHERE name = ?", name)
        if (found is None and default is not None) or replace:
            value = default() if callable(default) else default
            self._write(_REPLACE if replace else _ADD, name, value)
            found = self._one("SELECT value FROM meta WHERE name = ?", name)
        return found

    def release_memory(self) -> None:
        """Release cached pages and shorten the write-ahead log."""
        if isinstance(self._db, sqlite3.Connection):
            with self._lock:
                shrink_database(self._db)

    def begin_operation(self, work: str) -> None:
        """Durably record that the store's owner must complete this operation, even after a crash."""
        self._write(_ADD, BEGUN + work, 1)

    def finish_operation(self, work: str) -> None:
        """Remove that record."""
        self._write("DELETE FROM meta WHERE name = ?", BEGUN + work)

    def unfinished_operations(self) -> set[str]:
        """Return operations that were started but not completed."""
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(_BY_PREFIX, (len(BEGUN), BEGUN)).fetchall()
        return {name.removeprefix(BEGUN) for name, _ in rows}

    def watermark(self, step: str) -> int:
        """Return the position up to which the step has processed the log, 0 at first."""
        return int(self._one("SELECT value FROM meta WHERE name = ?", REACHED + step) or 0)

    def save_watermark(self, step: str, position: int) -> None:
        """Record that the step has processed the log up to this position."""
        self._write(_REPLACE, REACHED + step, position)

    def watermarks(self, prefix: str) -> dict[str, int]:
        """Return the watermarks of all steps whose name has this prefix, with the prefix removed."""
        begin = REACHED + prefix
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(_BY_PREFIX, (len(begin), begin)).fetchall()
        return {name.removeprefix(begin): int(value) for name, value in rows}

    def history_fingerprint(self, position: int) -> int:
        """Return a number that identifies the log up to this position (48 bits of the checksum of its last event); 0 if
        there is no event there."""
        checksum = self._one("SELECT checksum FROM events WHERE position = ?", position)
        return int.from_bytes(checksum[:6], "big") if checksum else 0

    def last_position(self, event_type: str) -> int:
        """Return the position of the last event of a type that was not forgotten; 0 if none."""
        found = self._one(
            "SELECT max(e.position) FROM events e LEFT JOIN forgotten f USING (position)"
            " WHERE e.type = ? AND f.position IS NULL",
            event_type,
        )
        return int(found or 0)

    def first_time_us(self, event_type: str) -> int:
        """Return the time of the first event of a type that was not forgotten, in microseconds; 0 if none."""
        found = self._one(
            "SELECT e.at FROM events e LEFT JOIN forgotten f USING (position)"
            " WHERE e.type = ? AND f.position IS NULL ORDER BY e.clock LIMIT 1",
            event_type,
        )
        return int(found or 0)

    def last_derivation_number(self) -> int:
        """Return the highest derivation number ever used."""
        return int(self._one("SELECT seq FROM sqlite_sequence WHERE name = ?", "derivations") or 0)

    def count_derivations(self) -> int:
        """Return how many derivations there are now; numbers have gaps."""
        return int(self._one("SELECT count(*) FROM derivations WHERE number > ?", 0) or 0)

    def clocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (ids, clocks) of all events, sorted by id; clocks in microseconds."""
        import numpy as np

        with self._lock, translate_errors("the log cannot be read"):
            size = self._db.execute("SELECT count(*) FROM events").fetchone()[0]
            ids, clocks, at = np.zeros(size, "S24"), np.zeros(size, np.int64), 0
            cursor = self._db.execute("SELECT id, clock FROM events LIMIT ?", (size,))
            while page := cursor.fetchmany(20_000):
                names, times = zip(*page, strict=True)
                ids[at : at + len(page)], clocks[at : at + len(page)] = names, times
                at += len(page)
        order = np.lexsort((clocks[:at], ids[:at]))
        found, first = np.unique(ids[:at][order], return_index=True)
        return found, clocks[:at][order][first]

    def step_results(self, step: str, source: str) -> list[dict[str, Any]]:
        """Return the bodies of all derivations of a step from one event, oldest first."""
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(
                "SELECT body FROM derivations WHERE source = ? AND step = ? ORDER BY number", (source, step)
            ).fetchall()
        return [json.loads(body) for (body,) in rows]

    def _one(self, query: str, argument: Any) -> Any:
        with self._lock, translate_errors("the log cannot be read"):
            row = self._db.execute(query, (argument,)).fetchone()
        return row[0] if row else None

    def _write(self, statement: str, *arguments: Any) -> None:
        with self._lock, translate_errors("the log was not changed"):
            self._db.execute(statement, arguments)
