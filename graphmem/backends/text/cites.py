"""The short citations of events: each has one of its own, however many items it has (REQUIREMENTS 11). It reads what is taken
in `index.db`, and writes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graphmem.backends.text.statements import marks, parts
from graphmem.model.changes import Item
from graphmem.text.keys import citation_id

_TAKEN = "SELECT cite, CASE event WHEN '' THEN id ELSE event END FROM items JOIN contents USING (row) WHERE cite"
_SALTS = (*((salt, 6) for salt in range(1, 11)), (0, 7), (0, 8), (1, 8), (2, 8))  # and lengths that are tried in turn


def cites_of(db: sqlite3.Connection, items: Sequence[Item]) -> dict[str, str]:
    """The citation of each event of these items; where another event has it already, the next one."""
    cites = {event: citation_id(event) for event in dict.fromkeys(item.event or item.id for item in items)}
    taken = {
        cite: event
        for part in parts(cites.values())
        for cite, event in db.execute(f"{_TAKEN} IN ({marks(part)})", part)
    }
    for event in cites:
        if taken.setdefault(cites[event], event) == event:
            continue
        salts = iter(_SALTS)
        while taken.setdefault(cites[event], event) != event:
            salt, length = next(salts)
            cites[event] = citation_id(event, salt, length)
            taken |= db.execute(f"{_TAKEN} = ?", (cites[event],))
    return cites
