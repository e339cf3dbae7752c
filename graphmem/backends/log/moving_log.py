"""Moves a log between the file of a store and a PostgreSQL server. Rows keep their positions, numbers and checksums, so that the
projections stay as they are. All is copied and compared while nobody writes; only then the old log is given up."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.file_access import connect_arguments
from graphmem.backends.log.merges import read_trust
from graphmem.backends.log.postgresql import lock_number, prepare_schema
from graphmem.backends.log.server_connection import ServerConnection
from graphmem.backends.log.server_state import is_own_row
from graphmem.backends.log.server_url import parse_log_url
from graphmem.backends.log.sqlite import ON_SERVER, VERSION, scrub_deleted_rows, split_statements
from graphmem.backends.log.sqlite_errors import transaction, translate_errors
from graphmem.backends.log.state import LogState
from graphmem.errors import StoreError
from graphmem.ports.log import FOLLOWED

_FOLDER = Path(__file__).parent
_PAGE = 2_000  # rows
_TABLES = {  # table -> its key, and its columns
    "events": (
        "position",
        "position, id, origin, sequence, clock, type, version, at, session, project, actor, digest, checksum",
    ),
    "payloads": ("position", "position, salt, body"),
    "forgotten": ("position", "position, tombstone"),
    "derivations": ("number", "number, step, source, input_hash, body, checksum"),
    "blobs": ("digest", "digest, body"),
}
_BEFORE_ALL: dict[str, Any] = {"digest": ""}
_RETIRE = (
    "CREATE TRIGGER moved BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION refuse('this log was moved into the store of"
    " somebody: ask there')"
)
Progress = Callable[[str, int], None]


def move_log_to_server(path: Path, url: str, progress: Progress) -> int:
    """Move the log in the file at `path` to a server; return the number of rows, which are equal there. Raises StoreError if
    there is another log, or if what was copied differs; then nothing has changed."""
    place = parse_log_url(url)
    server = ServerConnection(place)
    with closing(server), closing(_open_file(path)) as db, translate_errors("the log was not moved", path=str(path)):
        if db.execute("PRAGMA user_version").fetchone() != (VERSION,):
            raise StoreError(
                "the log of this store is on a server already: move it back with `graphmem move --log local`"
            )
        lock = lock_number(place, "write")
        prepare_schema(server, lock)
        with transaction(db):  # hooks wait; what they cannot store now is in their spool
            with server.transaction(lock):
                _empty_server(server, db)
                rows = _copy(db, server, progress)
                origin = ""
                for name, value in db.execute("SELECT name, value FROM meta").fetchall():
                    if not is_own_row(name):
                        told = str(value) if ":" in name else json.dumps(value)
                        server.execute("INSERT INTO meta VALUES (?, ?)", (name, told))
                        origin = str(value) if name == "origin" else origin
                (last,) = db.execute(
                    "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'derivations'"
                ).fetchone()
                server.execute("INSERT INTO meta VALUES ('last_number', ?)", (str(last),))
                server.execute("SELECT setval('derivations_number_seq', ?)", (max(1, last),))
                ranges = enumerate(read_trust(server, origin).ranges())
                server.executemany("INSERT INTO merged_ranges VALUES (?, ?, ?, ?, ?)", [(n, *one) for n, one in ranges])
            _drop_log(db)
        scrub_deleted_rows(db)
    return rows


def move_log_to_file(path: Path, url: str, progress: Progress) -> int:
    """Move the log on a server into the file at `path`; return the number of rows, which are equal there. The log on the server
    stays, and refuses new events. Raises StoreError if what was copied differs; then nothing has changed."""
    place = parse_log_url(url)
    server = ServerConnection(place)
    with closing(server), closing(_open_file(path)) as db, translate_errors("the log was not moved", path=str(path)):
        if db.execute("PRAGMA user_version").fetchone() != (ON_SERVER,):
            raise StoreError("the log of this store is in its file already")
        with server.transaction(lock_number(place, "write")), transaction(db):
            db.execute("DROP TABLE events")
            _create_tables(db, "schema.sql")
            rows = _copy(server, db, progress)
            for name, value in server.execute("SELECT name, value FROM meta").fetchall():
                if name not in ("schema_version", "last_number"):
                    told = int(value) if ":" in name else json.loads(value)
                    db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING", (name, told))
            (last,) = server.execute(
                "SELECT coalesce(max(value::bigint), 0) FROM meta WHERE name = 'last_number'"
            ).fetchone()
            db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'derivations'", (last,))
            server.execute(_RETIRE)
    return rows


def forget_log(path: Path) -> None:
    """Turn the file of a log without events into that of a store whose log is on a server."""
    with closing(_open_file(path)) as db, translate_errors("log.db was not changed", path=str(path)), transaction(db):
        if db.execute("SELECT count(*) FROM events").fetchone() == (0,):
            _drop_log(db)
            db.execute("DELETE FROM meta WHERE name = 'origin'")


def _open_file(path: Path) -> sqlite3.Connection:
    db: sqlite3.Connection = sqlite3.connect(**connect_arguments(path), isolation_level=None, timeout=30)
    db.execute("PRAGMA secure_delete = ON")
    return db


def _drop_log(db: sqlite3.Connection) -> None:
    """Drop what is on the server now, and keep what concerns this store alone."""
    (head,) = db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()
    for table in reversed(_TABLES):
        db.execute(f"DROP TABLE {table}")
    for (name,) in db.execute("SELECT name FROM meta").fetchall():
        if not is_own_row(name) and name != "origin":
            db.execute("DELETE FROM meta WHERE name = ?", (name,))
    LogState(db, threading.RLock()).save_watermark(FOLLOWED, head)
    _create_tables(db, "local.sql")


def _create_tables(db: sqlite3.Connection, script: str) -> None:
    """Run a script, except for the table `meta`, which exists."""
    for statement in split_statements((_FOLDER / script).read_text("utf-8")):
        if "CREATE TABLE meta(" not in statement:
            db.execute(statement)


def _empty_server(server: ServerConnection, db: sqlite3.Connection) -> None:
    """Empty what an earlier, interrupted or reverted move left there. Raises StoreError for the log of somebody else, or one that
    has more than this one."""
    if server.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone() is None:
        return
    (head,) = server.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()
    ours, theirs = (
        one.execute("SELECT checksum FROM events WHERE position = ?", (head,)).fetchone() for one in (db, server)
    )
    (own,) = db.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone()
    (origin,) = server.execute("SELECT value FROM meta WHERE name = 'origin'").fetchone()
    if json.loads(origin) != own or ours != theirs:
        raise StoreError(
            f"there is another log on the PostgreSQL server ({server.place.name}): choose another schema, or join that log with"
            " a new store and `graphmem merge` what this one exports"
        )
    server.execute("DROP TRIGGER IF EXISTS moved ON events")
    server.execute(f"TRUNCATE {', '.join(_TABLES)}, merged_ranges, meta")
    server.execute("INSERT INTO meta VALUES ('schema_version', '1')")


def _copy(source: Connection, target: Connection, progress: Progress) -> int:
    """Copy all rows, and compare number and hash of each table; return the number of rows. Raises StoreError."""
    total = 0
    for table, (_, columns) in _TABLES.items():
        marks = ",".join("?" * (columns.count(",") + 1))
        for page in _pages(source, table):
            target.executemany(f"INSERT INTO {table}({columns}) VALUES ({marks})", page)
            progress("copying", len(page))
        (count, digest), copied = _digest(source, table), _digest(target, table)
        if (count, digest) != copied:
            raise StoreError(f"the log was not moved: {table} was not copied correctly, so all stays as it was")
        total += count
    return total


def _digest(db: Connection, table: str) -> tuple[int, str]:
    count, digest = 0, hashlib.sha256()
    for page in _pages(db, table):
        count += len(page)
        for row in page:
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return count, digest.hexdigest()


def _pages(db: Connection, table: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all rows of a table in the order of its key."""
    key, columns = _TABLES[table]
    last = _BEFORE_ALL.get(key, 0)
    query = f"SELECT {columns} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {_PAGE}"
    while page := db.execute(query, (last,)).fetchall():
        yield page
        last = page[-1][0]
