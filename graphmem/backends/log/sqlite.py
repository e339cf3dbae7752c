"""The event log in one SQLite file (WAL mode): events, payloads, tombstones, derivations and blobs, each append in one
durable transaction. It knows nothing of what events mean, and never repairs silently: `verify` reports."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmem.backends.log.chain import canonical, chain, verify
from graphmem.backends.log.exchange import absorb, dump
from graphmem.errors import StoreDamaged, StoreError
from graphmem.model.events import Appended, Derivation, Draft, Event, Purged
from graphmem.ports.clock import Clock
from graphmem.ports.log import Order

_BATCH = 2_000  # rows fetched at a time: bounded memory while other processes write
_COLUMNS = (
    "e.position, e.id, e.type, e.version, e.at, e.clock, e.origin, e.session, e.project, e.actor, p.body"
    " FROM events e LEFT JOIN payloads p USING (position) LEFT JOIN forgotten f USING (position)"
)


def connect(path: Path, schema: Path) -> sqlite3.Connection:
    """Open or create a SQLite file of the store with the settings that all of them share."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its side files the same permissions
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "recursive_triggers=ON", "secure_delete=ON",
                       "foreign_keys=ON", "cache_size=-16000"):  # fmt: skip
            db.execute(f"PRAGMA {pragma}")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            create(db, schema)
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(f"{path.name} cannot be opened ({error}): run `graphmem doctor`", path=str(path)) from error
    return db


def create(db: sqlite3.Connection, schema: Path) -> None:
    """Make the tables unless another process was faster."""
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:
        for statement in statements(schema.read_text("utf-8")):
            db.execute(statement)
    db.execute("COMMIT")


