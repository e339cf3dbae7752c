"""Looking at a log from its end, and counting in it, without reading all of it. It changes nothing."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable
from typing import Any

from graphmem.backends.log.chain import changed_envelopes
from graphmem.backends.log.failures import translate_errors
from graphmem.backends.log.rows import COLUMNS, RESTORE, earliest_condition, event_from_row
from graphmem.errors import StoreDamaged
from graphmem.model.events import Event

_END = 2**62


class LogPages:
    """Browsing. Safe for several threads and processes."""

    def __init__(self, db: sqlite3.Connection, lock: threading.RLock, origin: str) -> None:
        self._db = db
        self._lock = lock
        self._origin = origin

    def newest(
        self,
        limit: int,
        *,
        before: int | None = None,
        after: int = 0,
        session: str | None = None,
        types: Iterable[str] | None = None,
    ) -> list[Event]:
        """At most `limit` events that were not forgotten, newest first, between two positions (both exclusive); of `types`, if
        those are given, only events of their type's shape. Raises StoreDamaged where one of them is not what was appended."""
        found: list[Event] = []
        while wanted := limit - len(found):
            read = self._page(wanted, before=before, after=after, session=session, types=types)
            found += read if types is None else (event for event in read if not event.problem)
            if len(read) < wanted:
                break
            before = read[-1].position
        return found

    def _page(
        self, limit: int, *, before: int | None, after: int, session: str | None, types: Iterable[str] | None
    ) -> list[Event]:
        chosen = sorted(types) if types is not None else []
        where = "f.position IS NULL AND e.position < ? AND e.position > ?"
        where += " AND e.session = ?" * (session is not None)
        where += f" AND e.type IN ({','.join('?' * len(chosen))})" * (types is not None)
        given = [_END if before is None else before, after, *([] if session is None else [session]), *chosen, limit]
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(
                f"SELECT {COLUMNS} WHERE {where}{earliest_condition(self._db)} ORDER BY e.position DESC LIMIT ?", given
            ).fetchall()
            changed = next(changed_envelopes(self._db, [row[0] for row in rows]), None)
        if changed is not None:
            raise StoreDamaged(f"the envelope of event {changed} was changed: {RESTORE}")
        return [event_from_row(row, self._origin) for row in rows]

    def buried(self) -> list[Event]:
        """What was forgotten and not erased yet, in order."""
        with self._lock, translate_errors("the log cannot be read"):
            where = f"f.position IS NOT NULL AND p.body IS NOT NULL{earliest_condition(self._db)}"
            rows = self._db.execute(f"SELECT {COLUMNS} WHERE {where} ORDER BY e.position").fetchall()
        return [event_from_row(row, self._origin) for row in rows]

    def tally(self, width: int, since: int) -> list[tuple[int, str, int]]:
        """How many events of each type there are in each span of `width` microseconds: (number of the span since 1970,
        type, count), of those that happened at `since` or later."""
        with self._lock, translate_errors("the log cannot be read"):
            return self._db.execute(
                "SELECT e.at / ?1, e.type, count(*) FROM events e LEFT JOIN forgotten f USING (position)"
                f" WHERE f.position IS NULL AND e.at >= ?2{earliest_condition(self._db)} GROUP BY 1, 2 ORDER BY 1, 2",
                (width, since),
            ).fetchall()

    def suspicious(self) -> list[Event]:
        """Events that were marked as orders to the agent when they were written, and not forgotten, in order. Reads all
        payloads."""
        with self._lock, translate_errors("the log cannot be read"):
            where = f"instr(p.body, ?) AND f.position IS NULL{earliest_condition(self._db)}"
            rows = self._db.execute(
                f"SELECT {COLUMNS} WHERE {where} ORDER BY e.position", ('"suspicious":["',)
            ).fetchall()
        return [found for row in rows if (found := event_from_row(row, self._origin)).payload.get("suspicious")]

    def withheld(self) -> list[tuple[str, dict[str, Any]]]:
        """(type, what its payload tells under `privacy`) of every event that not all of was kept. Reads all payloads."""
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(  # the text decides first: parsing each payload would take ten times as long
                "SELECT e.type, json_extract(p.body, '$.privacy') FROM payloads p JOIN events e USING (position)"
                " LEFT JOIN forgotten f USING (position)"
                f" WHERE instr(p.body, ?) AND f.position IS NULL{earliest_condition(self._db)}",
                ('"privacy":{',),
            ).fetchall()
        return [(type, json.loads(told)) for type, told in rows if told]
