"""An open store: the only package that names concrete backends. Each backend is opened on first use, so a hook only opens
the log, and a search does not open the graph."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError, MalformedMessage, StoreError
from graphmem.log.append import Recorder
from graphmem.ports.clock import Clock, SystemClock
from graphmem.ports.request import Progress, Request, quiet
from graphmem.ports.text import EVENTS
from graphmem.projections.shown import check_lineage, save_watermark, watermark
from graphmem.settings import Settings
from graphmem.store import forked, idle
from graphmem.store.repair import CODE, ProjectionRepair
from graphmem.store.retrieval import INDEX, RetrievalParts

if TYPE_CHECKING:
    from filelock import FileLock

    from graphmem.backends.backlog.sqlite import SqliteBacklog
    from graphmem.backends.facts.sqlite import SqliteFacts
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.backends.log.sqlite import SqliteLog
    from graphmem.backends.remote.client import Client
    from graphmem.backends.remote.messages import Hook
    from graphmem.backends.remote.server import Server
    from graphmem.codegraph.build import Index
    from graphmem.operations.registry import Operation
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.writer import Writer
    from graphmem.privacy import PrivacySettings
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks

R = TypeVar("R")
RunCommand = Callable[[str], str]  # runs a command line of a thin client; returns what `Command` describes
# derived data, dependants first
_PROJECTED = ("_retriever", "_older", "vectors", "outbox", "embedder", "graph", "text")
_RECORDED = ("writer", "backlog", "tasks", "_facts", "recorder", "log")
LOG, BUFFER = "log.db", "buffer.db"


def finish_interrupted_move(path: Path) -> None:
    """Finish or undo an interrupted move of this store. Call before reading anything in it."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.finish_move(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the owner process of a store without waiting. It exits if another owner is running."""
    from graphmem.backends.remote import client

    client.start_daemon(path, project)


class StepContext:
    """What processing steps need: dead letters, and the language model if configured."""

    path: Path
    settings: Settings
    clock: Clock

    @cached_property
    def backlog(self) -> SqliteBacklog:
        """Return dead letters and the cost of model calls."""
        from graphmem.backends.backlog.sqlite import SqliteBacklog

        return SqliteBacklog(self.path / BUFFER, self.clock, self.settings.buffer.retries)

    @cached_property
    def writer(self) -> Writer | None:
        """Return the language model, or None if none is configured."""
        from graphmem.backends.writer import make_writer

        chosen = self.settings.model
        names = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
        key = settings_module.read_secret(names[chosen.provider]) if chosen.provider in names else ""
        return make_writer(chosen, key, self.backlog, self.clock) if chosen.provider != "none" else None


