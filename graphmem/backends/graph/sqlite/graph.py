"""The property graph in tables of one SQLite file, for machines that have no graph engine. It answers the queries of graphmem;
of other Cypher, what is made of the same parts. Each batch is one transaction with its cursors."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, Literal

from graphmem import resources
from graphmem.backends.graph.schema import describe_schema, parse_tables, schema_statements, without_comments
from graphmem.backends.graph.seal import Seal, replace_files
from graphmem.backends.graph.sqlite.parsing import parse_query
from graphmem.backends.graph.sqlite.rows import parse_time, read_rows
from graphmem.backends.graph.sqlite.scope import NODE, RELATION
from graphmem.backends.graph.sqlite.syntax import Unsupported
from graphmem.backends.graph.sqlite.tables import TableWriter, stored_parameter, table_statements
from graphmem.backends.graph.sqlite.translation import Sql, Translator
from graphmem.backends.graph.waiting import PendingEdges
from graphmem.backends.log.file_access import inode_of
from graphmem.backends.log.sqlite_errors import as_store_error
from graphmem.errors import QueryStopped, QueryTimeout, StoreDamaged, StoreError, UsageError
from graphmem.model.changes import Changes
from graphmem.owntypes import Types
from graphmem.ports.callers import HAS_CALLER_LEFT
from graphmem.ports.graph import GraphStore, Rows

_READERS = 4
_STEPS = 20_000  # instructions of SQLite between two looks at the clock
_PAUSE_S = 0.05
_CACHE_KB = 16_000
_ANALYZED = 1_000  # relations from which statistics help the planner
_MISSING = (
    "; the graph of this store is in SQLite tables, which answer simple patterns only: for all of Cypher, install a graph engine"
    " and run `graphmem move --engine ladybug`"
)


class SqliteGraph:
    """OwnedGraph in one SQLite file, or in memory if `path` is None. Safe for concurrent threads: reads have connections of their
    own. Opening raises StoreDamaged if the file was changed. A `frozen` graph is read-only, and must exist."""

    def __init__(
        self, path: Path | None, *, own: Types | None = None, frozen: bool = False, result_mb: int = 16
    ) -> None:
        self._path, self._frozen, self._most = path, frozen, result_mb << 20
        self._nodes, self._relations = parse_tables(schema_statements(own))
        self._entities = ["Entity", *(own.labels if own else ())]
        types = {name: columns for name, (_, columns) in self._relations.items()}
        self._columns = {NODE: self._nodes, RELATION: types}
        self._lock = threading.RLock()
        self._slots: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._state: Literal["open", "asleep", "closed"] = "closed"
        self._used = time.monotonic()
        self._waiting: PendingEdges | None = None
        self._translate = lru_cache(maxsize=256)(self._make_sql)
        self.refusal: StoreError | None = None
        self.reverted = False  # what was committed is there after a crash
        self._open()

    # -- files

    def _open(self) -> None:
        if self._path is not None:
            self._check(self._path)
        try:
            self._db = self._connect()
            if not self._db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                self._create()
            self._analyzed = self._statistics()
            others = 1 if self._path is None else _READERS
            connections = [self._db] if self._path is None else [self._connect(is_reader=True) for _ in range(others)]
        except sqlite3.Error as error:
            raise self._translated(error) from error
        self._inode = inode_of(self._path) if self._path else None
        for one in connections:
            self._slots.put(one)
        self._used, self._state = time.monotonic(), "open"

    def _check(self, path: Path) -> None:
        """Raise StoreDamaged for a file that was changed after it was closed, or is damaged after a crash."""
        seal, sealed = Seal(path), path.with_name(path.name + ".seal")
        broken = seal.broken() if sealed.exists() or not path.is_file() else ""
        if broken:
            raise StoreDamaged(f"the graph cannot be trusted: {broken}", path=str(path))
        if self._frozen:
            if not sealed.exists():
                raise StoreError("the graph was not closed", path=str(path))
            return
        if path.exists() and not sealed.exists():
            try:
                db = self._connect()
                found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
                db.close()
            except sqlite3.Error as error:
                raise StoreDamaged(f"the graph cannot be opened ({error})", path=str(path)) from error
            if found != "ok":
                raise StoreDamaged(f"the graph cannot be trusted: {found}", path=str(path))
        sealed.unlink(missing_ok=True)

    def _connect(self, is_reader: bool = False) -> sqlite3.Connection:
        if self._path is None:
            place = ":memory:"
        else:
            if not self._frozen:
                with suppress(FileExistsError):
                    os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            place = self._path.absolute().as_uri() + ("?mode=ro&immutable=1" if self._frozen else "")
        db = sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False, timeout=30)
        if not self._frozen:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                db.execute(f"PRAGMA {pragma}")
        db.execute(f"PRAGMA cache_size=-{_CACHE_KB // (4 if is_reader else 1)}")
        if is_reader or self._frozen:
            db.execute("PRAGMA query_only=ON")
        lower: dict[str, Callable[[str | None], Any]] = {"u_lower": _lower, "u_upper": _upper, "to_time": parse_time}
        for name, function in lower.items():
            db.create_function(name, 1, function, deterministic=True)
        return db

    def _create(self) -> None:
        if self._frozen:
            raise StoreError("the graph is empty, and was opened read-only", path=str(self._path))
        with self._transaction():
            for statement in table_statements(self._nodes, self._relations):
                self._db.execute(statement)

    def _statistics(self) -> int:
        """Return the number of relations when the planner's statistics were made."""
        with suppress(sqlite3.OperationalError):  # there are none yet
            found = self._db.execute("SELECT stat FROM sqlite_stat1 WHERE idx = 'edges_source'").fetchone()
            return int(found[0].split()[0]) if found else 0
        return 0

    def _analyze(self) -> None:
        """Count what the tables hold for the planner, whenever that has doubled."""
        now = self._db.execute("SELECT coalesce(max(key), 0) FROM edges").fetchone()[0]
        if now < 2 * self._analyzed + _ANALYZED:
            return
        self._db.execute("PRAGMA analysis_limit=1000")
        self._db.execute("ANALYZE")
        self._analyzed = now
        with suppress(queue.Empty):  # open connections keep the older statistics
            for _ in range(_READERS if self._path else 0):
                self._slots.get_nowait().close()
                self._slots.put(self._connect(is_reader=True))

    # -- GraphStore

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        with self._writing():
            if self._waiting is None:
                stored = self._db.execute(
                    "SELECT id, body FROM nodes WHERE label = 'Cursor' AND body IS NOT NULL"
                ).fetchall()
                self._waiting = PendingEdges(stored)
            TableWriter(self._db, self._nodes, self._relations).put(changes, cursors, self._waiting)
        with self._lock:
            if self._state == "open":
                self._analyze()

    def refine(self, names: Sequence[str]) -> None:
        with self._writing():
            for name in names:
                template = Template(without_comments(resources.text(f"queries/graph/write/{name}.cypher")).strip())
                for statement in {template.substitute(label=label): None for label in self._entities}:
                    write = Translator(self._nodes, self._relations).write(parse_query(statement), "found")
                    self._db.execute(f"CREATE TEMP TABLE found AS {write.rows}")
                    for one in write.statements:
                        self._db.execute(one)
                    self._db.execute("DROP TABLE temp.found")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context manager: one transaction on the connection that writes; nothing of it is kept if the block raises."""
        if self._frozen:
            raise StoreError("the graph was opened read-only", path=str(self._path))
        with self._lock:
            self._wake()
            taken = self._slots.get() if self._path is None else None  # the one connection of a graph in memory
            try:
                with self._transaction():
                    yield
            except sqlite3.Error as error:
                raise self._translated(error) from error
            finally:
                if taken:
                    self._slots.put(taken)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._waiting = None  # read again
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def cursors(self) -> dict[str, int]:
        with self._lock, self._reader(is_refused=False) as db:
            return dict(db.execute("SELECT id, position FROM nodes WHERE label = 'Cursor' AND body IS NULL").fetchall())

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        return self._query(cypher, parameters or {}, limit, timeout, None)

    def query_untrusted(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float,
        has_left: Callable[[], bool] | None = None,
    ) -> Rows:
        """Run untrusted Cypher on a connection that cannot write. SQLite keeps what is sorted or collected in files, and looks at
        the clock often, so that no process of its own is needed. Raises UsageError, which says what is missing, for Cypher
        that only a graph engine understands."""
        try:
            return self._query(cypher, parameters or {}, limit, timeout, has_left or HAS_CALLER_LEFT.get())
        except Unsupported as error:
            raise UsageError(error.message + _MISSING) from error

    def _query(
        self,
        cypher: str,
        parameters: Mapping[str, Any],
        limit: int | None,
        timeout: float,
        has_left: Callable[[], bool] | None,
    ) -> Rows:
        given = {name: stored_parameter(value) for name, value in parameters.items()}
        sql = self._translate(without_comments(cypher), tuple((name, kind) for name, (_, kind) in given.items()))
        for name in given.keys() - sql.parameters:
            raise UsageError(f"Cypher: the query has no `${name}`: omit that parameter")
        with self._reader() as db, _limited(db, timeout, has_left):
            try:
                db.execute("BEGIN")
                cursor = db.execute(sql.text, {name: value for name, (value, _) in given.items()})
                rows = self._fetch(cursor, limit, is_bounded=has_left is not None)
                kept = rows if limit is None else rows[:limit]
                return Rows(sql.columns, read_rows(db, kept, sql.kinds, self._columns), len(kept) < len(rows))
            except (OverflowError, UnicodeError) as error:
                raise UsageError(f"Cypher: a parameter cannot be sent: {error}") from error
            except sqlite3.Error as error:
                raise self._translated(error, timeout) from error
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _fetch(self, cursor: sqlite3.Cursor, limit: int | None, *, is_bounded: bool) -> list[tuple[Any, ...]]:
        """Return the rows up to the one after the limit. Raises QueryStopped if an untrusted query answers too much."""
        rows: list[tuple[Any, ...]] = []
        size = 0
        for row in cursor:
            rows.append(row)
            if limit is not None and len(rows) > limit:
                break
            if is_bounded:
                size += sum(len(value) if isinstance(value, str) else 8 for value in row)
                if size > self._most:
                    raise QueryStopped(f"the result exceeds {self._most >> 20} MB: return less data")
        cursor.close()
        return rows

    def _make_sql(self, cypher: str, kinds: tuple[tuple[str, str], ...]) -> Sql:
        return Translator(self._nodes, self._relations, dict(kinds)).read(parse_query(cypher))

    def _translated(self, error: sqlite3.Error, timeout: float = 0) -> Exception:
        said = str(error)
        if "interrupted" in said:
            return QueryTimeout(
                f"the query ran longer than {timeout:g} s and was stopped: add a LIMIT or narrow the pattern"
            )
        if "user-defined function" in said:
            return UsageError("Cypher: a time is written as 2026-01-31 or 2026-01-31T12:00:00")
        if "no such" in said or "mismatch" in said or "misuse" in said or "syntax error" in said:
            return UsageError(f"Cypher: the query has no meaning here ({said})")
        return as_store_error(error, "the graph cannot be used", "rebuild", path=str(self._path))

    def schema(self) -> dict[str, Any]:
        return describe_schema(self._nodes, self._relations)

    def close(self) -> None:
        with self._lock:
            self._shut("closed")

    # -- OwnedGraph

    @contextmanager
    def _reader(self, *, is_refused: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend a connection for one query."""
        if self.refusal and is_refused:
            raise self.refusal
        while True:
            if self._state != "open":
                with self._lock:
                    self._wake()
            with suppress(queue.Empty):
                db = self._slots.get(timeout=_PAUSE_S)
                break
        self._used = time.monotonic()
        try:
            yield db
        finally:
            self._slots.put(db)

    def _wake(self) -> None:
        """Open the file again, under the lock. Raises StoreError for a closed graph, StoreDamaged if its file changed."""
        if self._state == "closed":
            raise StoreError("the graph was closed: open the store again")
        if self._state == "asleep":
            if lost := self.find_damage():  # an empty one would answer that there is no data
                raise StoreDamaged(f"{lost}: run `graphmem rebuild`", path=str(self._path))
            self._open()

    @property
    def unused_s(self) -> float:
        """Return seconds since the last query or write; 0 while the file is closed."""
        return time.monotonic() - self._used if self._state == "open" else 0.0

    def release_memory(self) -> None:
        """Close the file until the next use."""
        with self._lock:
            if self._path and self._state == "open":
                self._shut("asleep")

    def _shut(self, then: Literal["asleep", "closed"]) -> None:
        """Wait for running queries, write everything to the file and close it."""
        if self._state == "open":
            self._state = then
            for _ in range(1 if self._path is None else _READERS):
                self._slots.get().close()
            if self._path is not None:
                self._db.close()  # the last connection empties the write-ahead log
                if not self._frozen and self._path.exists():
                    Seal(self._path).close()
        self._state = then

    def find_damage(self) -> str:
        """Return why the file cannot be used: missing or replaced, or changed while it was closed."""
        if self._path is None or self._state == "closed":
            return ""
        now = inode_of(self._path)
        if not now or now != self._inode:
            return "the graph was missing"
        broken = Seal(self._path).broken() if self._state == "asleep" else ""
        return broken and f"the graph cannot be trusted: {broken}"

    def adopt(self, fresh: GraphStore) -> None:
        """Replace the file by that of another graph, which is closed. Queries wait meanwhile."""
        if not isinstance(fresh, SqliteGraph) or self._path is None or fresh._path is None:
            raise StoreError("a graph without a file cannot replace another one")
        with self._lock:
            fresh.close()
            self._shut("asleep")
            replace_files(fresh._path, self._path)
            self._waiting, self.refusal = None, None
            self._open()


@contextmanager
def _limited(db: sqlite3.Connection, timeout: float, has_left: Callable[[], bool] | None) -> Iterator[None]:
    """Stop what runs on a connection when its time is over, or nobody waits for the answer any more."""
    until = time.monotonic() + timeout if timeout else None
    left = False

    def is_over() -> bool:
        nonlocal left
        left = has_left is not None and has_left()
        return left or (until is not None and time.monotonic() > until)

    db.set_progress_handler(is_over, _STEPS)
    try:
        yield
    except QueryTimeout:
        if left:
            raise QueryStopped("the client of the query disconnected") from None
        raise
    finally:
        db.set_progress_handler(None, 0)


def _lower(text: str | None) -> str | None:
    return text if text is None else text.lower()


def _upper(text: str | None) -> str | None:
    return text if text is None else text.upper()