def statements(script: str) -> Iterator[str]:
    """The statements of an SQL script (`executescript` would commit the transaction it runs in)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


class SqliteLog:
    """EventLog, Derivations, Erasure and Blobs over one file. Safe for several threads and processes."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._db = connect(path, Path(__file__).with_name("schema.sql"))
        self.origin = self._setting("origin", clock.random(8).hex())

    def setting(self, name: str, default: str) -> str:
        """What the store was made with: the first value given stays."""
        return str(self._setting(name, default))

    def _setting(self, name: str, default: Any) -> Any:
        self._db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, default))
        return self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0]

    # -- EventLog

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                outcomes = self._insert(drafts)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._rollback()
                raise StoreError(f"the event was not stored: {error}", path=str(self._path)) from error
            except BaseException:
                self._rollback()
                raise
        return outcomes

    def _rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _insert(self, drafts: Sequence[Draft]) -> list[Appended]:
        sequence, checksum = self._db.execute(
            "SELECT sequence, checksum FROM events WHERE origin = ? ORDER BY sequence DESC LIMIT 1", (self.origin,)
        ).fetchone() or (0, b"")
        clock = self._db.execute("SELECT max(clock) FROM events").fetchone()[0] or 0
        outcomes = []
        for draft in drafts:
            name = draft.dedupe_key or f"{self.origin}:{sequence + 1}"
            event_id = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
            known = self._known(event_id) if draft.dedupe_key is not None else None
            if known:
                outcomes.append(known)
                continue
            clock = max(self._clock.now(), clock + 1)
            sequence += 1
            body, salt = canonical(draft.payload), self._clock.random(16)
            digest = hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest()
            envelope = (event_id, self.origin, sequence, clock, draft.type, 1, draft.at, draft.session,
                        draft.project, draft.actor, digest)  # fmt: skip
            checksum = chain(checksum, envelope)
            row = self._db.execute(
                "INSERT INTO events(id, origin, sequence, clock, type, version, at, session, project, actor,"
                " digest, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (*envelope, checksum),
            ).lastrowid
            self._db.execute("INSERT INTO payloads VALUES (?, ?, ?)", (row, salt, body))
            outcomes.append(Appended(event_id, "new"))
        return outcomes

    def _known(self, event_id: str) -> Appended | None:
        row = self._db.execute(
            "SELECT f.position IS NOT NULL FROM events LEFT JOIN forgotten f USING (position) WHERE id = ?", (event_id,)
        ).fetchone()
        return row and Appended(event_id, "forgotten" if row[0] else "duplicate")

    def read(
        self, after: int = 0, *, types: Iterable[str] | None = None, order: Order = "position", upto: int | None = None
    ) -> Iterator[Event]:
        where = f"f.position IS NULL AND e.position <= ?{self._earliest()}"
        arguments: list[Any] = [self.head() if upto is None else upto]
        if types is not None:
            chosen = sorted(types)
            where += f" AND e.type IN ({','.join('?' * len(chosen))})"
            arguments += chosen
        if order == "clock":
            yield from self._pages(
                f"SELECT {_COLUMNS} WHERE {where} AND e.position > ? ORDER BY e.clock, e.origin, e.sequence"
                " LIMIT -1", [*arguments, after], paged=False)  # fmt: skip
        else:
            yield from self._pages(
                f"SELECT {_COLUMNS} WHERE {where} AND e.position > ? ORDER BY e.position LIMIT {_BATCH}",
                [*arguments, after], paged=True)  # fmt: skip

    def _earliest(self) -> str:
        """In merged logs an act can stand twice: the earliest by clock is the one that counts."""
        with self._lock:
            (origins,) = self._db.execute(
                "SELECT count(*) FROM (SELECT DISTINCT origin FROM events LIMIT 2)"
            ).fetchone()
        twin = "SELECT 1 FROM events o WHERE o.id = e.id AND (o.clock, o.origin) < (e.clock, e.origin)"
        return f" AND NOT EXISTS ({twin})" if origins > 1 else ""

    def _pages(self, query: str, arguments: list[Any], *, paged: bool) -> Iterator[Event]:
        while True:
            with self._lock:
                cursor = self._db.execute(query, arguments)
                rows = cursor.fetchall() if paged else None
            if rows is None:
                yield from map(_event, cursor)
                return
            yield from map(_event, rows)
            if len(rows) < _BATCH:
                return
            arguments[-1] = rows[-1][0]

    def get(self, ids: Sequence[str]) -> dict[str, Event]:
        found: dict[str, Event] = {}
        for start in range(0, len(ids), 500):
            part = list(ids[start : start + 500])
            marks = ",".join("?" * len(part))
            with self._lock:
                rows = self._db.execute(
                    f"SELECT {_COLUMNS} WHERE f.position IS NULL AND e.id IN ({marks}){self._earliest()}", part
                ).fetchall()
            found |= {row[1]: _event(row) for row in rows}
        return found

    def head(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- Derivations

    def derive(self, derivations: Sequence[Derivation]) -> int:
        with self._lock:
            before = self._db.total_changes
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT OR IGNORE INTO derivations(step, source, input_hash, body) VALUES (?, ?, ?, ?)",
                [(d.step, d.source, d.input_hash, canonical(d.body)) for d in derivations],
            )
            self._db.execute("COMMIT")
            return self._db.total_changes - before

    def derivations(self, after: int = 0) -> Iterator[Derivation]:
        while True:
            with self._lock:
                rows = self._db.execute(
                    "SELECT d.number, d.step, d.source, d.input_hash, d.body, e.at, e.clock FROM derivations d"
                    " JOIN events e ON e.id = d.source LEFT JOIN forgotten f USING (position)"
                    f" WHERE d.number > ? AND f.position IS NULL{self._earliest()} ORDER BY d.number LIMIT {_BATCH}",
                    (after,),
                ).fetchall()
            for number, step, source, input_hash, body, at, clock in rows:
                yield Derivation(step, source, input_hash, json.loads(body), number, at, clock)
            if len(rows) < _BATCH:
                return
            after = rows[-1][0]

    def derived(self, step: str, sources: Sequence[str]) -> set[str]:
        done: set[str] = set()
        for start in range(0, len(sources), 500):
            part = list(sources[start : start + 500])
            with self._lock:
                done |= {
                    row[0]
                    for row in self._db.execute(
                        f"SELECT source FROM derivations WHERE step = ? AND source IN ({','.join('?' * len(part))})",
                        (step, *part),
                    )
                }
        return done

    # -- Erasure

    def forget(self, ids: Sequence[str], tombstone: Draft) -> list[str]:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                hidden = []
                (stone,) = self._insert([tombstone])
                for event_id in ids:
                    cursor = self._db.execute(
                        "INSERT OR IGNORE INTO forgotten SELECT position, ? FROM events WHERE id = ?",
                        (stone.id, event_id),
                    )
                    if cursor.rowcount:
                        hidden.append(event_id)
                self._db.execute("COMMIT" if hidden else "ROLLBACK")
            except sqlite3.Error as error:
                self._rollback()
                raise StoreError(f"nothing was forgotten: {error}") from error
        return hidden

    def purge(self) -> Purged:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            payloads = self._db.execute(
                "DELETE FROM payloads WHERE position IN (SELECT position FROM forgotten)"
            ).rowcount
            derivations = self._db.execute(
                "DELETE FROM derivations WHERE source IN (SELECT id FROM events JOIN forgotten USING (position))"
            ).rowcount
            self._db.execute("COMMIT")
            scrub(self._db)
        return Purged(payloads, derivations)

    # -- Blobs

    def put_blobs(self, blobs: Iterable[tuple[str, bytes]]) -> None:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?)", blobs)
            self._db.execute("COMMIT")

    def blob(self, digest: str) -> bytes | None:
        with self._lock:
            row = self._db.execute("SELECT body FROM blobs WHERE digest = ?", (digest,)).fetchone()
        return bytes(row[0]) if row else None

    def verify(self) -> list[str]:
        """Everything that is wrong with the file, one sentence each."""
        with self._lock:
            return verify(self._db)

    # -- Exchange

    def dump(self) -> Iterator[dict[str, Any]]:
        return dump(self._db)

    def absorb(self, lines: Iterable[dict[str, Any]]) -> int:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                new = absorb(self._db, lines)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._rollback()
                raise StoreError(f"nothing was merged: {error}") from error
            except BaseException:
                self._rollback()
                raise
        return new


def _event(row: tuple[Any, ...]) -> Event:
    *envelope, body = row
    return Event(*envelope, json.loads(body) if body is not None else {})  # type: ignore[call-arg]


def scrub(db: sqlite3.Connection) -> None:
    """Leave no copy of deleted rows in the file or its WAL. Raises StoreError while a reader holds the old pages."""
    for _ in range(2):
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError("a reader still holds the erased pages: close other users of the store and purge again")
        db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
