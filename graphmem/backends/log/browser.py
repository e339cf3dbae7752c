"""Reads a log from its end, and counts in it, without reading all of it. Read-only."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from graphmem.backends.log.chain import changed_envelopes, parse_canonical
from graphmem.backends.log.connection import Connection
from graphmem.backends.log.merges import TrustCache
from graphmem.backends.log.rows import COLUMNS, RESTORE, event_from_row, is_sound
from graphmem.backends.log.sqlite_errors import translate_errors
from graphmem.errors import StoreDamaged
from graphmem.model.events import Event

_LAST_POSITION = 2**62


class SqlLogBrowser:
    """The `LogBrowser` of a log. Safe for concurrent threads and processes."""

    def __init__(self, db: Connection, lock: threading.RLock, trust: TrustCache) -> None:
        self._db = db
        self._lock = lock
        self._trust = trust

    def newest(
        self,
        limit: int,
        *,
        before: int | None = None,
        after: int = 0,
        session: str | None = None,
        types: Iterable[str] | None = None,
    ) -> list[Event]:
        """Return at most `limit` events that were not forgotten, newest first, between two positions (both exclusive).
        With `types`, only events that match the schema of their type. Raises StoreDamaged if one was modified."""
        found: list[Event] = []
        while wanted := limit - len(found):
            read = self._page(wanted, before=before, after=after, session=session, types=types)
            found += read if types is None else filter(is_sound, read)
            if len(read) < wanted:
                break
            before = read[-1].position
        return found

    def _page(
        self, limit: int, *, before: int | None, after: int, session: str | None, types: Iterable[str] | None
    ) -> list[Event]:
        conditions = ["f.position IS NULL", "e.position < ?", "e.position > ?"]
        values: list[Any] = [_LAST_POSITION if before is None else before, after]
        if session is not None:
            conditions.append("e.session = ?")
            values.append(session)
        if types is not None:
            chosen = sorted(types)
            conditions.append(f"e.type IN ({','.join('?' * len(chosen))})")
            values += chosen
        where = " AND ".join(conditions)
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(
                f"SELECT {COLUMNS} WHERE {where}{self._trust.one_copy()} ORDER BY e.position DESC LIMIT ?",
                (*values, limit),
            ).fetchall()
            changed = next(changed_envelopes(self._db, [row[0] for row in rows]), None)
            trust = self._trust.current()
        if changed is not None:
            raise StoreDamaged(f"the envelope of event {changed} was changed: {RESTORE}")
        return [event_from_row(row, trust) for row in rows]

    def forgotten_unpurged(self) -> list[Event]:
        """Return events that were forgotten but not yet erased, in order."""
        with self._lock, translate_errors("the log cannot be read"):
            where = f"f.position IS NOT NULL AND p.body IS NOT NULL{self._trust.one_copy()}"
            rows = self._db.execute(f"SELECT {COLUMNS} WHERE {where} ORDER BY e.position").fetchall()
            trust = self._trust.current()
        return [event_from_row(row, trust) for row in rows]

    def count_by_interval(self, interval_us: int, since_us: int) -> list[tuple[int, str, int]]:
        """Count events by type in each interval of `interval_us` microseconds: (number of the interval since 1970, type,
        count), for events since `since_us`."""
        with self._lock, translate_errors("the log cannot be read"):
            return self._db.execute(
                "SELECT e.at / ?, e.type, count(*) FROM events e LEFT JOIN forgotten f USING (position)"
                f" WHERE f.position IS NULL AND e.at >= ?{self._trust.one_copy()} GROUP BY 1, 2 ORDER BY 1, 2",
                (interval_us, since_us),
            ).fetchall()

    def suspected_injections(self) -> list[Event]:
        """Return events flagged as possible prompt injection, in log order, without forgotten ones. Reads all payloads."""
        with self._lock, translate_errors("the log cannot be read"):
            where = f"p.body LIKE ? AND f.position IS NULL{self._trust.one_copy()}"
            rows = self._db.execute(
                f"SELECT {COLUMNS} WHERE {where} ORDER BY e.position", ('%"suspicious":["%',)
            ).fetchall()
            trust = self._trust.current()
        return [found for row in rows if (found := event_from_row(row, trust)).payload.get("suspicious")]

    def redaction_counts(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (event type, `privacy` entry of the payload) of every event from which something was redacted. Reads all
        payloads."""
        with self._lock, translate_errors("the log cannot be read"):
            rows = self._db.execute(  # filter by text first: parsing each payload takes ten times as long
                "SELECT e.type, p.body FROM payloads p JOIN events e USING (position)"
                " LEFT JOIN forgotten f USING (position)"
                f" WHERE p.body LIKE ? AND f.position IS NULL{self._trust.one_copy()}",
                ('%"privacy":{%',),
            ).fetchall()
        found = ((type, parse_canonical(body).get("privacy")) for type, body in rows)
        return [(type, counts) for type, counts in found if counts]
