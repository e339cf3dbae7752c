"""Dead letters and model costs in one small SQLite file, `buffer.db`. Only the owner writes it; others may read."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from graphmem.backends.log.sqlite import connect_file
from graphmem.errors import StoreDamaged
from graphmem.ports.backlog import PROJECTION, Letter
from graphmem.ports.clock import Clock

_WAITS = (60_000_000, 300_000_000, 1_800_000_000)  # microseconds before the next try
_MAX_ERROR_CHARS = 200  # characters of an error


class SqliteBacklog:
    """Backlog and Spending. Thread-safe."""

    def __init__(self, path: Path, clock: Clock, retries: int) -> None:
        try:
            self._db = connect_file(path, Path(__file__).with_name("schema.sql"), sqlite3.Connection)
        except StoreDamaged as error:
            lost = "only the list of dead letters and the model costs are lost"
            raise StoreDamaged(f"{path.name} is damaged: delete {path}; {lost}", path=str(path)) from error
        self._clock = clock
        self._retries = retries
        self._lock = threading.RLock()

    def fail(self, step: str, events: Sequence[str], error: str) -> None:
        now = self._clock.now()
        with self._lock, self._db:
            for event in events:
                row = self._db.execute(
                    "SELECT attempts FROM letters WHERE step = ? AND event = ?", (step, event)
                ).fetchone()
                attempts = (row[0] if row else 0) + 1
                wait = _WAITS[min(attempts, len(_WAITS)) - 1]
                self._db.execute(
                    "INSERT INTO letters(step, event, attempts, error, due, dead) VALUES (?, ?, ?, ?, ?, ?)"
                    " ON CONFLICT(step, event) DO UPDATE SET attempts = excluded.attempts, error = excluded.error,"
                    " due = excluded.due, dead = excluded.dead",
                    (step, event, attempts, error[:_MAX_ERROR_CHARS], now + wait, attempts > self._retries),
                )

    def set_aside(self, step: str, refusals: Iterable[tuple[str, str]]) -> None:
        with self._lock, self._db:
            self._db.executemany(
                "INSERT INTO letters(step, event, attempts, error, due, dead) VALUES (?, ?, 1, ?, 0, 1)"
                " ON CONFLICT(step, event) DO UPDATE SET error = excluded.error, dead = 1",
                ((step, event, error[:_MAX_ERROR_CHARS]) for event, error in refusals),
            )

    def due(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        with self._lock:
            for step, event in self._db.execute(
                "SELECT step, event FROM letters WHERE NOT dead AND due <= ? ORDER BY number", (self._clock.now(),)
            ):
                found.setdefault(step, []).append(event)
        return found

    def settle(self, step: str, events: Sequence[str]) -> None:
        with self._lock, self._db:
            self._db.executemany("DELETE FROM letters WHERE step = ? AND event = ?", ((step, e) for e in events))

    def letters(self, *, dead: bool) -> list[Letter]:
        with self._lock:
            rows = self._db.execute(
                "SELECT step, event, attempts, error, dead FROM letters WHERE dead = ? ORDER BY number", (dead,)
            ).fetchall()
        return [Letter(step, event, attempts, error, bool(gone)) for step, event, attempts, error, gone in rows]

    def purge(self, events: Container[str]) -> None:
        """Erase all letters that belong to none of these events: error messages may quote input."""
        with self._lock:
            gone = [row for row in self._db.execute("SELECT step, event FROM letters") if row[1] not in events]
            with self._db:
                self._db.executemany("DELETE FROM letters WHERE step = ? AND event = ?", gone)
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def revive(self) -> int:
        with self._lock, self._db:
            return self._db.execute(
                "UPDATE letters SET dead = 0, attempts = 0, due = 0 WHERE dead AND step NOT GLOB ?", (f"{PROJECTION}*",)
            ).rowcount

    def let_go(self, steps: str) -> int:
        with self._lock, self._db:
            return self._db.execute("DELETE FROM letters WHERE step GLOB ?", (f"{steps}*",)).rowcount

    def spend(self, day: int, **counts: int) -> None:
        with self._lock, self._db:
            self._db.executemany(
                "INSERT INTO spending VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
                ((day, name, count) for name, count in counts.items()),
            )

    def spent(self, day: int | None = None) -> Mapping[str, int]:
        query = "SELECT name, sum(count) FROM spending WHERE day = coalesce(?, day) GROUP BY name"
        with self._lock:
            return dict(self._db.execute(query, (day,)))

    def close(self) -> None:
        with self._lock:
            self._db.close()
