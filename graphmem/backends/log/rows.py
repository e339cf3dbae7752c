"""Events out of rows of the log file: the columns to ask for, which of several twins counts, and the check that a payload is
what was appended."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

from graphmem.backends.log.chain import parsed
from graphmem.errors import StoreDamaged
from graphmem.model.events import Event

RESTORE = "run `graphmem doctor`, restore log.db from a backup"
COLUMNS = (
    "e.position, e.id, e.type, e.version, e.at, e.clock, e.origin, e.session, e.project, e.actor, e.digest, p.salt, p.body"
    " FROM events e LEFT JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
)


def earliest(db: sqlite3.Connection) -> str:
    """A condition for merged logs, where an act can stand twice: the earliest by clock is the one that counts."""
    (merged,) = db.execute(  # two look-ups in the index: DISTINCT would read all of it
        "SELECT (SELECT min(origin) FROM events) <> (SELECT max(origin) FROM events)"
    ).fetchone()
    twin = "SELECT 1 FROM events o WHERE o.id = e.id AND (o.clock, o.origin) < (e.clock, e.origin)"
    return f" AND NOT EXISTS ({twin})" if merged else ""


def event(row: tuple[Any, ...]) -> Event:
    """An event from its row. Its payload must be what was appended: nothing wrong is ever projected."""
    *envelope, digest, salt, body = row
    if body is None:  # rows of what was forgotten are not asked for
        raise StoreDamaged(f"the payload of event {envelope[1]} is missing: {RESTORE}")
    if hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest() != digest:
        raise StoreDamaged(f"the payload of event {envelope[1]} was changed: {RESTORE}")
    return Event(*envelope, parsed(body))  # type: ignore[call-arg]
