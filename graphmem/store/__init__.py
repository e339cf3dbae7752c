"""The only place that names backends. Everything is opened when first asked for, so that a hook pays for the log alone
and a search never for the graph."""

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
RunCommand = Callable[[str], str]  # runs a command line of a thin client, and says what `Command` says
# What is derived from the log, dependants first.
_PROJECTED = ("_retriever", "_older", "vectors", "outbox", "embedder", "graph", "text")
_RECORDED = ("writer", "backlog", "tasks", "_facts", "recorder", "log")
LOG, BUFFER = "log.db", "buffer.db"


def finish_interrupted_move(path: Path) -> None:
    """Where a move of this store was cut off, finish or undo it: to be called before anything of it is read."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.finish_move(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the daemon that owns a store, and do not wait for it; it gives way to one that is there."""
    from graphmem.backends.remote import client

    client.start_daemon(path, project)


class StepContext:
    """What the steps work with: the backlog of what they could not do, and the language model where there is one."""

    path: Path
    settings: Settings
    clock: Clock

    @cached_property
    def backlog(self) -> SqliteBacklog:
        """What the steps could not do yet, and what models cost."""
        from graphmem.backends.backlog.sqlite import SqliteBacklog

        return SqliteBacklog(self.path / BUFFER, self.clock, self.settings.buffer.retries)

    @cached_property
    def writer(self) -> Writer | None:
        """The language model, or None where none is to be asked."""
        from graphmem.backends.writer import make_writer

        chosen = self.settings.model
        names = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
        key = settings_module.read_secret(names[chosen.provider]) if chosen.provider in names else ""
        return make_writer(chosen, key, self.backlog, self.clock) if chosen.provider != "none" else None


