"""Stores which items mention which entities, and by which names. Part of `index.db`: writes belong to the transaction
of the index; names that no item uses are deleted."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from graphmem.backends.text.statements import placeholders, split_parameters
from graphmem.backends.text.words import fold_name
from graphmem.model.changes import Link
from graphmem.ports.text import ItemFilter, Mention

if TYPE_CHECKING:
    from graphmem.backends.text.columns import Columns

_COUNT = "(SELECT count(*) FROM mentions n WHERE n.number = e.number)"


class MentionTable:
    """Mentions, over the connection and lock of its index."""

    def __init__(self, db: sqlite3.Connection, lock: threading.RLock, view: Callable[[], Columns]) -> None:
        self._db = db
        self._lock = lock
        self._view = view

    # -- writing, within a transaction of the index

    def add(self, links: Sequence[Link], known: Mapping[str, int] | None = None) -> None:
        """Add links; those of unknown items are dropped. `known`: the rows of some items."""
        rows = dict(known or {})
        rows |= {
            item: row
            for part in split_parameters({link.item for link in links} - rows.keys())
            for item, row in self._db.execute(f"SELECT id, row FROM items WHERE id IN ({placeholders(part)})", part)
        }
        links = [link for link in links if link.item in rows]
        names = sorted({(link.entity, link.name) for link in links})
        self._db.executemany(
            "INSERT OR IGNORE INTO entities(entity, name, folded) VALUES (?, ?, ?)",
            [(entity, name, fold_name(name)) for entity, name in names],
        )
        numbers = {
            (entity, name): number
            for part in split_parameters({entity for entity, _ in names})
            for entity, name, number in self._db.execute(
                f"SELECT entity, name, number FROM entities WHERE entity IN ({placeholders(part)})", part
            )
        }
        self._db.executemany(
            "INSERT OR IGNORE INTO mentions VALUES (?, ?)",
            sorted((rows[link.item], numbers[link.entity, link.name]) for link in links),
        )

    def remove(self, rows: Sequence[int]) -> None:
        """Remove the mentions of these items, and names that only they used."""
        used = {
            number
            for part in split_parameters(rows)
            for (number,) in self._db.execute(f"SELECT number FROM mentions WHERE row IN ({placeholders(part)})", part)
        }
        self._db.executemany("DELETE FROM mentions WHERE row = ?", [(row,) for row in rows])
        self._db.executemany(
            "DELETE FROM entities WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM mentions WHERE number = ?1)",
            [(number,) for number in used],
        )

    def of(self, rows: Mapping[str, int]) -> list[Link]:
        """Return the links of some items, as they were added."""
        return [
            Link(item, entity, name)
            for item, row in rows.items()
            for entity, name in self._db.execute(
                "SELECT entity, name FROM mentions JOIN entities USING (number) WHERE row = ?", (row,)
            )
        ]

    # -- Mentions

    def named(self, names: Sequence[str]) -> list[Mention]:
        folded = sorted({fold_name(name) for name in names} - {""})
        with self._lock:
            return [
                Mention(*row)
                for part in split_parameters(folded)
                for row in self._db.execute(
                    f"SELECT entity, name, {_COUNT} FROM entities e WHERE folded IN ({placeholders(part)})"
                    " ORDER BY entity, name",
                    part,
                )
            ]

    def mentioning(self, entities: Sequence[str], where: ItemFilter, limit: int) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        with self._lock:
            view = self._view()
            mask = view.mask(where)
            for entity in dict.fromkeys(entities):
                rows = self._db.execute(
                    "SELECT DISTINCT row FROM entities JOIN mentions USING (number) WHERE entity = ? ORDER BY row",
                    (entity,),
                )
                found_at = [view.lead(row) for (row,) in rows]
                allowed = [row for row in found_at if row < len(mask) and mask[row]]
                found += [(entity, row) for row in allowed[:limit]]
        return found

    def mentioned(self, rows: Sequence[int]) -> list[tuple[int, Mention]]:
        with self._lock:
            return [
                (row, Mention(entity, name, items))
                for part in split_parameters(rows)
                for row, entity, name, items in self._db.execute(
                    f"SELECT row, entity, name, {_COUNT} FROM mentions m JOIN entities e USING (number)"
                    f" WHERE row IN ({placeholders(part)}) ORDER BY row, number",
                    part,
                )
            ]
