"""What a log says of itself besides its events: settings that stay, work that was begun and must be finished, and the
marks by which a projection recognises the log that it was made from. It holds no knowledge that a replay needs."""

from __future__ import annotations

import json
import sqlite3
import threading
from typing import TYPE_CHECKING, Any

from graphmem.backends.log.failures import translate_errors

if TYPE_CHECKING:
    import numpy as np

_BEGUN, _REACHED = "begun:", "reached:"


class LogState:
    """The `meta` table of a log, and cheap looks at its ends. Safe for several threads and processes."""

    def __init__(self, db: sqlite3.Connection, lock: threading.RLock) -> None:
        self._db = db
        self._lock = lock

    def setting(self, name: str, default: Any) -> Any:
        """What the store was made with: the first value given stays. `default` may be a function that makes it."""
        found = self._one("SELECT value FROM meta WHERE name = ?", name)
        if found is None:
            self._write("INSERT OR IGNORE INTO meta VALUES (?, ?)", name, default() if callable(default) else default)
            found = self._one("SELECT value FROM meta WHERE name = ?", name)
        return found

    def begin(self, work: str) -> None:
        """Note, durably, that this work must be finished by whoever owns the store, should this process end."""
        self._write("INSERT OR IGNORE INTO meta VALUES (?, 1)", _BEGUN + work)

    def finish(self, work: str) -> None:
        """Take the note away."""
        self._write("DELETE FROM meta WHERE name = ?", _BEGUN + work)

    def unfinished(self) -> set[str]:
        """Work that was begun and not finished."""
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute("SELECT name FROM meta WHERE name GLOB ?", (f"{_BEGUN}*",)).fetchall()
        return {name.removeprefix(_BEGUN) for (name,) in rows}

    def reached(self, work: str) -> int:
        """The position up to which this work was done on the log itself, 0 where it was not begun."""
        return int(self._one("SELECT value FROM meta WHERE name = ?", _REACHED + work) or 0)

    def reach(self, work: str, position: int) -> None:
        """Note how far it got."""
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", _REACHED + work, position)

    def marks(self, prefix: str) -> dict[str, int]:
        """Everything that was reached whose name begins so, without that."""
        begin = _REACHED + prefix
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute("SELECT name, value FROM meta WHERE name GLOB ?", (f"{begin}*",)).fetchall()
        return {name.removeprefix(begin): int(value) for name, value in rows}

    def anchor(self, position: int) -> int:
        """A number that only this history has at this position (48 bits of the checksum), 0 where there is no event."""
        checksum = self._one("SELECT checksum FROM events WHERE position = ?", position)
        return int.from_bytes(checksum[:6], "big") if checksum else 0

    def last(self, type: str) -> int:
        """The position of the last event of a type that was not forgotten; 0 where there is none."""
        found = self._one(
            "SELECT max(e.position) FROM events e LEFT JOIN forgotten f USING (position)"
            " WHERE e.type = ? AND f.position IS NULL",
            type,
        )
        return int(found or 0)

    def since(self, type: str) -> int:
        """The time of the first event of a type that was not forgotten, in microseconds; 0 where there is none."""
        found = self._one(
            "SELECT e.at FROM events e LEFT JOIN forgotten f USING (position)"
            " WHERE e.type = ? AND f.position IS NULL ORDER BY e.clock LIMIT 1",
            type,
        )
        return int(found or 0)

    def derivations(self) -> int:
        """The number of the last derivation that there ever was."""
        return int(self._one("SELECT seq FROM sqlite_sequence WHERE name = ?", "derivations") or 0)

    def count_derivations(self) -> int:
        """How many derivations there are now; numbers have gaps."""
        return int(self._one("SELECT count(*) FROM derivations WHERE number > ?", 0) or 0)

    def clocks(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids, clocks) of all events, sorted by id: when each was recorded, in microseconds."""
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

    def made(self, step: str, source: str) -> list[dict[str, Any]]:
        """What a step made of one event, in order."""
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
