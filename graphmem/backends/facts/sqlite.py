"""The cache of parsed files in one SQLite file."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphmem.backends.log.file_access import inode_of
from graphmem.backends.log.shrink import shrink_database
from graphmem.backends.log.sqlite import connect_file, scrub_deleted_rows
from graphmem.backends.log.sqlite_errors import DerivedFileConnection, translate_errors

_SUM = 4  # checksum bytes before each entry: a modified entry counts as missing
_UNCHANGED = "code.db was not changed"


class SqliteFacts:
    """FactsCache in one file. A crash may lose the newest entries but not corrupt it. Every method raises StoreDamaged if
    the file is damaged; a rebuild recreates it."""

    def __init__(self, path: Path) -> None:
        self._db = connect_file(path, Path(__file__).with_name("schema.sql"), DerivedFileConnection)
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.text_factory = lambda key: key.decode("utf-8", "replace")  # a damaged key is that of no entry
        self._path, self._inode = path, inode_of(path)

    def is_replaced(self) -> bool:
        """Return whether the file was deleted or replaced while open."""
        return inode_of(self._path) != self._inode

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), 500):
            part = list(keys[start : start + 500])
            rows = self._db.execute(f"SELECT key, body FROM facts WHERE key IN ({','.join('?' * len(part))})", part)
            found.update((key, body[_SUM:]) for key, body in rows if _sum(body[_SUM:]) == body[:_SUM])
        return found

    def put(self, facts: Iterable[tuple[str, bytes]]) -> None:
        with translate_errors(_UNCHANGED, remedy="rebuild"), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?)", ((key, _sum(body) + body) for key, body in facts)
            )

    def retain(self, keys: Iterable[str]) -> None:
        with translate_errors(_UNCHANGED, remedy="rebuild"):
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS kept(key TEXT PRIMARY KEY)")
            self._db.execute("DELETE FROM kept")
            self._db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys))
            if self._db.execute("DELETE FROM facts WHERE key NOT IN (SELECT key FROM kept)").rowcount:
                scrub_deleted_rows(self._db)

    def empty(self) -> bool:
        return self._db.execute("SELECT 1 FROM facts LIMIT 1").fetchone() is None

    def release_memory(self) -> None:
        """Release cached pages and shorten the write-ahead log."""
        shrink_database(self._db)

    def close(self) -> None:
        self._db.close()


def _sum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_SUM, "big")
