"""The property graph in the database of an embedded engine: opening, queries, idle release and closing. Writing is in
`writer`; each batch is one transaction with its cursors. What differs between engines is in `engines`."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from graphmem.backends.freed import share_heaps, trim_heap, zeroed_allocations
from graphmem.backends.graph.columns import to_tables
from graphmem.backends.graph.compaction import beside, copy_everything, measure_texts, tell
from graphmem.backends.graph.copies import ReadersCopy, private_place
from graphmem.backends.graph.engines import ENGINES, GraphConnection
from graphmem.backends.graph.packing import PackedGraph, is_packed, packed_path
from graphmem.backends.graph.readers import Readers, ReadLimits, Snapshot
from graphmem.backends.graph.schema import describe_schema, parse_tables, schema_statements
from graphmem.backends.graph.seal import Seal, delete_files, replace_files
from graphmem.backends.graph.sentences import is_pool_full, pool_full, refusal_of
from graphmem.backends.graph.values import clean_value
from graphmem.backends.graph.writer import GraphWriter, rows_of
from graphmem.backends.log.file_access import ROOM, inode_of, is_disk_full
from graphmem.errors import BufferFull, StoreBusy, StoreDamaged, StoreError, UsageError
from graphmem.model.changes import Changes
from graphmem.owntypes import Types
from graphmem.ports.callers import HAS_CALLER_LEFT
from graphmem.ports.graph import GraphStore, Rows

_READERS = 4
_QUIET_S, _PAUSE_S = 10.0, 0.01  # seconds that a copy waits for a moment without queries, and between two checks
_REST = 20  # a checkpoint that only frees memory is followed by so many times its duration without one
_UNUSED_S = 25.0  # seconds after which readers of an idle graph end
_FRESH = 256  # MB of buffer with which everything is copied
_NEXT_S = 600.0  # seconds until the next attempt after a copy failed
_FOREIGN = "the graph was written to by another program"
_FULL = "the graph had no memory left at a checkpoint"
_CHANGED = "the graph cannot be trusted: its compressed file was changed"


class EmbeddedGraph:
    """GraphStore in one database file, or in memory if `path` is None. A lock serialises writes; reads use separate
    connections. Opening raises StoreDamaged if the files were changed, StoreBusy if another process has them open. A
    `frozen` graph is read-only: no file is changed, and it must exist."""

    def __init__(
        self,
        path: Path | None,
        *,
        engine: str = "kuzu",
        buffer_pool_mb: int = 2_048,
        threads: int = 2,
        own: Types | None = None,
        frozen: bool = False,
        reading: ReadLimits = ReadLimits(),  # noqa: B008 (it is never changed)
    ) -> None:
        self._engine, self._own = ENGINES[engine], own
        self._module = self._engine.load()
        self._lock = threading.RLock()
        self._path = path
        self._frozen, self._pool = frozen, buffer_pool_mb << 20
        self._options: dict[str, Any] = {
            "buffer_pool_size": self._pool,
            "max_num_threads": threads,
            "read_only": frozen,
            "compression": False,  # see `lists`
            **self._engine.options,
        }
        self._schema = schema_statements(own)
        self._nodes, self._relations = parse_tables(self._schema)
        self._entities = ["Entity", *(own.labels if own else ())]
        self._readers: queue.LifoQueue[GraphConnection | None] = queue.LifoQueue()
        self.refusal: StoreError | None = None  # why queries are rejected: the graph is inconsistent with the log
        self._state: Literal["open", "asleep", "closed"] = "closed"
        self._used = 0.0
        self._version = 0  # incremented with each change
        self._copy = ReadersCopy(None if frozen else path)
        self._bloated, self._compacting, self._next_compaction = False, False, 0.0
        self._lost, self._next_loss = "", 0.0  # why what the engine holds cannot be trusted any more
        self._next_release = 0.0  # monotonic time from which updates may be released
        self._file = path  # that of the engine: another one if `path` is compressed and its folder is read-only
        self._packed = PackedGraph(path or Path())
        self._foreign = Readers(self._engine.package, self._snapshot, self._nodes, reading)
        self._open()
        self._drop_copy()  # of a killed process

    @zeroed_allocations()
    def _open(self) -> None:
        self._seal = Seal(self._path) if self._path else None
        if self._path and is_packed(self._path):
            if self._frozen:
                self._file = private_place(self._path, f"-{os.getpid()}")
            self._packed.unpack(self._file or self._path)
        elif self._path and not self._frozen and packed_path(self._path).is_file():
            packed_path(self._path).unlink()  # of a killed process, and older
        broken = self._seal.broken() if self._seal and self._file == self._path else ""
        if broken:
            raise StoreDamaged(f"the graph cannot be trusted: {broken}", path=str(self._path))
        if self._frozen:
            if self._seal is None or not self._seal.closed():
                raise StoreError("the graph was not closed", path=str(self._path))
            self._seal = None
        self.reverted = bool(self._seal and self._seal.revert())  # changes after the last checkpoint are missing
        share_heaps()  # the engine has its own threads, and so does the caller
        try:
            self._db = self._module.Database(str(self._file) if self._file else ":memory:", **self._options)
            self._writer = GraphWriter(
                lambda: self._module.Connection(self._db), self._path, self._nodes, self._relations
            )
        except (RuntimeError, IndexError) as error:
            if "lock" in str(error).lower():
                raise StoreBusy("another process has the graph open", path=str(self._path)) from error
            raise StoreDamaged(f"the graph cannot be opened ({error})", path=str(self._path)) from error
        if self._file:
            if not self._frozen:
                self._file.chmod(0o600)
            self._inode = inode_of(self._file)
        self._writer.begin_graph(self._schema)
        if self._seal:
            self._seal.write()
        for _ in range(_READERS):
            # One thread each: with two, nodes of several labels were read with property values of other nodes. A scan of
            # 100,000 nodes takes no longer.
            self._readers.put(GraphConnection(lambda: self._module.Connection(self._db, num_threads=1)))
        self._state = "open"

    # -- GraphStore

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        changes = to_tables(changes)
        self._compact_if_bloated()
        if self._writer.must_settle(changes):
            self._settle()
            self._checkpoint_before(changes)
        with self._transaction(rows_of(changes)):
            self._writer.put(changes, cursors)

    def _checkpoint_before(self, changes: Changes) -> None:
        """Write a checkpoint if relations that are not in one yet are removed: Kuzu 0.11.3 would end the process at the
        checkpoint after the next relation of that node."""
        with self._lock:
            until = time.monotonic() + _QUIET_S
            while self._writer.removes_recent(changes) and not self._checkpoint() and time.monotonic() < until:
                time.sleep(_PAUSE_S)

    def refine(self, names: Sequence[str]) -> None:
        self._compact_if_bloated()
        with self._transaction():
            for name in names:
                self._writer.refine(name, self._entities)

    def _compact_if_bloated(self) -> None:
        """Replace a file that changes have bloated by a new one with the same content. Queries go on meanwhile, writes wait.
        After a failure the graph is as it was."""
        with self._lock:
            if self._path is None or not self._bloated or time.monotonic() < self._next_compaction:
                return
            self._wake()
            self._settle()
            self._bloated, self._compacting, before = False, True, self._path.stat().st_size
            try:
                self.adopt(self._make_compact(self._path))
            except (StoreError, RuntimeError):
                self._next_compaction = time.monotonic() + _NEXT_S
                return
            finally:
                self._compacting = False
            tell(self._path, before)
        trim_heap()

    def _make_compact(self, path: Path) -> EmbeddedGraph:
        """Return a copy of everything in another file."""
        delete_files(made := beside(path))
        size = min(_FRESH, self._pool >> 20)
        fresh = EmbeddedGraph(made, engine=self._engine.name, buffer_pool_mb=size, own=self._own)

        def put(statement: str, rows: Any, names: dict[str, str]) -> None:
            with fresh._transaction(1 << 20):  # so that it may stay open
                fresh._writer.write(statement, rows, **names)

        with contextlib.closing(GraphConnection(lambda: self._module.Connection(self._db, num_threads=1))) as reading:
            try:
                copy_everything(reading.run, put, self._nodes, self._relations)
            except BaseException:
                fresh.close()
                delete_files(made)
                raise
        return fresh

    @contextmanager
    def _transaction(self, rows: int = 0) -> Iterator[None]:
        """Context manager for a transaction. Each commit rewrites the last pages of all tables. Therefore a large batch
        for an initially empty graph stays open for the next one, while its tables are small relative to the buffer; if it
        is lost, it is projected again."""
        if self._frozen:
            raise StoreError("the graph was opened read-only", path=str(self._path))
        with self._lock:
            self._wake()
            if not self._writer.is_open:
                self._require_room()
                self._packed.drop()
            self._writer.begin()
            self._version += 1
            is_commit = False
            try:
                yield
                if not self._writer.may_wait(rows, self._pool):
                    is_commit = not self._writer.is_filling  # what is filled now is begun again with more memory
                    self._writer.commit()
                    if self._seal:
                        self._seal.write()
                    self._release_updates()
            except BaseException as error:
                self._writer.rollback()
                if self._seal:
                    self._seal.write()
                if is_pool_full(error):
                    raise self._full() if is_commit else pool_full(self._pool) from error
                raise

    def _full(self) -> BufferFull:
        """Return the error for a full buffer at a checkpoint, which a commit may bring. What the engine holds cannot be trusted
        after that: reading it may crash. So the graph counts as damaged and is made again from the log, unless it just was."""
        if self._path and time.monotonic() > self._next_loss:
            self._lost, self._next_loss = _FULL, time.monotonic() + _NEXT_S
        return pool_full(self._pool, is_mended=bool(self._lost))

    def _require_room(self) -> None:
        """Raise StoreError if the disk is nearly full: without space during a write, the engine would end the process."""
        if self._path and is_disk_full(self._path.parent):
            raise StoreError(
                f"the graph was not changed because the disk is full: free at least {ROOM >> 20} MB",
                path=str(self._path),
            )

    def _settle(self) -> None:
        """Commit an open transaction before a read."""
        if self._writer.is_open:
            with self._transaction():
                pass

    def cursors(self) -> dict[str, int]:
        with self._lock:
            self._wake()
            return {
                row[0]: row[1]
                for row in self._writer.all("MATCH (c:Cursor) WHERE c.body IS NULL RETURN c.id, c.position")
            }

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        self._settle()
        with self._reader() as reader:
            reader.set_query_timeout(int(timeout * 1000))
            try:
                result = reader.run(cypher, dict(parameters or {}))
            except RuntimeError as error:
                raise refusal_of(str(error), timeout) from error
            if isinstance(result, list):
                raise UsageError("one statement at a time: remove the `;`")
            with contextlib.closing(result):
                rows: list[list[Any]] = []
                while result.has_next() and (limit is None or len(rows) < limit):
                    rows.append([clean_value(value, self._nodes) for value in result.get_next()])
                return Rows(result.get_column_names(), rows, truncated=result.has_next())

    def query_untrusted(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float,
        has_left: Callable[[], bool] | None = None,
    ) -> Rows:
        """Run untrusted Cypher in a reader process; an in-memory graph, which no process can share, runs it here."""
        has_left = has_left or HAS_CALLER_LEFT.get()
        if self._path is None:
            return self.query(cypher, parameters, limit=limit, timeout=timeout)
        return self._foreign.query(cypher, parameters or {}, limit=limit, timeout_s=timeout, has_left=has_left)

    def _snapshot(self) -> Snapshot:
        """Return the current graph in a file that readers may open: a copy, unless nobody writes to the graph."""
        if self._compacting and (current := self._copy.of(self._version)):
            return current  # if it is deleted now, the reader asks again
        until = time.monotonic() + _QUIET_S
        while (found := self._copied_now()) is None:
            if time.monotonic() > until:
                raise StoreBusy("an internal query is still reading the graph: try again", path=str(self._path))
            time.sleep(_PAUSE_S)
        return found

    def _copied_now(self) -> Snapshot | None:
        """Return the copy; None while an internal query is running for which a checkpoint, and thereby all other queries,
        would wait."""
        assert self._path is not None
        with self._lock:
            if self.refusal:
                raise self.refusal
            if self._state == "closed":
                raise StoreError("the graph was closed: open the store again")
            if self._frozen:
                return Snapshot(self._file or self._path, 0)
            if lost := self.find_damage():
                raise StoreDamaged(f"{lost}: run `graphmem process`", path=str(self._path))
            if current := self._copy.of(self._version):
                return current
            self._settle()
            if not self._checkpoint():
                return None
            return self._copy.make(self._path, self._version)

    def _checkpoint(self) -> bool:
        """Write everything to the graph's file, under the lock and after `_settle`; return False while a query is
        running."""
        wal = Path(f"{self._path}.wal")
        if self._state != "open" or not (wal.exists() and wal.stat().st_size):
            return True
        with self._connections_at_rest() as quiet:
            if quiet:
                touched = set(self._writer.touched)
                try:
                    self._writer.checkpoint()
                    if self._engine.keeps_replaced and touched:
                        self._bloated = measure_texts(self._writer.run, touched).is_bloated(self._pool)
                except RuntimeError as error:
                    if is_pool_full(error):
                        raise self._full() from error
                    raise
                finally:
                    if self._seal:
                        self._seal.write()
            return quiet

    def _release_updates(self) -> None:
        """Write a checkpoint if updates take much memory, unless a query is running, and for a twentieth of the time at most."""
        if self._writer.keeps_updates and time.monotonic() > self._next_release:
            begun = time.monotonic()
            self._checkpoint()
            self._next_release = time.monotonic() + _REST * (time.monotonic() - begun)

    @contextmanager
    def _connections_at_rest(self) -> Iterator[bool]:
        """Keep every idle connection for the length of the block, and yield whether none was in use."""
        taken: list[Any] = []
        with contextlib.suppress(queue.Empty):
            while True:
                taken.append(self._readers.get_nowait())
        try:
            yield sum(one is not None for one in taken) == _READERS
        finally:
            for one in reversed(taken):
                self._readers.put(one)

    def _drop_copy(self) -> None:
        """Delete the copy, and end the waiting readers, which have it open."""
        self._foreign.close()
        self._copy.delete()

    @contextmanager
    def _reader(self) -> Iterator[GraphConnection]:
        """Lend a connection for one query. Concurrent queries get different ones, so that a slow one does not block others."""
        if self.refusal:
            raise self.refusal
        while (reader := self._readers.get()) is None:
            with self._lock:
                self._wake()
        # Data not in memory yet would be read from a file that others wrote to: the engine may crash, or hang.
        if self._lost or self._is_written_by_others():
            self._readers.put(reader)
            raise StoreDamaged(f"{self._lost or _FOREIGN}: run `graphmem process`", path=str(self._path))
        self._used = time.monotonic()
        try:
            reader.renew()
            yield reader
        finally:
            self._readers.put(reader)

    def schema(self) -> dict[str, Any]:
        return describe_schema(self._nodes, self._relations)

    def adopt(self, fresh: GraphStore) -> None:
        """Replace the file of another graph, and close this one. Queries wait meanwhile."""
        if not isinstance(fresh, EmbeddedGraph) or self._path is None or fresh._path is None:
            raise StoreError("a graph without a file cannot replace another one")
        with self._lock:
            fresh._shut("closed", keep=True)
            self._shut("asleep", keep=True)
            self._drop_copy()  # it contains purged data
            self._version += 1
            replace_files(fresh._path, self._path)
            self._lost = ""
            self._open()
            self.refusal = None

    def close(self) -> None:
        """Wait for running queries, write everything and close the files. Running reader queries are killed."""
        with self._lock:
            self._shut("closed")
            self._foreign.close(kill=True)
            self._drop_copy()

    # -- idle

    @property
    def unused_s(self) -> float:
        """Return seconds since the last query or write; 0 if neither the engine nor a reader is open."""
        own = time.monotonic() - self._used if self._state == "open" else 0.0
        return max(own, self._foreign.unused_s)

    def release_memory(self) -> None:
        """Close the engine until the next use: it uses 150 MB for empty tables, and opens in 0.1 s. Idle readers end,
        too."""
        with self._lock:
            if self._path and self._state == "open":
                self._shut("asleep")
            if self._foreign.unused_s > _UNUSED_S:
                self._drop_copy()

    def find_damage(self) -> str:
        """Return why its file cannot be used: deleted, damaged while closed, or replaced while open. "" if it is intact."""
        if self._path is None or self._state == "closed":
            return ""
        if self._state == "asleep" and is_packed(self._path):
            return "" if self._packed.is_as_left() else _CHANGED
        if self._lost:
            return self._lost
        now = inode_of(self._file or self._path)
        if not now or (self._state == "open" and now != self._inode):
            return "the graph was missing"
        if self._is_written_by_others():
            return _FOREIGN
        broken = Seal(self._path).broken() if self._state == "asleep" else ""
        return broken and f"the graph cannot be trusted: {broken}"

    def _is_written_by_others(self) -> bool:
        """Return whether another program wrote to it; checked only while this process does not write."""
        if self._seal is None or not self._lock.acquire(blocking=False):
            return False
        try:
            return self._state == "open" and not self._writer.is_open and self._seal.changed()
        finally:
            self._lock.release()

    def _wake(self) -> None:
        """Reopen the engine, under the lock. Raises StoreError for a closed graph, StoreDamaged if its files changed
        meanwhile."""
        self._used = time.monotonic()
        if self._state == "closed":
            self._readers.put(None)
            raise StoreError("the graph was closed: open the store again")
        if self._state == "asleep":
            try:
                if lost := self.find_damage():  # an empty one would answer that there is no data
                    raise StoreDamaged(lost, path=str(self._path))
                self._open()
            except StoreError as error:
                self._readers.put(None)
                raise type(error)(f"{error.message}: run `graphmem rebuild`", path=str(self._path)) from error

    @zeroed_allocations()
    def _shut(self, then: Literal["asleep", "closed"], *, keep: bool = False) -> None:
        """Close all connections, and shrink the file unless `keep` is set. Later callers find none, and determine why."""
        if self._state == "open":
            if self._lost:
                self._writer.discard()
            else:
                self._settle()
            connected = _READERS
            while connected:
                reader = self._readers.get()
                if reader is not None:
                    reader.close()
                    connected -= 1
            self._writer.close()
            self._db.close()
            if self._seal and not self._lost:  # otherwise the last checkpoint counts, as after a crash
                self._seal.close()
                if not keep:
                    self._packed.shrink(self._seal.left()[0])
            elif self._file != self._path and self._file:
                self._file.unlink(missing_ok=True)
        self._state = then
        if self._readers.empty():
            self._readers.put(None)