class Store(StepContext, RetrievalParts):
    """One store directory and its open files."""

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
        self.daemon = daemon  # leave the graph to a daemon, started where there is none
        self.release_memory: Callable[[], None] = partial(idle.release_memory, self)
        self._indexes: dict[str, tuple[Index, int]] = {}
        self.run_command: RunCommand = lambda text: ""  # only a daemon runs command lines
        self.on_fork: Callable[[], None] = lambda: None  # drops what waits in memory: it is the parent's to write
        self._begin()
        forked.watch(self, Store._disinherit)

    def _begin(self) -> None:
        """The state of a store of which nothing is open in this process."""
        self.process = os.getpid()
        self.stopping = threading.Event()
        self._ready = threading.Event()  # the graph is open and says what the log says
        self.renewal = ProjectionRepair(self)
        self._warmed = False
        self.server: Server | None = None
        self._client: Client | None = None
        self._lock: FileLock | None = None
        self._turn = threading.RLock()

    def _disinherit(self) -> None:
        """In a fork: forget what the parent has open, without closing it. What is asked for next is opened anew."""
        names = ("_abroad", *_PROJECTED, *_RECORDED, "frozen")
        forked.keep_for_ever([self.__dict__.pop(name) for name in names if name in self.__dict__])
        forked.keep_for_ever([self.server, self._client, self._lock, self.renewal])
        self._begin()
        self.on_fork()

    @cached_property
    def project(self) -> str:
        """The project that new events belong to: the one chosen, else the first that the store was opened for. Whoever names
        it names it as they like, and it is part of most ids: nothing private is in it."""
        from graphmem.privacy import filter_text  # it costs more than a search has time for

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
        """The event log."""
        self._refuse_when_closed()
        from graphmem.backends.log.sqlite import SqliteLog

        return SqliteLog(self.path / LOG, self.clock)

    @cached_property
    def recorder(self) -> Recorder:
        """The way into the log. Raises StoreDamaged where the log is gone: what is written anew could not be found beside
        what was made from the old one."""
        if not self.log.head():
            self.recognise()
        return Recorder(self.log, self._privacy)

    @cached_property
    def graph(self) -> GraphStore:
        """The property graph: opened here when this process can own the store, else asked of its owner; of a store that nobody can
        write to, only read. Raises StoreBusy where the owner does not answer."""
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
        except OSError as error:  # no room, mostly: another may own it, or this one later
            self._disown()
            raise StoreError(f"the graph cannot be opened: {error.strerror or error}", path=str(self.path)) from error

    @cached_property
    def frozen(self) -> bool:
        """Whether nothing can be written here, nor by an owner that lives: then all is read as it was left."""
        if os.access(self.path, os.W_OK):
            return False
        from graphmem.backends.remote import client

        return not client.is_reachable(self.path)

    def barred(self) -> tuple[list[str], str]:
        """What this user cannot read or write of the store, one clause each, and what to do about it."""
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
        """Open the graph and serve it, after finishing what a killed process had begun and filling a graph that had to be
        dropped. Where that cannot be done, queries are refused until it can."""
        self._serve(kind)  # clients find the owner at once, and wait for the graph
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
        """What a killed process had begun, and what was lost, is done before anyone is answered."""
        from graphmem.sync.process import process_pending

        process_pending(self)

    def _serve(self, kind: str) -> None:
        from graphmem.backends.remote.server import Server
        from graphmem.operations.vocabulary import RECORDS

        self.log  # noqa: B018 (it tells the server which file it owns)
        self.server = Server(self.path, self._answer, kind, RECORDS)

    def _answer(self, request: object, progress: Progress | None, has_left: Callable[[], bool]) -> Any:
        """The answer of an owner to what a client sent."""
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
        """Hooks need no graph, so they wait for none. The first one makes search ready for the prompt that follows."""
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
        with contextlib.suppress(GraphmemError, OSError, ProgrammingError):  # it may close meanwhile
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
        """Where the file of the graph went away behind the back of its owner, make it again; whoever asks meanwhile waits."""
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
        """Become the owner as a daemon; False while another process is."""
        if not self._claim():
            return False
        self._own("daemon")
        return True

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: here, one at a time, or in its owner."""
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
        """Whether the index holds nothing, though it did before."""
        state = self.log.state
        return not self.text.cursors().get(EVENTS) and watermark(state) > 0 and not state.unfinished()

    @cached_property
    def _abroad(self) -> Store | None:
        """The store of all projects, where the settings want it and something is in it."""
        path = settings_module.shared_store()
        if not self.settings.shared.enabled or path == self.path or not (path / INDEX).exists():
            return None
        return Store(path, self.settings, name="shared")

    @property
    def shared(self) -> Retriever | None:
        """Search in what other projects share, or None."""
        if self._abroad is None:
            self.__dict__.pop("_abroad", None)  # something may be shared later
            return None
        return self._abroad.retriever

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks and what blocks them."""
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
        """What parsing gave, by content."""
        self._check_facts()
        return self._facts

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, as their files hold them, with the position of the event of their state."""
        self._check_facts()
        return self._indexes

    @cached_property
    def _facts(self) -> SqliteFacts:
        from graphmem.backends.facts.sqlite import SqliteFacts

        return SqliteFacts(self.path / CODE)

    def _check_facts(self) -> None:
        """Somebody may have deleted the file: what is written to the lost one, nobody else would ever see."""
        if "_facts" in self.__dict__ and self._facts.lost():
            self.release_facts()

    def release_facts(self) -> None:
        """Close the cache of parsed files; the next use opens it again."""
        self._release(("_facts",))
        self._indexes.clear()

    def move(self, target: Path) -> int:
        """Close everything and move the folder. Returns the bytes that were copied."""
        from graphmem.backends import moving

        self.close()
        return moving.move_store(self.path, target)

    def _release(self, names: Sequence[str]) -> None:
        for name in names:
            backend = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close whatever was opened, and give up ownership. From then on every use is refused."""
        self._closed = True
        self._unserve()
        with self._turn:
            self._release(("_abroad", *_PROJECTED, *_RECORDED))
        self._client = None
        self._unclaim()

    def _disown(self) -> None:
        """Be the owner no longer."""
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
