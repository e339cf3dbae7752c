"""The event log in one SQLite file (WAL mode): events, payloads, tombstones, derivations and blobs."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from graphmem.backends.log.chain import (
    TORN,
    UNINDEXED,
    broken_chains,
    broken_payloads,
    changed_derivations,
    torn_indexes,
    torn_tables,
    verify_log,
)
from graphmem.backends.log.file_access import LOST, connect_arguments, describe_fix, inode_of, list_access_problems
from graphmem.backends.log.merges import MergeTrust
from graphmem.backends.log.rows import RESTORE
from graphmem.backends.log.sql import SqlLog, blank_names
from graphmem.backends.log.sqlite_errors import DerivedFileConnection, transaction, translate_errors
from graphmem.backends.log.state import LogState
from graphmem.errors import StoreDamaged, StoreError, StoreOfLaterVersion, message_of
from graphmem.ports.clock import Clock

Connection = TypeVar("Connection", bound=sqlite3.Connection)


def connect_file(path: Path, schema: Path, kind: type[Connection]) -> Connection:
    """Open or create an SQLite file of the store with the common settings. A file of a `DerivedFileConnection` can be fixed by a
    rebuild. Raises StoreDamaged, or StoreError if it cannot be opened for writing."""
    try:
        # SQLite gives its side files the same permissions. Only a new file is opened here: closing one that is open
        # elsewhere in this process would drop its locks, and another process could then remove its WAL.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        bars = list_access_problems(path.parent, [])
        why = f"{bars[0]}: {describe_fix(path.parent)}" if bars else error.strerror
        raise StoreError(f"{path.name} cannot be created: {why}", path=str(path)) from error
    with translate_errors(
        f"{path.name} cannot be opened",
        "rebuild" if issubclass(kind, DerivedFileConnection) else "doctor",
        path=str(path),
    ):
        db = sqlite3.connect(
            **connect_arguments(path), isolation_level=None, check_same_thread=False, timeout=30, factory=kind
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "recursive_triggers=ON", "secure_delete=ON",
                       "foreign_keys=ON", "cache_size=-16000"):  # fmt: skip
            db.execute(f"PRAGMA {pragma}")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            create_tables(db, schema)
    if isinstance(db, DerivedFileConnection):
        db.name = str(path)
    return db


def create_tables(db: sqlite3.Connection, schema: Path) -> None:
    """Create the tables unless another process was faster."""
    with transaction(db):
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            for statement in split_statements(schema.read_text("utf-8")):
                db.execute(statement)


def split_statements(script: str) -> Iterator[str]:
    """Yield the statements of an SQL script (`executescript` would commit the current transaction)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


VERSION = 2  # of the file
ON_SERVER = (
    1000  # version of the file of a store whose log is elsewhere (local.sql): earlier programs refuse it as too new
)
_TORN = "torn"  # mark: an index was found damaged


class SqliteLog(SqlLog):
    """A log in one file."""

    _db: sqlite3.Connection

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        lock = threading.RLock()
        self._db = connect_file(path, Path(__file__).with_name("schema.sql"), sqlite3.Connection)
        self._inode = inode_of(path)
        self._lock = lock
        if self._file_version() != VERSION:
            self._upgrade()
        super().__init__(self._db, clock, lock, LogState(self._db, lock))
        self._db.create_function("is_foreign", 2, self._trust.is_foreign)

    @property
    def location(self) -> str:
        """Return where the log is, for messages."""
        return self._path.name

    def _file_version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def is_moved(self) -> bool:
        """Return whether another process moved the log to a server since it was opened."""
        with self._lock, suppress(sqlite3.Error):
            return self._file_version() == ON_SERVER
        return False

    def _upgrade(self) -> None:
        """Upgrade a file of an earlier version, unless another process was faster. Raises StoreOfLaterVersion:
        this one could not keep what it does not know."""
        if self._file_version() == ON_SERVER:
            self._db.close()
            raise StoreError(
                "the log of this store is on a PostgreSQL server, and no `log.url` set on this machine says where: run"
                " `graphmem config log.url URL`",
                path=str(self._path),
            )
        if self._file_version() > VERSION:
            self._db.close()
            raise StoreOfLaterVersion(
                f"{self._path.name} was written by a later version of graphmem: update graphmem", path=str(self._path)
            )
        with self._transaction("log.db cannot be upgraded to this version"):
            if self._file_version() < VERSION:
                self._db.execute("ALTER TABLE derivations ADD COLUMN checksum INTEGER")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _transaction(self, failure: str) -> Iterator[None]:
        path = str(self._path)
        with self._lock, translate_errors(failure, path=path), transaction(self._db):
            if inode_of(self._path) != self._inode:  # it would be lost with the old file
                raise StoreError(f"{failure}: {LOST.format(self._path.name)}", path=path)
            yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
            yield

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        with translate_errors("the log cannot be read", path=str(self._path)):
            yield self._db

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def check(self, step: str = "") -> None:
        with self._reading():
            if step and (made := next(changed_derivations(self._db, step), None)):
                raise StoreDamaged(f"what {step} made of event {made[2]} was changed: run `graphmem rebuild`")
            if not step and (torn := next(torn_tables(self._db), None)):
                raise StoreDamaged(f"log.db is damaged ({torn}): {RESTORE}")
            for broken in () if step else (*broken_chains(self._db, UNINDEXED), *broken_payloads(self._db)):
                raise StoreDamaged(f"{broken}: {RESTORE}")

    def _changed_derivations(self, step: str = "") -> Iterator[tuple[int, str, str]]:
        return changed_derivations(self._db, step)

    def drop_damaged_derivations(self) -> int:
        with self._transaction("nothing was repaired"):
            if self.state.watermark(_TORN) or next(torn_indexes(self._db), None):
                self._db.execute("REINDEX")
                self.state.save_watermark(_TORN, 0)
            if next(self._changed_derivations(), None):
                self._db.execute("REINDEX derivations")  # a modified row is not where its indexes say
        return super().drop_damaged_derivations()

    def _blank_names(self) -> None:
        (guard,) = self._db.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'events_stay'"
        ).fetchone() or ("",)
        self._db.execute("DROP TRIGGER IF EXISTS events_stay")
        blank_names(self._db)
        if guard:
            self._db.execute(guard)

    def _scrub(self) -> None:
        with (
            self._lock,
            translate_errors("erased data still has copies in the file: purge again", path=str(self._path)),
        ):
            scrub_deleted_rows(self._db)

    def _share_trust(self, trust: MergeTrust) -> None:
        return  # SQL asks this process

    def verify(self) -> list[str]:
        """Return all problems of the file, one sentence each."""
        with self._lock:
            try:
                found = verify_log(self._db)
                if any(problem.startswith(TORN) for problem in found):
                    self.state.save_watermark(
                        _TORN, 1
                    )  # `drop_damaged_derivations` checks only the indexes of the events
                return found
            except sqlite3.Error as error:
                return [f"log: the file is damaged: {message_of(error)}"]


def scrub_deleted_rows(db: sqlite3.Connection) -> None:
    """Erase all copies of deleted rows from the file and its WAL. Raises StoreError while a reader holds old pages."""
    for _ in range(2):
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError("another process still reads erased data: close other users of the store and purge again")
        db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
