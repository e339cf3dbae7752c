"""The only place that names backends. Everything is opened when first asked for, so that a hook pays for the log alone
and a search never for the graph."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError, StoreDamaged, StoreError
from graphmem.log.append import Recorder
from graphmem.ports.clock import Clock, SystemClock
from graphmem.projections.shown import note
from graphmem.settings import Settings
from graphmem.wiring import resting
from graphmem.wiring.searching import INDEX, Searching

if TYPE_CHECKING:
    import subprocess

    from filelock import FileLock

    from graphmem.backends.backlog.sqlite import SqliteBacklog
    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.backends.log.sqlite import SqliteLog
    from graphmem.backends.remote.client import Client
    from graphmem.backends.remote.server import Server
    from graphmem.codegraph.build import Index
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.writer import Writer
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks
    from graphmem.upkeep.parts import Text

# What is derived from the log, dependants first.
_PROJECTED = ("_retriever", "_older", "vectors", "outbox", "embedder", "graph", "text")
_LARGE = ("process", "flush", "init", "index_code", "rebuild", "merge", "memify", "rest")  # free much memory
_WITHOUT_INDEX = ("rebuild", "export")  # do not read it
_WHOLE = ("process", "flush", "rebuild")  # leave nothing undone
LOG, CODE, BUFFER = "log.db", "code.db", "buffer.db"
_FRESH = 256  # MB of buffer with which a graph is made anew: it takes whatever it is given


def _use_cases() -> dict[str, Callable[..., Any]]:
    """What runs where the graph is, by name; imported when first run."""

    def later(module: str, name: str) -> Callable[..., Any]:
        return lambda parts, **arguments: getattr(import_module(f"graphmem.upkeep.{module}"), name)(parts, **arguments)

    return {
        "process": later("process", "process"),
        "index_code": later("indexing", "index_code"),
        "init": later("init", "init"),
        "project": later("catchup", "project"),
        "flush": later("flushing", "flush"),
        "rebuild": later("rebuild", "rebuild"),
        "forget": later("forgetting", "forget"),
        "supersede": later("superseding", "supersede"),
        "merge": later("exchange", "merge"),
        "export": later("formats.export", "export"),
        "memify": later("evolve", "memify"),
        "categories": later("evolve", "categories"),
        "set_aside": later("evolve", "set_aside"),
        "judge": later("evolve", "judge"),
        "rest": resting.rest,
    }


USE_CASES = _use_cases()


def _followers() -> tuple[Callable[[Any], None], ...]:
    """What the layers above `upkeep` project; imported when first run."""

    def later(module: str, name: str) -> Callable[[Any], None]:
        return lambda parts: getattr(import_module(f"graphmem.{module}"), name)(parts)

    return later("tree.grow", "grow"), later("endless.follow", "follow")


def settle(path: Path) -> None:
    """Where a move of this store was cut off, finish or undo it: to be called before anything of it is read."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.settle(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the daemon that owns a store, and do not wait for it; it gives way to one that is there."""
    from graphmem.backends.remote import client

    client.start(path, project)


