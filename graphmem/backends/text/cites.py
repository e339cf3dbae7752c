"""Short citations of items: each item of any kind has a unique one. Reads the citations in use from `index.db`; writes
nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from graphmem.backends.text.statements import placeholders, split_parameters
from graphmem.model.changes import Item
from graphmem.text.keys import citation_id

_TAKEN = "SELECT cite, id FROM items WHERE cite <> '' AND cite"
_SALTS = (*((salt, 6) for salt in range(1, 11)), (0, 7), (0, 8), (1, 8), (2, 8))  # lengths that are tried in turn


def cites_of(db: sqlite3.Connection, items: Sequence[Item]) -> dict[str, str]:
    """Return the citation of each of these items by id. If another item has it, the next candidate is used."""
    cites = {item.id: citation_id(item.id) for item in items}
    taken = {
        cite: name
        for part in split_parameters(cites.values())
        for cite, name in db.execute(f"{_TAKEN} IN ({placeholders(part)})", part)
    }
    for name in cites:
        if taken.setdefault(cites[name], name) == name:
            continue
        salts = iter(_SALTS)
        while taken.setdefault(cites[name], name) != name:
            salt, length = next(salts)
            cites[name] = citation_id(name, salt, length)
            taken |= db.execute(f"{_TAKEN} = ?", (cites[name],))
    return cites
