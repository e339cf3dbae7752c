"""Access to a store's graph: this process opens it, owns the store and serves other processes, or it asks the owner.
Operations run in the owner, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from graphmem.backends.freed import trim_heap
from graphmem.backends.remote import client, place
from graphmem.context import StoreContext
from graphmem.errors import LogUnreachable, StoreError
from graphmem.operations.pipeline import Process
from graphmem.operations.registry import operation_of
from graphmem.operations.vocabulary import RECORDS
from graphmem.ports.graph import GraphStore, OwnedGraph
from graphmem.ports.request import Progress, Request, quiet
from graphmem.ports.text import EVENTS
from graphmem.projections.lineage import check_lineage, load_watermark, save_watermark
from graphmem.store import engine_change
from graphmem.store.graph_files import GraphFiles

if TYPE_CHECKING:
    from filelock import FileLock

    from graphmem.backends.remote.server import Server
    from graphmem.operations.operation import Operation
    from graphmem.store.retrieval import SearchIndex

R = TypeVar("R")


class GraphAccess:
    """The graph of one store, and the right to write to it."""

    def __init__(
        self,
        store: StoreContext,
        index: Callable[[], SearchIndex],
        run_command: Callable[[str], str],
    ) -> None:
        self._store = store
        self._index, self._run_command = index, run_command
        self.files = GraphFiles(store)
        self.stopping = threading.Event()
        self.turn = threading.RLock()
        self._ready = threading.Event()  # the graph is open and says what the log says
        self.server: Server | None = None
        self._client: client.Client | None = None
        self._lock: FileLock | None = None
        self._owned: OwnedGraph | None = None

    @cached_property
    def graph(self) -> GraphStore:
        """Return the property graph: opened here if this process can own the store, otherwise queried through its
        owner. Read-only if nobody can write to the store. Raises StoreBusy if the owner does not answer."""
        store = self._store
        if store.frozen:
            read = self.files.open(frozen=True)
            try:
                check_lineage(store.log.state, read.cursors())
            except StoreError as error:
                read.refusal = error
            return read
        self._client = client.connect_or_start(
            store.path, store.project, RECORDS, own=lambda: self._may_open() and self._claim()
        )
        try:
            return client.RemoteGraph(self._client) if self._client else self._own("embedded")
        except OSError as error:  # no room, mostly: another may own it, or this one later
            self._disown()
            raise StoreError(f"the graph cannot be opened: {error.strerror or error}", path=str(store.path)) from error

    @property
    def owned(self) -> OwnedGraph:
        """Return the graph that this process has open."""
        self.graph  # noqa: B018 (decides where that is)
        if self._owned is None:
            raise StoreError("another process owns the graph", path=str(self._store.path))
        return self._owned

    def own(self) -> bool:
        """Become the owner, as a daemon; return False if another process is the owner."""
        if not self._claim():
            return False
        self._index().is_shared = True
        self._own("daemon")
        return True

    def _may_open(self) -> bool:
        """Return whether this process may open the graph: not if it leaves that to a daemon, or has loaded another engine.
        Raises NotInstalled if no process can."""
        engine = self.files.usable_engine()
        return not self._store.daemon and not engine.rival

    def open_for_claimant(self, engine: str) -> None:
        """Open the graph of an engine, in a worker of the process that has claimed the store. No client is served."""
        self.files.use_candidate(engine)
        graph = self._owned = self.__dict__["graph"] = self.files.open()
        self._ready.set()
        if not self._store.log.state.unfinished_operations():
            check_lineage(self._store.log.state, graph.cursors())

    def check_engine(self, engine: str) -> None:
        """Raise UsageError unless the store can get this engine, NotInstalled if it is missing."""
        engine_change.check_engine(self.files, engine)

    def change_engine(self, engine: str, progress: Progress) -> int:
        """Rebuild the graph, which nobody may have open, with another engine; return the number of its rows."""
        return engine_change.change_engine(self._store.path, self._store.project, self.files, engine, progress)

    def _claim(self) -> bool:
        self._lock = place.claim_ownership(self._store.path)
        return self._lock is not None

    def _own(self, kind: str) -> GraphStore:
        """Open the graph and serve it, after finishing interrupted work and refilling a graph that had to be dropped.
        Queries are refused until this succeeds."""
        from graphmem.store.serving import serve

        log = self._store.log
        self.server = serve(  # clients find it at once, and wait for the graph
            self._store, self._trusted_graph, self._run_command, ready=self._ready, stopping=self.stopping, kind=kind
        )
        graph = self._owned = self.__dict__["graph"] = self.files.open()
        try:
            if not log.state.unfinished_operations():
                check_lineage(log.state, graph.cursors())
            if graph.reverted or self.files.damage or log.state.unfinished_operations():
                with self.turn:
                    self._catch_up()
        except LogUnreachable:  # nothing is known to be wrong: the next use tries again
            self._disown()
            raise
        except StoreError as error:
            graph.refusal = error
        self._ready.set()
        return graph

    def _catch_up(self) -> None:
        """Finish interrupted work and restore lost projections before answering any client."""
        operation_of(Process()).run(self._store, Process(), quiet)

    def _trusted_graph(self) -> OwnedGraph:
        """Return the graph that this process owns. Rebuilds it if its file was deleted; callers wait meanwhile."""
        graph = self.owned
        if not graph.find_damage():
            return graph
        with self.turn:
            self._ready.clear()
            try:
                if self.files.replace_damaged(graph):
                    self._catch_up()
            except StoreError as error:
                graph.refusal = error
            finally:
                self._ready.set()
        return graph

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: in this process, one at a time, or in the owner."""
        if self._store.frozen:
            return self._run_frozen(operation_of(request), request, progress or quiet)
        self.graph  # noqa: B018 (decides where that is)
        if self._client is not None:
            return self._client.run(request, progress)
        return self._run_here(operation_of(request), request, progress or quiet)

    def _run_frozen(self, operation: Operation[Request[R], R], request: Request[R], progress: Progress) -> R:
        if not operation.is_reading:
            bars, remedy = self._store.barred()
            raise StoreError(f"{bars[0]}, and this would write to it: {remedy}", path=str(self._store.path))
        with self.turn:
            return operation.run(self._store, request, progress)

    def _run_here(self, operation: Operation[Request[R], R], request: Request[R], progress: Progress) -> R:
        state, index = self._store.log.state, self._index()
        with self.turn:
            graph = self._trusted_graph()
            (index.trust if operation.needs_index else index.check)()
            emptied = operation.fills_index and self._is_emptied()
            before, index.worker = index.worker, threading.get_ident()
            try:
                result = operation.run(self._store, request, progress)
            finally:
                index.worker = before
            if operation.is_whole:
                graph.refusal = None
            if emptied:
                self.files.note_damage("the index was missing")
            if index.is_open:
                save_watermark(state, index.text.cursors(), done=operation.is_whole)
        if operation.is_large:
            trim_heap()
        return result

    def _is_emptied(self) -> bool:
        """Return whether the index is empty although it had content before."""
        state = self._store.log.state
        return (
            not self._store.text.cursors().get(EVENTS)
            and load_watermark(state) > 0
            and not state.unfinished_operations()
        )

    def _disown(self) -> None:
        """Stop being the owner."""
        self.unserve()
        self.close_graph()
        self.release_claim()

    def unserve(self) -> None:
        """Stop answering clients."""
        if self.server is not None:
            self.server.close()
            self.server = None

    def close_graph(self) -> None:
        """Close the graph. The next use opens it again."""
        if (graph := self.__dict__.pop("graph", None)) is not None:
            graph.close()
        self._owned = None

    def close_inherited_sockets(self) -> None:
        """Close a forked child's copies of the sockets, so that clients and owner notice when the parent ends."""
        for one in (self.server, self._client):
            if one is not None:
                one.close_inherited_sockets()

    def release_claim(self) -> None:
        """Let another process own the store."""
        self._client = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