class Renewal:
    """Makes the projections of a store anew: the index is emptied in place, which all its readers see; the graph is made
    beside the old one and then takes its place."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.found: list[str] = []  # what was broken and therefore made again
        self._folding: subprocess.Popen[bytes] | None = None

    def problems(self) -> list[str]:
        """What is wrong with the files that can be made again, one sentence each."""
        from graphmem.backends.log.chain import file_problems
        from graphmem.backends.vectors.noted import index_problems

        return [*index_problems(self._store.path / INDEX), *file_problems(self._store.path / CODE, "code")]

    def drop_damaged(self) -> None:
        """Delete what holds only copies and is damaged: the facts of the code."""
        from graphmem.backends.log.chain import file_problems

        problems = file_problems(self._store.path / CODE, "code")
        if problems:
            self.found += problems
            self._store.release_facts()
            self._unlink(CODE)

    def clear_index(self) -> None:
        """Empty the index for a replay, and delete the files that copy it; a damaged one is deleted itself."""
        from graphmem.backends.vectors.noted import drop, index_problems

        drop(self._store.path)
        try:
            problems = index_problems(self._store.path / INDEX)
            if not problems:
                self._store.text.clear()
        except StoreError as error:
            problems = [error.message]
        if problems:
            self.found += problems
            self._store.release_index()
            self._unlink(INDEX)

    def _unlink(self, name: str) -> None:
        for each in (name, f"{name}-wal", f"{name}-shm", f"{name}.sums"):
            (self._store.path / each).unlink(missing_ok=True)

    def index_beside(self) -> AbstractContextManager[Text]:
        """The index, written by another process meanwhile; without one, nothing is lost but time."""
        from graphmem.backends.remote import client
        from graphmem.wiring.beside import index_beside

        return index_beside(self._store.text, client.helper("fill", self._store.path))

    @contextlib.contextmanager
    def tree_beside(self) -> Iterator[None]:
        """Another process folds the memory tree meanwhile, where every turn was sensed and no file has it."""
        from graphmem.backends.remote import client
        from graphmem.tree import kept
        from graphmem.tree.sensor import STEP
        from graphmem.wiring.beside import ended

        log, path = self._store.log, self._store.path
        useful = log.state.reached(STEP) and not kept.fits(path, log)
        helper = client.helper("fold", path) if useful else None
        if helper is None:
            yield
            return
        with ended(helper):
            self._folding = helper
            try:
                yield
            finally:
                self._folding = None

    def evolved(self, wanted: dict[str, Any], progress: Callable[[str, int], None]) -> Any:
        """What another process made of a run of memify; None where it is to be done here."""
        from graphmem.wiring.beside import evolved

        return evolved(self._store, wanted, progress)

    def drop_tree(self) -> None:
        """Have all turns sensed again that lack it, and the memory tree folded."""
        from graphmem.tree import kept
        from graphmem.tree.sensor import STEP

        kept.forget(self._store.path)
        self._store.log.state.reach(STEP, 0)

    def folded_tree(self) -> Any:
        """The memory tree as the other process folded it, once; None where there is none."""
        from graphmem.tree import kept

        helper, self._folding = self._folding, None
        if helper is None or helper.stdout is None or not helper.stdout.read(1):  # it died
            return None
        tree = kept.load(self._store.path, self._store.log)
        if tree is not None:
            tree.kept = 0  # what the projections are told is still to be written with it
        return tree

    def sweep_index(self) -> None:
        """Drop vectors that no item needs any more."""
        self._store.text.sweep()

    def purge_index(self) -> None:
        """Leave no trace of removed items. Raises StoreError while a reader holds old pages."""
        from graphmem.tree import kept

        kept.forget(self._store.path)
        self._store.text.purge()

    def open_graph(self) -> KuzuGraph:
        """The graph of the store. One of another schema, or that cannot be trusted, is dropped."""
        from graphmem.backends.graph import seal

        wanted = self._file("graph")
        for old in self._store.path.glob("*-*.kuzu"):
            if old != wanted:
                seal.remove(old)
                self.found += ["the graph had another schema"] * old.name.startswith("graph-")
        try:
            return self._open(wanted)
        except StoreDamaged as error:
            self.found.append(error.message)
            seal.remove(wanted)
            return self._open(wanted)

    def fresh_graph(self, roomy: bool) -> KuzuGraph:
        """An empty graph beside the one in use, with a part of the memory that the settings allow, or all of it."""
        from graphmem.backends.graph import seal

        seal.remove(self._file("fresh"))
        most = self._store.settings.graph.buffer_pool_mb
        return self._open(self._file("fresh"), most if roomy else min(most, _FRESH))

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Put a fresh graph in the place of the one in use."""
        cast("KuzuGraph", self._store.graph).adopt(cast("KuzuGraph", fresh))

    def _file(self, name: str) -> Path:
        from graphmem.backends.graph.schema import schema_digest

        return self._store.path / f"{name}-{schema_digest(self._store.settings.types)}.kuzu"

    def _open(self, file: Path, buffer_mb: int = 0) -> KuzuGraph:
        from graphmem.backends.graph.kuzu import KuzuGraph

        chosen = self._store.settings
        return KuzuGraph(file, buffer_pool_mb=buffer_mb or chosen.graph.buffer_pool_mb, own=chosen.types)


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
        self.followers: Sequence[Callable[[Any], None]] = _followers()
        self.indexes: dict[str, tuple[Index, int]] = {}
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
        """The project that new events belong to: the one chosen, else the first that the store was opened for."""
        first = str(self.log.state.setting("project", self._chosen or self._name))
        return self._chosen or first

    @cached_property
    def log(self) -> SqliteLog:
        """The event log."""
        self._refuse_when_closed()
        from graphmem.backends.log.sqlite import SqliteLog

        return SqliteLog(self.path / LOG, self.clock)

    @cached_property
    def recorder(self) -> Recorder:
        """The way into the log."""
        from graphmem.privacy import PrivacySettings

        chosen = self.settings.privacy
        return Recorder(self.log, PrivacySettings(strict=chosen.strict, anonymize=chosen.anonymize))

    @cached_property
    def graph(self) -> GraphStore:
        """The property graph: opened here when this process can own the store, else asked of its owner. Raises
        StoreBusy where the owner does not answer."""
        self._refuse_when_closed()
        from graphmem.backends.remote import client

        self._client = client.reach(self.path, self.project, own=lambda: not self.daemon and self._claim())
        return client.RemoteGraph(self._client) if self._client else self._own("embedded")

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
        if graph.reverted or self.renewal.found or self.log.state.unfinished():
            with self._turn:
                try:
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
        handlers["stop"] = self.stopping.set
        handlers["hook"] = self._hook
        self.server = Server(self.path, handlers, kind)

    def _hook(self, event: str, given: dict[str, Any], until: int = 0) -> dict[str, Any]:
        """Hooks need no graph, so they wait for none. The first one makes search ready for the prompt that follows."""
        from graphmem.endless.hook import extra
        from graphmem.upkeep.hooks.respond import respond

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
        return getattr(self.graph, name)(**arguments)

    def _answer(self, name: str, **arguments: Any) -> Any:
        self._ready.wait()
        return self.run(name, **arguments)

    def own(self) -> bool:
        """Become the owner as a daemon; False while another process is."""
        if not self._claim():
            return False
        self._own("daemon")
        return True

    def run(self, name: str, /, **arguments: Any) -> Any:
        """Run a use case where the graph is: here, one at a time, or in its owner."""
        self.graph  # noqa: B018 (decides where that is)
        if self._client is not None:
            progress = arguments.pop("progress", None)
            return self._client.call(name, progress, **arguments)
        with self._turn:
            (self._check_index if name in _WITHOUT_INDEX else self._trust_index)()
            before, self._worker = self._worker, threading.get_ident()
            try:
                result = USE_CASES[name](self, **arguments)
            finally:
                self._worker = before
            if whole := name in _WHOLE:
                cast("KuzuGraph", self.graph).refusal = None
            if "text" in self.__dict__:
                note(self.log.state, self.text.cursors(), done=whole)
        if name in _LARGE:
            resting.lessen(self)
        return result

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
        )

    @cached_property
    def facts(self) -> FactsCache:
        """What parsing gave, by content."""
        from graphmem.backends.facts.sqlite import SqliteFacts

        return SqliteFacts(self.path / CODE)

    def release_facts(self) -> None:
        """Close the cache of parsed files; the next use opens it again."""
        self._release(("facts",))
        self.indexes.clear()

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
        if self.server is not None:
            self.server.close()
            self.server = None
        with self._turn:
            self._release(("_abroad", *_PROJECTED, "writer", "backlog", "tasks", "facts", "recorder", "log"))
        self._client = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
