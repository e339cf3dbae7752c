"""The event log in an SQL database: what SQLite and PostgreSQL have in common. Each append is one durable transaction, and no
two run at once, so that positions follow the order of commits. It never repairs silently: `verify` reports."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graphmem.backends.log.blobs import LogBlobs
from graphmem.backends.log.browser import SqlLogBrowser
from graphmem.backends.log.chain import (
    BLANK,
    canonical_json,
    chain_checksum,
    derivation_checksum,
    parse_canonical,
)
from graphmem.backends.log.connection import Connection
from graphmem.backends.log.database import LogDatabase
from graphmem.backends.log.exchange import dump_log, merge_records, named_blobs
from graphmem.backends.log.merges import MERGED, PROJECTS, TrustCache, drop_derivations_of_projects
from graphmem.backends.log.rows import COLUMNS, event_from_row, is_sound
from graphmem.backends.log.state import LogState
from graphmem.errors import StoreDamaged
from graphmem.makeway import make_way
from graphmem.model.bounds import MAX_TIME_US, clamp_time, plausible_time
from graphmem.model.events import Appended, Derivation, Draft, Event, MergeCounts, Purged
from graphmem.ports.clock import Clock
from graphmem.ports.log import Order

_BATCH = 2_000  # rows per fetch: limits memory while other processes write
_TOGETHER = 500  # ids per query
_FIRST = (-(2**63), "", -1)  # before every (clock, origin, sequence)


class SqlLog(LogDatabase):
    """EventLog, Derivations, Erasure and Exchange; `state`, `pages` and `blobs` have the other protocols. Safe for concurrent
    threads and processes."""

    def __init__(self, db: Connection, clock: Clock, lock: threading.RLock, state: LogState) -> None:
        self._db = db
        self._clock = clock
        self._lock = lock
        self.state = state
        self.origin = str(state.setting("origin", clock.random(8).hex()))
        self._trust = TrustCache(db, self.origin)
        self.blobs = LogBlobs(db, lock, self._transaction)
        self.pages = SqlLogBrowser(db, lock, self._trust)

    # -- EventLog

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        with self._transaction("the event was not stored"):
            return self._insert(drafts)

    def _insert(self, drafts: Sequence[Draft]) -> list[Appended]:
        sequence, checksum = self._db.execute(
            "SELECT sequence, checksum FROM events WHERE origin = ? ORDER BY sequence DESC LIMIT 1", (self.origin,)
        ).fetchone() or (0, b"")
        clock = self._db.execute("SELECT max(clock) FROM events WHERE clock < ?", (MAX_TIME_US,)).fetchone()[0] or 0
        (position,) = self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()
        self._trust.current()
        known = self._known([id_of_key(draft.dedupe_key) for draft in drafts if draft.dedupe_key is not None])
        outcomes, events, payloads = list[Appended](), list[Sequence[Any]](), list[Sequence[Any]]()
        for draft in drafts:
            event_id = id_of_key(draft.dedupe_key or f"{self.origin}:{sequence + 1}")
            if draft.dedupe_key is not None and event_id in known:
                outcomes.append(known[event_id])
                continue
            clock = max(self._clock.now(), clock + 1)
            sequence, position = sequence + 1, position + 1
            body, salt = canonical_json(draft.payload), self._clock.random(16)
            digest = hashlib.sha256(salt + body.encode("utf-8", "surrogatepass")).digest()
            envelope = (event_id, self.origin, sequence, clock, draft.type, 1, draft.at, draft.session,
                        draft.project, draft.actor, digest)  # fmt: skip
            checksum = chain_checksum(checksum, envelope)
            events.append((position, *envelope, checksum))
            payloads.append((position, salt, body))
            outcomes.append(Appended(event_id, "new"))
            known[event_id] = Appended(event_id, "duplicate")
        self._db.executemany(
            "INSERT INTO events(position, id, origin, sequence, clock, type, version, at, session, project, actor,"
            " digest, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            events,
        )
        self._db.executemany("INSERT INTO payloads VALUES (?, ?, ?)", payloads)
        return outcomes

    def _known(self, ids: Sequence[str]) -> dict[str, Appended]:
        """Return those of these events that were appended before, by id."""
        found: dict[str, Appended] = {}
        for part, marks in _parts(ids):
            for event_id, is_forgotten in self._db.execute(
                "SELECT e.id, f.position IS NOT NULL FROM events e LEFT JOIN forgotten f USING (position)"
                f" WHERE e.id IN ({marks}) AND NOT is_foreign(e.origin, e.sequence) ORDER BY e.position",
                part,
            ).fetchall():
                found.setdefault(event_id, Appended(event_id, "forgotten" if is_forgotten else "duplicate"))
        return found

    def read(
        self, after: int = 0, *, types: Iterable[str] | None = None, order: Order = "position", upto: int | None = None
    ) -> Iterator[Event]:
        with self._reading():
            merged = self._trust.one_copy()
        where = f"f.position IS NULL AND e.position <= ?{merged}"
        arguments: list[Any] = [self.head() if upto is None else upto]
        if types is not None:
            chosen = sorted(types)
            where += f" AND e.type IN ({','.join('?' * len(chosen))})"
            arguments += chosen
        # Without merges, positions follow the clock.
        pages = self._by_clock if order == "clock" and merged else self._by_position
        for page in pages(where, [*arguments, after]):
            for event in page if types is None else filter(is_sound, page):
                make_way()
                yield event

    def _by_position(self, where: str, arguments: list[Any]) -> Iterator[list[Event]]:
        query = f"SELECT {COLUMNS} WHERE {where} AND e.position > ? ORDER BY e.position LIMIT {_BATCH}"
        rows = self._page(query, arguments)
        while rows:
            yield [event for event, _ in rows]
            if len(rows) < _BATCH:
                return
            arguments[-1] = rows[-1][0].position
            rows = self._page(query, arguments)

    def _by_clock(self, where: str, arguments: list[Any]) -> Iterator[list[Event]]:
        query = (
            f"SELECT {COLUMNS} WHERE {where} AND e.position > ? AND (e.clock, e.origin, e.sequence) > (?, ?, ?)"
            f" ORDER BY e.clock, e.origin, e.sequence LIMIT {_BATCH}"
        )
        rows = self._page(query, [*arguments, *_FIRST])
        while rows:
            yield [event for event, _ in rows]
            if len(rows) < _BATCH:
                return
            rows = self._page(query, [*arguments, *rows[-1][1]])

    def _page(self, query: str, arguments: Sequence[Any]) -> list[tuple[Event, tuple[Any, ...]]]:
        """Return one page of events, each with its place in the order of clocks as it is stored."""
        with self._reading():
            rows = self._db.execute(query, arguments).fetchall()
            trust = self._trust.current()
        return [(event_from_row(row, trust), (row[5], row[6], row[10])) for row in rows]

    def get(self, ids: Sequence[str]) -> dict[str, Event]:
        found: dict[str, Event] = {}
        for part, marks in _parts(ids):
            with self._reading():
                rows = self._db.execute(
                    f"SELECT {COLUMNS} WHERE f.position IS NULL AND e.id IN ({marks}){self._trust.one_copy()}",
                    part,
                ).fetchall()
                trust = self._trust.current()
            found |= {row[1]: event_from_row(row, trust) for row in rows}
        return found

    def head(self) -> int:
        with self._reading():
            return int(self._db.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0])

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
            added = self._db.executemany(
                "INSERT INTO derivations(step, source, input_hash, body, checksum) VALUES (?,?,?,?,?)"
                " ON CONFLICT DO NOTHING",
                rows,
            )
            return max(0, added.rowcount)

    def derivations(self, after: int = 0, *, steps: Iterable[str] | None = None) -> Iterator[Derivation]:
        chosen, patterns = "", list[str]()
        if steps is not None:
            patterns = [name if "/" in name else f"{name}/" for name in steps]
            told = (f"substr(d.step, 1, {len(name)}) = ?" if name[-1:] == "/" else "d.step = ?" for name in patterns)
            chosen = f" AND d.body <> '{{}}' AND ({' OR '.join(told)})" if patterns else ""
        while True:
            with self._reading():
                rows = self._db.execute(
                    "SELECT d.number, d.step, d.source, d.input_hash, d.body, d.checksum, e.at, e.clock FROM derivations d"
                    " LEFT JOIN events e ON e.id = d.source LEFT JOIN forgotten f USING (position)"
                    f" WHERE d.number > ? AND f.position IS NULL{self._trust.one_copy()}{chosen}"
                    f" ORDER BY d.number LIMIT {_BATCH}",
                    (after, *patterns),
                ).fetchall()
            for number, step, source, input_hash, body, checksum, at, clock in rows:
                make_way()
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

    def drop_damaged_derivations(self) -> int:
        with self._transaction("nothing was repaired"):
            changed = [(number,) for number, _, _ in self._changed_derivations()]
            self._db.executemany("DELETE FROM derivations WHERE number = ?", changed)
        return len(changed)

    def processed_sources(self, step: str, sources: Sequence[str]) -> set[str]:
        done: set[str] = set()
        for part, marks in _parts(sources):
            with self._reading():
                rows = self._db.execute(
                    f"SELECT source FROM derivations WHERE step = ? AND source IN ({marks})", (step, *part)
                ).fetchall()
            done |= {source for (source,) in rows}
        return done

    # -- Erasure

    def forget(self, ids: Sequence[str], tombstone: Draft) -> list[str]:
        hidden = list[str]()
        with _unless_undone(), self._transaction("nothing was forgotten"):
            (stone,) = self._insert([tombstone])
            for event_id in ids:
                added = self._db.execute(
                    "INSERT INTO forgotten SELECT position, ? FROM events WHERE id = ? ON CONFLICT DO NOTHING",
                    (stone.id, event_id),
                )
                if added.rowcount > 0:
                    hidden.append(event_id)
            if not hidden:
                raise _Rollback
        return hidden

    def purge(self) -> Purged:
        with self._transaction("nothing was erased"):
            payloads = self._db.execute(
                "DELETE FROM payloads WHERE position IN (SELECT position FROM forgotten)"
            ).rowcount
            self._blank_names()
            derivations = self._db.execute(
                "DELETE FROM derivations WHERE source IN (SELECT id FROM events JOIN forgotten USING (position))"
            ).rowcount
            trees = self._db.execute(
                "SELECT p.body FROM events e JOIN payloads p USING (position) WHERE e.type IN ('tree_indexed', 'scip_indexed')"
            )
            named = named_blobs(trees)
            unnamed = [one for one in self._db.execute("SELECT digest FROM blobs").fetchall() if one[0] not in named]
            self._db.executemany("DELETE FROM blobs WHERE digest = ?", unnamed)
        self._scrub()
        return Purged(payloads, derivations, len(unnamed))

    # -- Exchange

    def dump(self) -> Iterator[dict[str, Any]]:
        with self._snapshot() as db:
            yield from dump_log(db, self.origin)

    def merge_records(
        self, records: Iterable[dict[str, Any]], redact: Callable[[str, str], str], *, trusted: bool = False
    ) -> MergeCounts:
        with self._transaction("nothing was merged"):
            outcome = merge_records(self._db, records, redact, self.origin, trusted=trusted)
            if outcome.decision:
                self._insert([Draft(MERGED, outcome.decision, self._clock.now())])
                self._share_trust(self._trust.current())
            return outcome.counts

    def rename_projects(self, names: Iterable[str], here: str) -> None:
        with self._transaction("no project was renamed"):
            left = sorted(name for name in {*names} - {here, ""} if self._trust.current().project_of(name) == name)
            if left:
                drop_derivations_of_projects(self._db, left)
                self._insert([Draft(MERGED, {PROJECTS: dict.fromkeys(left, here)}, self._clock.now())])
                self._share_trust(self._trust.current())

    def project_named(self, name: str) -> str:
        with self._reading():
            return self._trust.current().project_of(name)


class _Rollback(Exception):
    """Ends a transaction that shall change nothing."""


@contextmanager
def _unless_undone() -> Iterator[None]:
    """Context manager: end quietly if the block undid its transaction."""
    try:
        yield
    except _Rollback:
        return


def id_of_key(name: str) -> str:
    """Return the id of an event from its key, or from its place in the log."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _parts(ids: Sequence[str]) -> Iterator[tuple[list[str], str]]:
    """Yield these ids in parts that fit a query, each with its placeholders."""
    for start in range(0, len(ids), _TOGETHER):
        part = list(ids[start : start + _TOGETHER])
        yield part, ",".join("?" * len(part))


def blank_names(db: Connection) -> None:
    """Erase names (session, project, actor) from the envelopes of erased events, because they may contain what was
    erased. Events never change otherwise, so the caller disables what guards them; checksums stay, so that the chain
    continues."""
    db.execute(
        "UPDATE events SET session = '', project = '', actor = ? WHERE actor <> ? AND position IN (SELECT position FROM forgotten)",
        (BLANK, BLANK),
    )
