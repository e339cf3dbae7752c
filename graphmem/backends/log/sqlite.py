"""The event log in one SQLite file (WAL mode): events, payloads, tombstones, derivations and blobs; each append is one
durable transaction. It never repairs silently: `verify` reports."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from graphmem.backends.log.blobs import LogBlobs
from graphmem.backends.log.browser import SqliteLogBrowser
from graphmem.backends.log.chain import (
    BLANK,
    TORN,
    broken_chains,
    broken_payloads,
    canonical_json,
    chain_checksum,
    changed_derivations,
    derivation_checksum,
    parse_canonical,
    torn_indexes,
    torn_tables,
    verify_log,
)
from graphmem.backends.log.exchange import dump_log, merge_records
from graphmem.backends.log.file_access import LOST, connect_arguments, describe_fix, inode_of, list_access_problems
from graphmem.backends.log.merges import MERGED, TrustCache
from graphmem.backends.log.rows import COLUMNS, RESTORE, event_from_row, is_sound
from graphmem.backends.log.sqlite_errors import DerivedFileConnection, transaction, translate_errors
from graphmem.backends.log.state import LogState
from graphmem.errors import StoreDamaged, StoreError, StoreOfLaterVersion
from graphmem.model.bounds import MAX_TIME_US, clamp_time, plausible_time
from graphmem.model.events import Appended, Derivation, Draft, Event, MergeCounts, Purged
from graphmem.ports.clock import Clock
from graphmem.ports.log import Order

Connection = TypeVar("Connection", bound=sqlite3.Connection)
_BATCH = 2_000  # rows per fetch: limits memory while other processes write


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
_TORN = "torn"  # mark: an index was found damaged


class SqliteLog:
    """EventLog, Derivations, Erasure and Exchange in one file; `state`, `pages` and `blobs` have the other protocols.
    Safe for concurrent threads and processes."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._db = connect_file(path, Path(__file__).with_name("schema.sql"), sqlite3.Connection)
        self._inode = inode_of(path)
        if self._file_version() != VERSION:
            self._upgrade()
        self.state = LogState(self._db, self._lock)
        self.blobs = LogBlobs(self._db, self._lock, self._transaction)
        self.origin = str(self.state.setting("origin", clock.random(8).hex()))
        self._trust = TrustCache(self._db, self.origin)
        self.pages = SqliteLogBrowser(self._db, self._lock, self._trust)

    def _file_version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _upgrade(self) -> None:
        """Upgrade a file of an earlier version, unless another process was faster. Raises StoreOfLaterVersion:
        this one could not keep what it does not know."""
        if self._file_version() > VERSION:
            self._db.close()
            raise StoreOfLaterVersion(
                f"{self._path.name} was written by a later version of graphmem: update graphmem", path=str(self._path)
            )
        with self._transaction("log.db cannot be upgraded to this version"):
            if self._file_version() < VERSION:
                self._db.execute("ALTER TABLE derivations ADD COLUMN checksum INTEGER")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    # -- EventLog

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        with self._transaction("the event was not stored"):
            return self._insert(drafts)

    @contextmanager
    def _transaction(self, failure: str) -> Iterator[None]:
        """Context manager: atomic and durable. Raises StoreError that starts with `failure`."""
        path = str(self._path)
        with self._lock, translate_errors(failure, path=path), transaction(self._db):
            if inode_of(self._path) != self._inode:  # it would be lost with the old file
                raise StoreError(f"{failure}: {LOST.format(self._path.name)}", path=path)
            yield

    def _insert(self, drafts: Sequence[Draft]) -> list[Appended]:
        sequence, checksum = self._db.execute(
            "SELECT sequence, checksum FROM events WHERE origin = ? ORDER BY sequence DESC LIMIT 1", (self.origin,)
        ).fetchone() or (0, b"")
        clock = self._db.execute("SELECT max(clock) FROM events WHERE clock < ?", (MAX_TIME_US,)).fetchone()[0] or 0
        self._trust.current()
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
            body, salt = canonical_json(draft.payload), self._clock.random(16)
            digest = hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest()
            envelope = (event_id, self.origin, sequence, clock, draft.type, 1, draft.at, draft.session,
                        draft.project, draft.actor, digest)  # fmt: skip
            checksum = chain_checksum(checksum, envelope)
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
            "SELECT f.position IS NOT NULL FROM events e LEFT JOIN forgotten f USING (position)"
            " WHERE id = ? AND NOT is_foreign(e.origin, e.sequence)",
            (event_id,),
        ).fetchone()
        return row and Appended(event_id, "forgotten" if row[0] else "duplicate")

    def read(
        self, after: int = 0, *, types: Iterable[str] | None = None, order: Order = "position", upto: int | None = None
    ) -> Iterator[Event]:
        with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
            merged = self._trust.one_copy()
        where = f"f.position IS NULL AND e.position <= ?{merged}"
        arguments: list[Any] = [self.head() if upto is None else upto]
        if types is not None:
            chosen = sorted(types)
            where += f" AND e.type IN ({','.join('?' * len(chosen))})"
            arguments += chosen
        if order == "clock" and merged:  # otherwise positions follow the clock, and are read in pages
            yield from self._pages(
                f"SELECT {COLUMNS} WHERE {where} AND e.position > ? ORDER BY e.clock, e.origin, e.sequence"
                " LIMIT -1", [*arguments, after], paged=False, every=types is None)  # fmt: skip
        else:
            yield from self._pages(
                f"SELECT {COLUMNS} WHERE {where} AND e.position > ? ORDER BY e.position LIMIT {_BATCH}",
                [*arguments, after], paged=True, every=types is None)  # fmt: skip

    def _pages(self, query: str, arguments: list[Any], *, paged: bool, every: bool) -> Iterator[Event]:
        while True:
            with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
                cursor = self._db.execute(query, arguments)
                rows = cursor.fetchall() if paged else None
                trust = self._trust.current()
            if rows is None:
                with translate_errors("the log cannot be read", path=str(self._path)):
                    yield from _without_ignored((event_from_row(row, trust) for row in cursor), every=every)
                return
            yield from _without_ignored((event_from_row(row, trust) for row in rows), every=every)
            if len(rows) < _BATCH:
                return
            arguments[-1] = rows[-1][0]

    def get(self, ids: Sequence[str]) -> dict[str, Event]:
        found: dict[str, Event] = {}
        for start in range(0, len(ids), 500):
            part = list(ids[start : start + 500])
            marks = ",".join("?" * len(part))
            with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
                rows = self._db.execute(
                    f"SELECT {COLUMNS} WHERE f.position IS NULL AND e.id IN ({marks}){self._trust.one_copy()}",
                    part,
                ).fetchall()
                trust = self._trust.current()
            found |= {row[1]: event_from_row(row, trust) for row in rows}
        return found

    def head(self) -> int:
        with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
            return int(self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- Derivations

    def store_derivations(self, derivations: Sequence[Derivation], *, replace: bool = False) -> int:
        told = [(d.step, d.source, d.input_hash, canonical_json(d.body)) for d in derivations]
        rows = [(*one, derivation_checksum(*one)) for one in told]
        with self._transaction("nothing was derived"):
            if replace:
                self._db.executemany(
                    "DELETE FROM derivations WHERE step = ? AND source = ? AND input_hash = ?",
                    [row[:3] for row in rows],
                )
            before = self._db.total_changes
            self._db.executemany(
                "INSERT OR IGNORE INTO derivations(step, source, input_hash, body, checksum) VALUES (?,?,?,?,?)", rows
            )
            return self._db.total_changes - before

    def derivations(self, after: int = 0, *, steps: Iterable[str] | None = None) -> Iterator[Derivation]:
        patterns = [] if steps is None else [name if "/" in name else f"{name}/*" for name in steps]
        chosen = f" AND d.body <> '{{}}' AND ({' OR '.join(['d.step GLOB ?'] * len(patterns))})" if patterns else ""
        while True:
            with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
                rows = self._db.execute(
                    "SELECT d.number, d.step, d.source, d.input_hash, d.body, d.checksum, e.at, e.clock FROM derivations d"
                    " LEFT JOIN events e ON e.id = d.source LEFT JOIN forgotten f USING (position)"
                    f" WHERE d.number > ? AND f.position IS NULL{self._trust.one_copy()}{chosen}"
                    f" ORDER BY d.number LIMIT {_BATCH}",
                    (after, *patterns),
                ).fetchall()
            for number, step, source, input_hash, body, checksum, at, clock in rows:
                if checksum is not None and derivation_checksum(step, source, input_hash, body) != checksum:
                    raise StoreDamaged(f"what {step} made of event {source} was changed: run `graphmem rebuild`")
                if at is not None:  # otherwise its event is missing
                    yield Derivation(
                        step,
                        source,
                        input_hash,
                        parse_canonical(body),
                        number,
                        plausible_time(at, clock),
                        clamp_time(clock),
                    )
            if len(rows) < _BATCH:
                return
            after = rows[-1][0]

    def check(self, step: str = "") -> None:
        with self._lock, translate_errors("the log cannot be read", path=str(self._path)):
            if step and (made := next(changed_derivations(self._db, step), None)):
                raise StoreDamaged(f"what {step} made of event {made[2]} was changed: run `graphmem rebuild`")
            if not step and (torn := next(torn_tables(self._db), None)):
                raise StoreDamaged(f"log.db is damaged ({torn}): {RESTORE}")
            for broken in () if step else (*broken_chains(self._db), *broken_payloads(self._db)):
                raise StoreDamaged(f"{broken}: {RESTORE}")

    def drop_damaged_derivations(self) -> int:
        with self._transaction("nothing was repaired"):
            if self.state.watermark(_TORN) or next(torn_indexes(self._db), None):
                self._db.execute("REINDEX")
                self.state.save_watermark(_TORN, 0)
            changed = [(number,) for number, _, _ in changed_derivations(self._db)]
            if changed:
                self._db.execute("REINDEX derivations")  # a modified row is not where its indexes say
            self._db.executemany("DELETE FROM derivations WHERE number = ?", changed)
        return len(changed)

    def processed_sources(self, step: str, sources: Sequence[str]) -> set[str]:
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
        with self._transaction("nothing was forgotten"):
            hidden = []
            (stone,) = self._insert([tombstone])
            for event_id in ids:
                cursor = self._db.execute(
                    "INSERT OR IGNORE INTO forgotten SELECT position, ? FROM events WHERE id = ?", (stone.id, event_id)
                )
                if cursor.rowcount:
                    hidden.append(event_id)
            if not hidden:
                self._db.execute("ROLLBACK")
                self._db.execute("BEGIN")
        return hidden

    def purge(self) -> Purged:
        with self._transaction("nothing was erased"):
            payloads = self._db.execute(
                "DELETE FROM payloads WHERE position IN (SELECT position FROM forgotten)"
            ).rowcount
            blank_names(self._db)
            derivations = self._db.execute(
                "DELETE FROM derivations WHERE source IN (SELECT id FROM events JOIN forgotten USING (position))"
            ).rowcount
            blobs = self._db.execute(  # contents that no tree names any more
                "DELETE FROM blobs WHERE digest NOT IN (SELECT json_extract(b.value, '$[1]') FROM events e"
                " JOIN payloads p USING (position), json_each(p.body, '$.blobs') b"
                " WHERE e.type IN ('tree_indexed', 'scip_indexed'))"
            ).rowcount
        with (
            self._lock,
            translate_errors("erased data still has copies in the file: purge again", path=str(self._path)),
        ):
            scrub_deleted_rows(self._db)
        return Purged(payloads, derivations, blobs)

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
                return [f"log: the file is damaged: {error}"]

    # -- Exchange

    def dump(self) -> Iterator[dict[str, Any]]:
        return dump_log(self._db, self.origin)

    def merge_records(
        self, records: Iterable[dict[str, Any]], redact: Callable[[str, str], str], *, trusted: bool = False
    ) -> MergeCounts:
        with self._transaction("nothing was merged"):
            outcome = merge_records(self._db, records, redact, self.origin, trusted=trusted)
            if outcome.decision:
                self._insert([Draft(MERGED, outcome.decision, self._clock.now())])
            return outcome.counts


def _without_ignored(events: Iterable[Event], *, every: bool) -> Iterator[Event]:
    """Yield the events, without those that readers of their type ignore, unless `every` one is wanted."""
    return iter(events) if every else (event for event in events if is_sound(event))


def blank_names(db: sqlite3.Connection) -> None:
    """Erase names (session, project, actor) from the envelopes of erased events, because they may contain what was
    erased. Events never change otherwise; checksums stay, so that the chain continues."""
    (guard,) = db.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'events_stay'"
    ).fetchone() or ("",)
    db.execute("DROP TRIGGER IF EXISTS events_stay")
    db.execute(
        "UPDATE events SET session = '', project = '', actor = ? WHERE actor <> ? AND position IN (SELECT position FROM forgotten)",
        (BLANK, BLANK),
    )
    if guard:
        db.execute(guard)


def scrub_deleted_rows(db: sqlite3.Connection) -> None:
    """Erase all copies of deleted rows from the file and its WAL. Raises StoreError while a reader holds old pages."""
    for _ in range(2):
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError("another process still reads erased data: close other users of the store and purge again")
        db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