class Store(StepContext, RetrievalParts):
    """A store directory and its open files."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        project: str | None = None,
        clock: Clock | None = None,
        *,
        daemon: bool = False,
        name: str = "",
    ) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            if os.access(path, os.W_OK):  # a read-only one can be searched
                path.chmod(0o700)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(f"cannot create a store at {path}: {reason}", path=str(path)) from error
        self.path = path
        self.settings = settings
        self._chosen = project
        self._name = name or path.resolve().name
        self.clock = clock or SystemClock()
        self.daemon = daemon  # leave the graph to an owner process, started if none is running
        self.release_memory: Callable[[], None] = partial(idle.release_memory, self)
        self._indexes: dict[str, tuple[Index, int]] = {}
        self.run_command: RunCommand = lambda text: ""  # only the owner process runs command lines
        self.on_fork: Callable[[], None] = lambda: None  # drop buffered data: the parent writes it
        self._begin()
        forked.watch(self, Store._disinherit)

    def _begin(self) -> None:
        """Set the state of a store with nothing open in this process."""
        self.process = os.getpid()
        self.stopping = threading.Event()
        self._ready = threading.Event()  # the graph is open and consistent with the log
        self.renewal = ProjectionRepair(self)
        self._warmed = False
        self.server: Server | None = None
        self._client: Client | None = None
        self._lock: FileLock | None = None
        self._turn = threading.RLock()

    def _disinherit(self) -> None:
        """In a fork: forget the parent's open files without closing them. They are reopened on next use."""
        names = ("_abroad", *_PROJECTED, *_RECORDED, "frozen")
        forked.keep_for_ever([self.__dict__.pop(name) for name in names if name in self.__dict__])
        forked.keep_for_ever([self.server, self._client, self._lock, self.renewal])
        self._begin()
        self.on_fork()

    @cached_property
    def project(self) -> str:
        """Return the project of new events: the selected one, or the first that the store was opened for. Project names
        are redacted, because they are part of most ids."""
        from graphmem.privacy import filter_text  # takes longer than a search may take

        chosen = filter_text(self._chosen, self._privacy).text if self._chosen else None
        first = self.log.state.setting("project", lambda: chosen or filter_text(self._name, self._privacy).text)
        return chosen or str(first)

    @property
    def _privacy(self) -> PrivacySettings:
        from graphmem.privacy import PrivacySettings

        chosen = self.settings.privacy
        return PrivacySettings(strict=chosen.strict, anonymize=chosen.anonymize)

    @cached_property
    def log(self) -> SqliteLog:
        """Return the event log."""
        self._refuse_when_closed()
        from graphmem.backends.log.sqlite import SqliteLog

        return SqliteLog(self.path / LOG, self.clock)

    @cached_property
    def recorder(self) -> Recorder:
        """Return the writer to the log. Raises StoreDamaged if the log is missing: new events would not match the
        existing projections."""
        if not self.log.head():
            self.recognise()
        return Recorder(self.log, self._privacy)

    @cached_property
    def graph(self) -> GraphStore:
        """Return the property graph: opened here if this process can own the store, otherwise through the owner;
        read-only if nobody can write to the store. Raises StoreBusy if the owner does not respond."""
        self._refuse_when_closed()
        if self.frozen:
            read = self.renewal.open_graph(frozen=True)
            try:
                check_lineage(self.log.state, read.cursors())
            except StoreError as error:
                read.refusal = error
            return read
        from graphmem.backends.remote import client
        from graphmem.operations.vocabulary import RECORDS

        self._client = client.connect_or_start(
            self.path, self.project, RECORDS, own=lambda: not self.daemon and self._claim()
        )
        try:
            return client.RemoteGraph(self._client) if self._client else self._own("embedded")
        except OSError as error:  # usually the disk is full: another process may own it, or this one later
            self._disown()
            raise StoreError(f"the graph cannot be opened: {error.strerror or error}", path=str(self.path)) from error

    @cached_property
    def frozen(self) -> bool:
        """Return whether neither this process nor a running owner can write to the store. Then everything is read as it
        is."""
        if os.access(self.path, os.W_OK):
            return False
        from graphmem.backends.remote import client

        return not client.is_reachable(self.path)

    def barred(self) -> tuple[list[str], str]:
        """Return what this user cannot read or write in the store, one clause each, and a fix."""
        from graphmem.backends.log import frozen

        found = frozen.list_access_problems(self.path)
        return found, frozen.describe_fix(self.path) if found else ""

    def _run_frozen(self, operation: Operation[Request[R], R], request: Request[R], progress: Progress) -> R:
        if not operation.is_reading:
            bars, remedy = self.barred()
            raise StoreError(f"{bars[0]}, but this operation writes to it: {remedy}", path=str(self.path))
        with self._turn:
            return operation.run(self, request, progress)

    def _claim(self) -> bool:
        from graphmem.backends.remote import place

        self._lock = place.claim_ownership(self.path)
        return self._lock is not None

    def _own(self, kind: str) -> KuzuGraph:
        """Open the graph and serve it, after completing interrupted work and refilling a dropped graph. Until that
        succeeds, queries are rejected."""
        self._serve(kind)  # clients find the owner immediately, and wait for the graph
        graph = self.renewal.open_graph()
        self.__dict__["graph"] = graph
        try:
            if not self.log.state.unfinished():
                check_lineage(self.log.state, graph.cursors())
            if graph.reverted or self.renewal.found or self.log.state.unfinished():
                with self._turn:
                    self._process()
        except StoreError as error:
            graph.refusal = error
        self._ready.set()
        return graph

    def _process(self) -> None:
        """Complete interrupted work and restore lost data before answering anyone."""
        from graphmem.sync.process import process_pending

        process_pending(self)

    def _serve(self, kind: str) -> None:
        from graphmem.backends.remote.server import Server
        from graphmem.operations.vocabulary import RECORDS

        self.log  # noqa: B018 (it tells the server which file it owns)
        self.server = Server(self.path, self._answer, kind, RECORDS)

    def _answer(self, request: object, progress: Progress | None, has_left: Callable[[], bool]) -> Any:
        """Return the owner's answer to a client message."""
        from graphmem.backends.remote.messages import Command, Hook, Stop

        if isinstance(request, Stop):
            return self.stopping.set()
        if isinstance(request, Hook):
            return self._hook(request)
        self._ready.wait()
        if isinstance(request, Command):
            return self.run_command(request.text)
        if isinstance(request, Request):
            return self.run(request, progress)
        self._trust_graph()
        return self._ask_graph(request, has_left)

    def _hook(self, request: Hook) -> str:
        """Handle a hook. Hooks do not wait for the graph. The first one warms up search for the prompt that follows."""
        import json

        from graphmem.hooks.endless_gate import endless_injection
        from graphmem.hooks.respond import respond

        if self.server is not None and self.server.deserted:
            raise StoreError(f"{self.path} was replaced: the hook must run without the owner")
        if not self._warmed:
            self._warmed = True
            threading.Thread(target=self._warm, name="graphmem-warm", daemon=True).start()
        given = json.loads(request.given)
        return json.dumps(respond(self, request.event, given, request.until, extras=(endless_injection,)))

    def _warm(self) -> None:
        from sqlite3 import ProgrammingError

        self._ready.wait()
        with contextlib.suppress(GraphmemError, OSError, ProgrammingError):  # it may be closed meanwhile
            self.retriever.search("warm up")

    def _ask_graph(self, request: object, has_left: Callable[[], bool]) -> Any:
        from graphmem.backends.remote.messages import (
            GraphApply,
            GraphCursors,
            GraphQuery,
            GraphQueryUntrusted,
            GraphRefine,
            GraphSchema,
        )

        match request:
            case GraphApply(changes, cursors):
                return self.graph.apply(changes, cursors)
            case GraphRefine(names):
                return self.graph.refine(names)
            case GraphCursors():
                return self.graph.cursors()
            case GraphQuery(cypher, parameters, limit, timeout):
                return self.graph.query(cypher, parameters, limit=limit, timeout=timeout)
            case GraphQueryUntrusted(cypher, parameters, limit, timeout):
                graph = cast("KuzuGraph", self.graph)
                return graph.query_untrusted(cypher, parameters, limit=limit, timeout=timeout, has_left=has_left)
            case GraphSchema():
                return self.graph.schema()
        raise MalformedMessage("expected a request record")

    def _trust_graph(self) -> None:
        """If the graph file was removed while this owner runs, rebuild it; queries wait meanwhile."""
        if not cast("KuzuGraph", self.graph).lost():
            return
        with self._turn:
            self._ready.clear()
            try:
                if self.renewal.mend_graph():
                    self._process()
            except StoreError as error:
                cast("KuzuGraph", self.graph).refusal = error
            finally:
                self._ready.set()

    def own(self) -> bool:
        """Become the owner process; return False if another process is."""
        if not self._claim():
            return False
        self._own("daemon")
        return True

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: in this process, one at a time, or in the owner."""
        from graphmem.operations.registry import operation_of

        operation = operation_of(request)
        if self.frozen:
            return self._run_frozen(operation, request, progress or quiet)
        self.graph  # noqa: B018 (decides where that is)
        if self._client is not None:
            return self._client.run(request, progress)
        with self._turn:
            self._trust_graph()
            (self._trust_index if operation.needs_index else self._check_index)()
            emptied = operation.fills_index and self._is_emptied()
            before, self._worker = self._worker, threading.get_ident()
            try:
                result = operation.run(self, request, progress or quiet)
            finally:
                self._worker = before
            if operation.is_whole:
                cast("KuzuGraph", self.graph).refusal = None
            if emptied:
                self.renewal.tell("the index was missing")
            if "text" in self.__dict__:
                save_watermark(self.log.state, self.text.cursors(), done=operation.is_whole)
        if operation.is_large:
            from graphmem.backends.freed import trim_heap

            trim_heap()
        return result

    def _is_emptied(self) -> bool:
        """Return whether the index is empty although it was not before."""
        state = self.log.state
        return not self.text.cursors().get(EVENTS) and watermark(state) > 0 and not state.unfinished()

    @cached_property
    def _abroad(self) -> Store | None:
        """Return the shared store of all projects, if enabled and not empty."""
        path = settings_module.shared_store()
        if not self.settings.shared.enabled or path == self.path or not (path / INDEX).exists():
            return None
        return Store(path, self.settings, name="shared")

    @property
    def shared(self) -> Retriever | None:
        """Return the search over other projects' shared memories, or None."""
        if self._abroad is None:
            self.__dict__.pop("_abroad", None)  # something may be shared later
            return None
        return self._abroad.retriever

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks and their blockers."""
        from graphmem.tasks.service import Tasks

        return Tasks(
            self.log,
            self.recorder.record,
            self.clock,
            self.project,
            embedder=lambda: self.embedder,
            origin=self.log.origin,
            hiding=self.recorder.settings,
        )

    @property
    def facts(self) -> FactsCache:
        """Parsed code facts, by content digest."""
        self._check_facts()
        return self._facts

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, as stored, with the position of the event of their state."""
        self._check_facts()
        return self._indexes

    @cached_property
    def _facts(self) -> SqliteFacts:
        from graphmem.backends.facts.sqlite import SqliteFacts

        return SqliteFacts(self.path / CODE)

    def _check_facts(self) -> None:
        """Reopen the file if it was deleted: writes to a deleted file are lost."""
        if "_facts" in self.__dict__ and self._facts.lost():
            self.release_facts()

    def release_facts(self) -> None:
        """Close the cache of parsed files; it is reopened on next use."""
        self._release(("_facts",))
        self._indexes.clear()

    def move(self, target: Path) -> int:
        """Close everything and move the folder. Return the number of copied bytes."""
        from graphmem.backends import moving

        self.close()
        return moving.move_store(self.path, target)

    def _release(self, names: Sequence[str]) -> None:
        for name in names:
            backend = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close everything and give up ownership. Any later use raises an error."""
        self._closed = True
        self._unserve()
        with self._turn:
            self._release(("_abroad", *_PROJECTED, *_RECORDED))
        self._client = None
        self._unclaim()

    def _disown(self) -> None:
        """Give up ownership."""
        self._unserve()
        self._release(("graph",))
        self._unclaim()

    def _unserve(self) -> None:
        if self.server is not None:
            self.server.close()
            self.server = None

    def _unclaim(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None
