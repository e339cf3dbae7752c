"""The only place that names backends. Everything is opened when first asked for, so that a hook pays for the log alone
and a search never for the graph."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError, StoreError
from graphmem.log.append import Recorder
from graphmem.ports.clock import Clock, SystemClock
from graphmem.ports.text import EVENTS
from graphmem.projections.shown import done, note, recognise
from graphmem.settings import Settings
from graphmem.store import idle
from graphmem.store.repair import CODE, Renewal
from graphmem.store.retrieval import INDEX, Searching

if TYPE_CHECKING:
    from filelock import FileLock

    from graphmem.backends.backlog.sqlite import SqliteBacklog
    from graphmem.backends.facts.sqlite import SqliteFacts
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.backends.log.sqlite import SqliteLog
    from graphmem.backends.remote.client import Client
    from graphmem.backends.remote.server import Server
    from graphmem.codegraph.build import Index
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.writer import Writer
    from graphmem.privacy import PrivacySettings
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks

# What is derived from the log, dependants first.
_PROJECTED = ("_retriever", "_older", "vectors", "outbox", "embedder", "graph", "text")
_LARGE = ("process", "flush", "init", "index_code", "rebuild", "merge", "memify", "rest")  # free much memory
_WITHOUT_INDEX = ("rebuild", "export")  # do not read it
_READING = ("export", "categories")  # write nothing to the store
_FILLING = ("project", "process", "flush")  # bring it up to the log
_WHOLE = ("process", "flush", "rebuild")  # leave nothing undone
LOG, BUFFER = "log.db", "buffer.db"


def _use_cases() -> dict[str, Callable[..., Any]]:
    """What runs where the graph is, by name; imported when first run."""

    def later(module: str, name: str) -> Callable[..., Any]:
        return lambda parts, **arguments: getattr(import_module(f"graphmem.{module}"), name)(parts, **arguments)

    return {
        "process": later("sync.process", "process"),
        "index_code": later("code.indexing", "index_code"),
        "init": later("operations.init", "init"),
        "project": later("sync.pipeline", "project"),
        "flush": later("sync.flush", "flush"),
        "rebuild": later("sync.rebuild", "rebuild"),
        "forget": later("forget.cascade", "forget"),
        "supersede": later("evolution.supersede", "supersede"),
        "merge": later("sync.exchange", "merge"),
        "export": later("export.export", "export"),
        "memify": later("evolution.decisions", "memify"),
        "categories": later("evolution.decisions", "categories"),
        "set_aside": later("evolution.decisions", "set_aside"),
        "judge": later("evolution.decisions", "judge"),
        "rest": idle.rest,
    }


USE_CASES = _use_cases()


def settle(path: Path) -> None:
    """Where a move of this store was cut off, finish or undo it: to be called before anything of it is read."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.settle(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the daemon that owns a store, and do not wait for it; it gives way to one that is there."""
    from graphmem.backends.remote import client

    client.start(path, project)


class Workshop:
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
        from graphmem.backends.writer import make

        chosen = self.settings.model
        names = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
        key = settings_module.secret(names[chosen.provider]) if chosen.provider in names else ""
        return make(chosen, key, self.backlog, self.clock) if chosen.provider != "none" else None


