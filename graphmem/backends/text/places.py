"""Stores which items mention which code places. Part of `index.db`: writes belong to the transaction of the index, so
places are added and removed with their items."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence

from graphmem.backends.text.statements import placeholders, split_parameters
from graphmem.backends.text.subjects import PREFIX
from graphmem.backends.text.words import fold_name
from graphmem.model.changes import Item, Link
from graphmem.ports.places import Spoken
from graphmem.text.placenames import file_keys, place_keys
from graphmem.text.recall import written_by_host
from graphmem.text.toolcalls import WRITERS

_KINDS = frozenset({"turn", "commit", "fact", "gotcha", "skill", "pattern", "summary", "task"})
_COMMAND = re.compile(r"`[^`\n]*\s[^`\n]*`")  # of a gotcha: its files are not necessarily the cause
_CALL = 400  # characters of a tool call that are read
_FILE = "file:"  # prefix of file ids
_FILES = 4  # of the name of one symbol


class PlaceTable:
    """Places, over the connection and lock of their index."""

    def __init__(self, db: sqlite3.Connection, lock: threading.RLock) -> None:
        self._db = db
        self._lock = lock

    # -- writing, within a transaction of the index

    def add(self, items: Iterable[Item], rows: Mapping[str, int]) -> None:
        """Add the places that these items mention; `rows` has the row of each."""
        found = ((key, rows[item.id]) for item in items for key in _keys(item))
        self._db.executemany("INSERT OR IGNORE INTO places VALUES (?, ?)", found)

    def add_files(self, links: Sequence[Link]) -> None:
        """Add the files that links lead to; missing items are skipped."""
        self._db.executemany(
            "INSERT OR IGNORE INTO places SELECT ?, row FROM items WHERE id = ?",
            ((key, link.item) for link in links if link.entity.startswith(_FILE) for key in file_keys(link.name)),
        )

    def remove(self, rows: Sequence[int]) -> None:
        """Remove the places of these rows."""
        self._db.executemany("DELETE FROM places WHERE row = ?", [(row,) for row in rows])

    # -- Places

    def naming(self, keys: Sequence[str], limit: int) -> list[Spoken]:
        query = (
            "SELECT p.key, i.row + (i.passages > 0), k.name, i.at"
            " FROM places p JOIN items i USING (row) JOIN names k ON k.number = i.kind"
            " WHERE p.key = ? ORDER BY p.row DESC LIMIT ?"
        )
        with self._lock:
            return [Spoken(*row) for key in dict.fromkeys(keys) for row in self._db.execute(query, (key, limit))]

    def counts(self, keys: Sequence[str]) -> dict[str, int]:
        with self._lock:
            return {
                key: count
                for part in split_parameters(keys)
                for key, count in self._db.execute(
                    f"SELECT key, count(*) FROM places WHERE key IN ({placeholders(part)}) GROUP BY key", part
                )
            }

    def symbols(self, names: Sequence[str]) -> dict[str, list[str]]:
        wanted = {fold_name(name): name for name in names if fold_name(name)}
        found: dict[str, list[str]] = {}
        query = (
            "SELECT DISTINCT e.folded, c.ref FROM entities e JOIN mentions m USING (number) JOIN contents c USING (row)"
            " JOIN items i USING (row) JOIN names k ON k.number = i.kind"
            " WHERE e.folded = ? AND e.entity = ? AND k.name = 'symbol' AND c.ref <> '' AND lower(e.name) = ? LIMIT ?"
        )
        with self._lock:
            for folded, name in wanted.items():
                for _, ref in self._db.execute(query, (folded, PREFIX + folded, name.lower(), _FILES)):
                    found.setdefault(name, []).append(ref.rpartition(":")[0] or ref)
        return found


def _keys(item: Item) -> list[str]:
    """Return the places of an item. For a tool call only the changed file: its output, and text that the agent's program
    adds, are not statements."""
    if item.kind not in _KINDS or item.role == "system" or (item.kind == "turn" and written_by_host(item.text)):
        return []
    if item.role == "tool":
        call = item.text[:_CALL].partition("\n")[0]
        return place_keys(call) if call.partition(" ")[0] in WRITERS else []
    text = f"{item.title}\n{item.text}"
    return place_keys(_COMMAND.sub(" ", text) if item.kind == "gotcha" else text)
