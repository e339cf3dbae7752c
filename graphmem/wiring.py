"""The only place that names backends. Everything is opened when first asked for, so that a hook pays for the log alone
and a search never for the graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.log.append import Recorder
from graphmem.ports.clock import Clock, SystemClock
from graphmem.settings import Settings

if TYPE_CHECKING:
    from filelock import FileLock

    from graphmem.backends.log.sqlite import SqliteLog
    from graphmem.backends.remote.client import Client
    from graphmem.backends.remote.server import Server
    from graphmem.backends.text.fts5 import Fts5Index
    from graphmem.codegraph.build import Index
    from graphmem.ports.embedder import Embedder
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks

# What is derived from the log, dependants first.
_PROJECTED = ("retriever", "vectors", "outbox", "embedder", "graph", "text")
LOG, INDEX, CODE = "log.db", "index.db", "code.db"


def _use_cases() -> dict[str, Callable[..., Any]]:
    """What runs where the graph is, by name; imported when first run."""

    def later(module: str, name: str) -> Callable[..., Any]:
        return lambda parts, **arguments: getattr(import_module(f"graphmem.upkeep.{module}"), name)(parts, **arguments)

    return {
        "process": later("process", "process"),
        "index_code": later("indexing", "index_code"),
        "init": later("init", "init"),
        "rebuild": later("rebuild", "rebuild"),
        "forget": later("forgetting", "forget"),
        "merge": later("exchange", "merge"),
    }


USE_CASES = _use_cases()


class Store:
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
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
        self.path = path
        self.settings = settings
        self._chosen = project
        self._name = name or path.resolve().name
        self.clock = clock or SystemClock()
        self.daemon = daemon  # leave the graph to a daemon, started where there is none
        self.indexes: dict[str, tuple[Index, int]] = {}
        self.stopping = threading.Event()
        self.server: Server | None = None
        self._client: Client | None = None
        self._lock: FileLock | None = None
        self._turn = threading.RLock()

    @cached_property
    def project(self) -> str:
        """The project that new events belong to: the one chosen, else the first that the store was opened for."""
        first = self.log.setting("project", self._chosen or self._name)
        return self._chosen or first

    @cached_property
    def log(self) -> SqliteLog:
        """The event log."""
        from graphmem.backends.log.sqlite import SqliteLog

        return SqliteLog(self.path / LOG, self.clock)

    @cached_property
    def recorder(self) -> Recorder:
        """The way into the log."""
        return Recorder(self.log)

    @cached_property
    def text(self) -> Fts5Index:
        """Items and their words."""
        from graphmem.backends.text.fts5 import Fts5Index

        return Fts5Index(self.path / INDEX)

    @cached_property
    def graph(self) -> GraphStore:
        """The property graph: opened here when this process can own the store, else asked of its owner. Raises
        StoreBusy where the owner does not answer."""
        from graphmem.backends.remote import client, place

        if self.daemon:
            self._client = client.reach_or_start(self.path, self.project)
            return client.RemoteGraph(self._client)
        self._lock = place.claim(self.path)
        if self._lock is None:
            self._client = client.reach(self.path)
            return client.RemoteGraph(self._client)
        graph = self._open_graph()
        self.__dict__["graph"] = graph  # the server's first client may come at once
        self._serve("embedded")
        return graph

    def _open_graph(self) -> GraphStore:
        """A graph of another schema is dropped: the projections make it again."""
        from graphmem.backends.graph.kuzu import KuzuGraph, schema_digest

        wanted = self.path / f"graph-{schema_digest()}.kuzu"
        for old in self.path.glob("graph-*.kuzu*"):
            if not old.name.startswith(wanted.name):
                old.unlink(missing_ok=True)
        return KuzuGraph(wanted, buffer_pool_mb=self.settings.graph.buffer_pool_mb)

    def _serve(self, kind: str) -> None:
        from graphmem.backends.remote.server import Server

        handlers: dict[str, Callable[..., Any]] = {name: partial(self.run, name) for name in USE_CASES}
        for name in ("apply", "refine", "cursors", "query", "schema"):
            handlers[f"graph.{name}"] = partial(self._ask_graph, name)
        handlers["stop"] = self.stopping.set
        self.server = Server(self.path, handlers, kind)

    def _ask_graph(self, name: str, **arguments: Any) -> Any:
        return getattr(self.graph, name)(**arguments)

    def own(self) -> bool:
        """Become the owner as a daemon; False while another process is."""
        from graphmem.backends.remote import place

        self._lock = place.claim(self.path)
        if self._lock is None:
            return False
        self.__dict__["graph"] = self._open_graph()
        self._serve("daemon")
        return True

    def run(self, name: str, /, **arguments: Any) -> Any:
        """Run a use case where the graph is: here, one at a time, or in its owner."""
        self.graph  # noqa: B018 (decides where that is)
        if self._client is not None:
            progress = arguments.pop("progress", None)
            return self._client.call(name, progress, **arguments)
        with self._turn:
            return USE_CASES[name](self, **arguments)

    @cached_property
    def embedder(self) -> Embedder | None:
        """The text encoder, or None where embedding is off."""
        if self.settings.embedding.provider == "none":
            return None
        from graphmem.backends.embed.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()

    @cached_property
    def outbox(self) -> Outbox | None:
        """Texts that wait for their vectors."""
        if self.embedder is None:
            return None
        from graphmem.backends.vectors.outbox import SqliteOutbox

        self.text  # noqa: B018 (the index file must exist)
        return SqliteOutbox(self.path / INDEX, self.embedder.name, self.embedder.dimensions, self.clock)

    @cached_property
    def vectors(self) -> VectorIndex | None:
        """Nearest neighbours."""
        if self.embedder is None:
            return None
        from graphmem.backends.vectors.flat import FlatIndex

        return FlatIndex(self.path / INDEX, self.embedder.name, self.embedder.dimensions, self.text.mask)

    @cached_property
    def retriever(self) -> Retriever:
        """Search, timeline, details."""
        from graphmem.retrieve.retriever import Retriever
        from graphmem.retrieve.state import Ports

        return Retriever(Ports(self.text, self.text.mentions, self.clock, self.vectors, self.embedder))

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

    def drop_projections(self) -> None:
        """Close and delete everything that can be made again from the log. Ownership is kept."""
        self._release(_PROJECTED)
        for pattern in ("graph-*.kuzu*", f"{INDEX}*", "vectors-*"):
            for file in self.path.glob(pattern):
                file.unlink(missing_ok=True)
        self.__dict__["graph"] = self._open_graph()

    def _release(self, names: Sequence[str]) -> None:
        for name in names:
            backend = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close whatever was opened, and give up ownership."""
        if self.server is not None:
            self.server.close()
            self.server = None
        with self._turn:
            self._release((*_PROJECTED, "tasks", "facts", "recorder", "log"))
        self._client = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
