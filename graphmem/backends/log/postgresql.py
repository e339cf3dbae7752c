"""The event log on a PostgreSQL server, shared by the stores of a team. Each append takes an advisory lock until it is committed:
no reader sees position n + 1 before n. Every commit notifies the owners of the other stores."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.backends.log.chain import broken_chains, broken_payloads, derivation_checksum
from graphmem.backends.log.connection import Connection
from graphmem.backends.log.merges import MergeTrust
from graphmem.backends.log.server_connection import ServerConnection, connect, open_snapshot
from graphmem.backends.log.server_state import ServerState
from graphmem.backends.log.server_url import LogPlace, parse_log_url
from graphmem.backends.log.sql import SqlLog, blank_names
from graphmem.backends.log.sqlite import ON_SERVER, connect_file
from graphmem.backends.log.state import LogState
from graphmem.errors import StoreBusy, StoreDamaged, StoreError, StoreOfLaterVersion
from graphmem.model.events import Appended, Draft
from graphmem.ports.clock import Clock
from graphmem.ports.log import FOLLOWED

if TYPE_CHECKING:
    import psycopg

_VERSION = 1  # of the schema on the server
_SCHEMA, _LOCAL = Path(__file__).with_name("postgresql.sql"), Path(__file__).with_name("local.sql")
_REWRITING = ("memory_forgotten", "log_merged")  # types after which other stores may have to rebuild
_OWN = "own/"  # prefix of marks of this store: such events that it appended
_SLICE_S = 0.2  # seconds between two looks at a stop request
_RESTORE = "restore the schema from a backup of the server"


class PostgresqlLog(SqlLog):
    """A log in a schema of a PostgreSQL database."""

    _db: ServerConnection

    def __init__(self, url: str, path: Path, clock: Clock) -> None:
        """Open the log at a URL, and create it if it is not there. `path` is the file of this store for its own state. Raises
        UsageError for an unusable URL, NotInstalled, StoreError if the server is away or has another log than before."""
        self.place = parse_log_url(url)
        lock = threading.RLock()
        self._local = connect_file(path, _LOCAL, sqlite3.Connection)
        self._listener: psycopg.Connection[Any] | None = None
        self._db = ServerConnection(self.place)
        self._write_lock, self._channel = lock_number(self.place, "write"), f"graphmem_{self.place.schema}"
        try:
            prepare_schema(self._db, self._write_lock)
            own = LogState(self._local, lock)
            super().__init__(self._db, clock, lock, ServerState(self._db, lock, own))
            if own.setting("origin", None) is None:  # nothing was projected yet
                own.save_watermark(FOLLOWED, self.head())
            if own.setting("origin", self.origin) != self.origin:
                raise StoreError(
                    f"the log on the PostgreSQL server ({self.place.name}) is not the one that this store was built from: correct"
                    " `log.url`, or restore that log"
                )
        except BaseException:
            self._db.close()
            self._local.close()
            raise

    @property
    def location(self) -> str:
        """Return where the log is, for messages."""
        return f"PostgreSQL server {self.place.name}"

    def is_moved(self) -> bool:
        """Return whether another process moved the log back into the file of this store since it was opened."""
        with self._lock, suppress(sqlite3.Error):
            return bool(self._local.execute("PRAGMA user_version").fetchone() != (ON_SERVER,))
        return False

    @contextmanager
    def _transaction(self, failure: str) -> Iterator[None]:
        with self._lock:
            try:
                with self._db.transaction(self._write_lock, self._channel):
                    yield
            except (StoreBusy, StoreDamaged):
                raise
            except StoreError as error:
                raise type(error)(f"{failure}: {error}") from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            yield

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        with self._db.translate_errors(), open_snapshot(self.place) as db:
            yield db

    def close(self) -> None:
        with self._lock:
            self._db.close()
            self._local.close()
            if self._listener is not None:
                self._listener.close()

    # -- what others append

    def _insert(self, drafts: Sequence[Draft]) -> list[Appended]:
        outcomes = super()._insert(drafts)
        for draft, outcome in zip(drafts, outcomes, strict=True):
            if draft.type in _REWRITING and outcome.outcome == "new":
                self.state.save_watermark(_OWN + outcome.id, 1)
        return outcomes

    def rewritten_by_others(self) -> int:
        head, seen = self.head(), self.state.watermark(FOLLOWED)
        if head == seen:
            return 0
        own = self.state.watermarks(_OWN)
        found = any(
            event.id not in own and (event.type == "log_merged" or bool(event.payload.get("unlisted")))
            for event in self.read(seen, types=_REWRITING, upto=head)
        )
        if found:
            return head
        self.state.save_watermark(FOLLOWED, head)
        return 0

    def wait_for_append(self, timeout_s: float, stopping: threading.Event) -> None:
        until = time.monotonic() + timeout_s
        while (left := until - time.monotonic()) > 0 and not stopping.is_set():
            if self._was_notified(min(left, _SLICE_S), stopping):
                return

    def _was_notified(self, timeout_s: float, stopping: threading.Event) -> bool:
        import psycopg

        try:
            if self._listener is None:
                self._listener = connect(self.place)
                self._listener.execute(f"LISTEN {self._channel}".encode())
                return True  # what was appended before is not announced
            return any(True for _ in self._listener.notifies(timeout=timeout_s, stop_after=1))
        except psycopg.Error:
            self._listener = None
            stopping.wait(timeout_s)
            return False

    @contextmanager
    def lease(self, name: str) -> Iterator[None]:
        import psycopg

        with self._db.translate_errors():
            db = connect(self.place)
        try:
            with self._db.translate_errors(), suppress(psycopg.errors.LockNotAvailable):
                # Its holder may hang: what it does can be repeated.
                db.execute("SELECT pg_advisory_lock(%s)", (lock_number(self.place, name),))
            yield
        finally:
            db.close()

    # -- checks

    def _changed_derivations(self, step: str = "") -> Iterator[tuple[int, str, str]]:
        where, arguments = (" WHERE step = ?", (step,)) if step else ("", ())
        with self._snapshot() as db:
            for number, *row, checksum in db.execute(
                f"SELECT number, step, source, input_hash, body, checksum FROM derivations{where}", arguments
            ):
                if checksum is not None and derivation_checksum(*row) != checksum:
                    yield number, row[0], row[1]

    def check(self, step: str = "") -> None:
        if step and (made := next(self._changed_derivations(step), None)):
            raise StoreDamaged(f"what {step} made of event {made[2]} was changed: run `graphmem rebuild`")
        for broken in () if step else self._problems():
            raise StoreDamaged(f"{broken}: {_RESTORE}")

    def _problems(self) -> list[str]:
        with self._snapshot() as db:
            return [*broken_chains(db), *broken_payloads(db)]

    def verify(self) -> list[str]:
        """Return all problems of the log, one sentence each."""
        found = [f"log: {problem}" for problem in self._problems()]
        found += [
            f"derivations: what {step} made of event {source} was changed"
            for _, step, source in self._changed_derivations()
        ]
        if self._db.execute("SHOW fsync").fetchone() == ("off",):
            found.append("log: the PostgreSQL server runs with fsync = off and may lose what it has acknowledged")
        return found

    # -- erasure, merges

    def _blank_names(self) -> None:
        blank_names(self._db)

    def _scrub(self) -> None:
        with self._lock:
            if self._db.execute("SELECT to_regclass('snapshots') IS NOT NULL").fetchone() == (True,):
                self._db.execute("TRUNCATE snapshots, snapshot_parts")
            for table in ("payloads", "derivations", "blobs", "events"):
                (is_owner,) = self._db.execute(
                    "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass(?)", (table,)
                ).fetchone()
                if not is_owner:
                    raise StoreError(
                        f"only the owner of the tables on the PostgreSQL server ({self.place.name}) can erase what was deleted:"
                        " purge again as that user"
                    )
                with self._db.without_time_limit():
                    self._db.execute(f"VACUUM (FULL) {table}")

    def _share_trust(self, trust: MergeTrust) -> None:
        self._db.execute("DELETE FROM merged_ranges")
        self._db.executemany(
            "INSERT INTO merged_ranges VALUES (?, ?, ?, ?, ?)",
            [(number, *decided) for number, decided in enumerate(trust.ranges())],
        )


def lock_number(place: LogPlace, name: str) -> int:
    """Return the number of an advisory lock of a log: these are numbers of 64 bits, common to a whole database."""
    digest = hashlib.sha256(f"graphmem {place.schema} {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def prepare_schema(db: ServerConnection, lock: int) -> None:
    """Create the tables of a log, unless another process was faster. Raises StoreOfLaterVersion."""
    if not _exists(db):
        with db.transaction(lock):
            if not _exists(db):
                schema = db.place.schema
                if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)).fetchone() is None:
                    db.execute(f"CREATE SCHEMA {schema}")
                db.run_script(_SCHEMA.read_text("utf-8"))
    (version,) = db.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()
    if int(version) > _VERSION:
        raise StoreOfLaterVersion(
            f"the log on the PostgreSQL server ({db.place.name}) was written by a later version of graphmem: update graphmem"
        )


def _exists(db: ServerConnection) -> bool:
    return bool(db.execute("SELECT to_regclass(?)", (f"{db.place.schema}.events",)).fetchone() != (None,))
