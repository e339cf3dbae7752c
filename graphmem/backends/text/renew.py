"""Upgrades an `index.db` of another version. Only vectors are kept: everything else is projected again from the log,
because the cursors are deleted, too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256

from graphmem.backends.log.sqlite import split_statements
from graphmem.backends.log.sqlite_errors import transaction

_COSTLY = ("models", "vectors")  # kept if this version would compute them identically


def is_current(db: sqlite3.Connection, script: str) -> bool:
    """Return whether this version created the tables."""
    return _version(db) == _digest(script)


def _digest(script: str) -> str:
    return sha256(script.encode()).hexdigest()[:16]


def recreate_tables(db: sqlite3.Connection, script: str, *, costly: bool = True) -> None:
    """Recreate the tables unless `script` created them; `costly`: whether expensive data may be kept. The epoch tells
    readers that row numbers start again."""
    if is_current(db, script):
        return
    version = _digest(script)
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(script)
        wanted = _tables(model)
    with transaction(db):
        if _version(db) != version:  # no other process was faster
            there = _tables(db)
            alike = costly and all(there.get(name) == wanted[name] for name in _COSTLY)
            kept = {"meta"}.union(_COSTLY if alike else ())
            for name in sorted(
                there.keys() - kept, key=lambda name: "VIRTUAL" not in there[name]
            ):  # with everything below them
                db.execute(f'DROP TABLE IF EXISTS "{name}"')
            for statement in split_statements(script.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")):
                db.execute(statement)
            db.execute("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", (version,))
            db.execute("INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT DO UPDATE SET value = value + 1")


def _version(db: sqlite3.Connection) -> str:
    row = db.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
    return str(row[0]) if row else ""


def _tables(db: sqlite3.Connection) -> dict[str, str]:
    """Return the statement that created each table."""
    found = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return dict(found.fetchall())
