"""The cache of parsed files in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from graphmem.backends.log.failures import translated
from graphmem.backends.log.sqlite import connect, scrub

_UNCHANGED = "code.db was not changed"


class SqliteFacts:
    """FactsCache over one file. A crash may lose the newest entries, never break it. Every method raises StoreDamaged where
    the file is broken: a rebuild makes it again."""

    def __init__(self, path: Path) -> None:
        self._db = connect(path, Path(__file__).with_name("schema.sql"), derived=True)
        self._db.execute("PRAGMA synchronous=NORMAL")

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), 500):
            part = list(keys[start : start + 500])
            rows = self._db.execute(f"SELECT key, body FROM facts WHERE key IN ({','.join('?' * len(part))})", part)
            found.update(rows)
        return found

    def put(self, facts: Iterable[tuple[str, bytes]]) -> None:
        with translated(_UNCHANGED, remedy="rebuild"), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts)

    def retain(self, keys: Iterable[str]) -> None:
        with translated(_UNCHANGED, remedy="rebuild"):
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS kept(key TEXT PRIMARY KEY)")
            self._db.execute("DELETE FROM kept")
            self._db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys))
            if self._db.execute("DELETE FROM facts WHERE key NOT IN (SELECT key FROM kept)").rowcount:
                scrub(self._db)

    def close(self) -> None:
        self._db.close()