class Store(Workshop, Searching):
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
            raise StoreError(f"no store can be made at {path}: {reason}", path=str(path)) from error
        self.path = path
        self.settings = settings
        self._chosen = project
        self._name = name or path.resolve().name
        self.clock = clock or SystemClock()
        self.daemon = daemon  # leave the graph to a daemon, started where there is none
        self._indexes: dict[str, tuple[Index, int]] = {}
        self.stopping = threading.Event()
        self._ready = threading.Event()  # the graph is open and says what the log says
        self.renewal = Renewal(self)
        self._warmed = False
        self.server: Server | None = None
        self._client: Client | None = None
        self._lock: FileLock | None = None
        self._turn = threading.RLock()

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
                recognise(self.log.state, read.cursors())
            except StoreError as error:
                read.refusal = error
            return read
        from graphmem.backends.remote import client

        self._client = client.reach(self.path, self.project, own=lambda: not self.daemon and self._claim())
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

        return not client.answers(self.path)

    def barred(self) -> tuple[list[str], str]:
        """What this user cannot read or write of the store, one clause each, and what to do about it."""
        from graphmem.backends.log import frozen

        found = frozen.barred(self.path)
        return found, frozen.remedy(self.path) if found else ""

    def _run_frozen(self, name: str, **arguments: Any) -> Any:
        if name not in _READING:
            bars, remedy = self.barred()
            raise StoreError(f"{bars[0]}, and this would write to it: {remedy}", path=str(self.path))
        with self._turn:
            return USE_CASES[name](self, **arguments)

    def _claim(self) -> bool:
        from graphmem.backends.remote import place

        self._lock = place.claim(self.path)
        return self._lock is not None

    def _own(self, kind: str) -> KuzuGraph:
        """Open the graph and serve it, after finishing what a killed process had begun and filling a graph that had to be
        dropped. Where that cannot be done, queries are refused until it can."""
        self._serve(kind)  # clients find the owner at once, and wait for the graph
        graph = self.renewal.open_graph()
        self.__dict__["graph"] = graph
        try:
            if not self.log.state.unfinished():
                recognise(self.log.state, graph.cursors())
            if graph.reverted or self.renewal.found or self.log.state.unfinished():
                with self._turn:
                    USE_CASES["process"](self)
        except StoreError as error:
            graph.refusal = error
        self._ready.set()
        return graph

    def _serve(self, kind: str) -> None:
        from graphmem.backends.remote.server import Server

        handlers: dict[str, Callable[..., Any]] = {name: partial(self._answer, name) for name in USE_CASES}
        for name in ("apply", "refine", "cursors", "query", "schema"):
            handlers[f"graph.{name}"] = partial(self._ask_graph, name)
        self.log  # noqa: B018 (it tells the server which file it owns)
        handlers["stop"] = self.stopping.set
        handlers["hook"] = self._hook
        self.server = Server(self.path, handlers, kind)

    def _hook(self, event: str, given: dict[str, Any], until: int = 0) -> dict[str, Any]:
        """Hooks need no graph, so they wait for none. The first one makes search ready for the prompt that follows."""
        from graphmem.hooks.endless_gate import extra
        from graphmem.hooks.respond import respond

        if self.server is not None and self.server.deserted:
            raise StoreError(f"{self.path} was replaced: the hook has to do it by itself")
        if not self._warmed:
            self._warmed = True
            threading.Thread(target=self._warm, name="graphmem-warm", daemon=True).start()
        return respond(self, event, given, until, extras=(extra,))

    def _warm(self) -> None:
        self._ready.wait()
        with contextlib.suppress(GraphmemError, OSError):  # it may close meanwhile
            self.retriever.search("warm up")

    def _ask_graph(self, name: str, **arguments: Any) -> Any:
        self._ready.wait()
        self._trust_graph()
        return getattr(self.graph, name)(**arguments)

    def _answer(self, name: str, **arguments: Any) -> Any:
        self._ready.wait()
        return self.run(name, **arguments)

    def _trust_graph(self) -> None:
        """Where the file of the graph went away behind the back of its owner, make it again; whoever asks meanwhile waits."""
        if not cast("KuzuGraph", self.graph).lost():
            return
        with self._turn:
            self._ready.clear()
            try:
                if self.renewal.mend_graph():
                    USE_CASES["process"](self)
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

    def run(self, name: str, /, **arguments: Any) -> Any:
        """Run a use case where the graph is: here, one at a time, or in its owner."""
        if self.frozen:
            return self._run_frozen(name, **arguments)
        self.graph  # noqa: B018 (decides where that is)
        if self._client is not None:
            progress = arguments.pop("progress", None)
            return self._client.call(name, progress, **arguments)
        with self._turn:
            self._trust_graph()
            (self._check_index if name in _WITHOUT_INDEX else self._trust_index)()
            emptied = name in _FILLING and self._is_emptied()
            before, self._worker = self._worker, threading.get_ident()
            try:
                result = USE_CASES[name](self, **arguments)
            finally:
                self._worker = before
            if whole := name in _WHOLE:
                cast("KuzuGraph", self.graph).refusal = None
            if emptied:
                self.renewal.tell("the index was gone")
            if "text" in self.__dict__:
                note(self.log.state, self.text.cursors(), done=whole)
        if name in _LARGE:
            from graphmem.backends.freed import give_back

            give_back()
        return result

    def _is_emptied(self) -> bool:
        """Whether the index holds nothing, though it did before."""
        state = self.log.state
        return not self.text.cursors().get(EVENTS) and done(state) > 0 and not state.unfinished()

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
        return moving.move(self.path, target)

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
            self._release(("_abroad", *_PROJECTED, "writer", "backlog", "tasks", "_facts", "recorder", "log"))
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
