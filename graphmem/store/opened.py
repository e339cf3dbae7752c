"""An open store: the files of one directory, each opened when first asked for, so that a hook pays for the log alone and a
search never for the graph."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphmem import privacy
from graphmem import settings as settings_module
from graphmem.backends.backlog.sqlite import SqliteBacklog
from graphmem.backends.facts.sqlite import SqliteFacts
from graphmem.backends.log.frozen import describe_fix, list_access_problems
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.backends.remote import client
from graphmem.backends.text.pages import cursors
from graphmem.backends.writer import make_writer
from graphmem.errors import StoreError, UsageError
from graphmem.log.append import Recorder
from graphmem.operations.pipeline import Process, Project
from graphmem.ports.clock import Clock, SystemClock
from graphmem.ports.facts import FactsCache
from graphmem.ports.graph import GraphStore
from graphmem.ports.request import Progress, Request
from graphmem.ports.writer import Writer
from graphmem.projections.shown import check_lineage
from graphmem.settings import Settings
from graphmem.store import forked
from graphmem.store.files import BUFFER, CODE, INDEX, LOG

if TYPE_CHECKING:
    from graphmem.backends.remote.server import Server
    from graphmem.backends.text.fts5 import Fts5Index
    from graphmem.codegraph.build import Index
    from graphmem.ports.embedder import Embedder
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.retrieve.retriever import Retriever
    from graphmem.store.access import GraphAccess
    from graphmem.store.repair import ProjectionRepair
    from graphmem.store.retrieval import SearchIndex
    from graphmem.tasks.service import Tasks

R = TypeVar("R")
RunCommand = Callable[[str], str]  # runs a command line of a thin client, and says what `Command` says
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_RECORDED = ("writer", "backlog", "tasks", "_facts", "recorder", "log")
_OPENED = ("_abroad", "index", "access", "renewal", *_RECORDED, "frozen")


def finish_interrupted_move(path: Path) -> None:
    """Where a move of this store was cut off, finish or undo it: to be called before anything of it is read."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.finish_move(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the daemon that owns a store, and do not wait for it; it gives way to one that is there."""
    client.start_daemon(path, project)


class Store:
    """One store directory and its open files: the log and what is kept beside it. Search, graph and repairs are parts of their
    own, each loaded when first asked for."""

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
        self.run_command: RunCommand = lambda text: ""  # only a daemon runs command lines
        self.on_fork: Callable[[], None] = lambda: None  # drops what waits in memory: it is the parent's to write
        self.process = os.getpid()
        self._closed = self._recognised = False
        forked.watch(self, Store._disinherit)

    def _disinherit(self) -> None:
        """In a fork: forget what the parent has open, without closing it. What is asked for next is opened anew."""
        forked.keep_for_ever([self.__dict__.pop(name) for name in _OPENED if name in self.__dict__])
        self.process = os.getpid()
        self.on_fork()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise UsageError("this memory was closed: open it again with `Memory.open`", store=str(self.path))

    # -- the log, and what is kept beside it

    @cached_property
    def project(self) -> str:
        """The project that new events belong to: the one chosen, else the first that the store was opened for. Whoever names
        it names it as they like, and it is part of most ids: nothing private is in it."""
        chosen = privacy.filter_text(self._chosen, self._privacy).text if self._chosen else None
        first = self.log.state.setting("project", lambda: chosen or privacy.filter_text(self._name, self._privacy).text)
        return chosen or str(first)

    @property
    def _privacy(self) -> privacy.PrivacySettings:
        chosen = self.settings.privacy
        return privacy.PrivacySettings(strict=chosen.strict, anonymize=chosen.anonymize)

    @cached_property
    def log(self) -> SqliteLog:
        """The event log."""
        self._refuse_when_closed()
        return SqliteLog(self.path / LOG, self.clock)

    @cached_property
    def recorder(self) -> Recorder:
        """The way into the log. Raises StoreDamaged where the log is gone: what is written anew could not be found beside
        what was made from the old one."""
        if not self.log.head():
            self.recognise()
        return Recorder(self.log, self._privacy)

    def recognise(self) -> None:
        """Raises StoreDamaged where the log is not the one that the index was made from: for those who read the log alone."""
        if not self._recognised:
            check_lineage(self.log.state, cursors(self.path / INDEX))
            self._recognised = True

    @cached_property
    def backlog(self) -> SqliteBacklog:
        """What the steps could not do yet, and what models cost."""
        return SqliteBacklog(self.path / BUFFER, self.clock, self.settings.buffer.retries)

    @cached_property
    def writer(self) -> Writer | None:
        """The language model, or None where none is to be asked."""
        chosen = self.settings.model
        key = settings_module.read_secret(_KEYS[chosen.provider]) if chosen.provider in _KEYS else ""
        return make_writer(chosen, key, self.backlog, self.clock) if chosen.provider != "none" else None

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
        return SqliteFacts(self.path / CODE)

    def _check_facts(self) -> None:
        """Somebody may have deleted the file: what is written to the lost one, nobody else would ever see."""
        if "_facts" in self.__dict__ and self._facts.lost():
            self.release_facts()

    def release_facts(self) -> None:
        """Close the cache of parsed files; the next use opens it again."""
        self._release("_facts")
        self._indexes.clear()

    # -- search

    @cached_property
    def index(self) -> SearchIndex:
        """What a search needs."""
        from graphmem.store.retrieval import SearchIndex

        self._refuse_when_closed()
        return SearchIndex(self, self._fill_index)

    def _fill_index(self) -> None:
        """Make an index that is not there; a daemon goes on by itself with what takes longer."""
        if self.daemon:
            self.run(Project())
        else:
            self.run(Process())

    @property
    def text(self) -> Fts5Index:
        """Items and their words."""
        return self.index.text

    @property
    def embedder(self) -> Embedder | None:
        """The text encoder, or None where embedding is off."""
        return self.index.embedder

    @property
    def outbox(self) -> Outbox | None:
        """Texts that wait for their vectors."""
        return self.index.outbox

    @property
    def vectors(self) -> VectorIndex | None:
        """Nearest neighbours."""
        return self.index.vectors

    @property
    def retriever(self) -> Retriever:
        """Search, timeline, details. An index that is not there is made first."""
        return self.index.retriever

    @property
    def lacking(self) -> dict[str, str]:
        """What answers lack just now, and why."""
        return self.index.lacking

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

    # -- the graph, its owner, and what runs there

    @cached_property
    def access(self) -> GraphAccess:
        """Where the graph is."""
        from graphmem.store.access import GraphAccess

        self._refuse_when_closed()
        return GraphAccess(self, lambda: self.index, lambda: self.renewal, lambda text: self.run_command(text))

    @property
    def graph(self) -> GraphStore:
        """The property graph. Raises StoreBusy where its owner does not answer."""
        return self.access.graph

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: here, one at a time, or in its owner."""
        return self.access.run(request, progress)

    def own(self) -> bool:
        """Become the owner as a daemon; False while another process is."""
        return self.access.own()

    @property
    def server(self) -> Server | None:
        """What answers clients, where this process owns the store."""
        return self.access.server if "access" in self.__dict__ else None

    @property
    def stopping(self) -> threading.Event:
        """Set when a client wants this process, as the owner, to end."""
        return self.access.stopping

    @cached_property
    def frozen(self) -> bool:
        """Whether nothing can be written here, nor by an owner that lives: then all is read as it was left."""
        return not os.access(self.path, os.W_OK) and not client.is_reachable(self.path)

    def barred(self) -> tuple[list[str], str]:
        """What this user cannot read or write of the store, one clause each, and what to do about it."""
        found = list_access_problems(self.path)
        return found, describe_fix(self.path) if found else ""

    @cached_property
    def renewal(self) -> ProjectionRepair:
        """How projections are made anew."""
        from graphmem.store.repair import ProjectionRepair

        return ProjectionRepair(
            self,
            lambda: self.access.owned,
            lambda: self.index,
            release_facts=self.release_facts,
            is_daemon=lambda: self.server is not None and self.server.kind == "daemon",
        )

    def release_memory(self) -> None:
        """Give back the memory of what nobody asks for now."""
        from graphmem.store.idle import release_memory

        release_memory(self.log, self.access.owned, self.index.opened_vectors)

    # -- the end

    def move(self, target: Path) -> int:
        """Close everything and move the folder; `reopen` opens it there. Returns the bytes that were copied."""
        from graphmem.backends import moving

        self.project  # noqa: B018 (the log knows it, and is closed by this)
        self.close()
        return moving.move_store(self.path, target)

    def reopen(self, path: Path) -> Store:
        """The same store, opened at another place."""
        return Store(path, self.settings, self.project, daemon=self.daemon, name=self.project)

    def _release(self, *names: str) -> None:
        for name in names:
            backend: Any = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close whatever was opened, and give up ownership. From then on every use is refused."""
        self._closed = True
        access: GraphAccess | None = self.__dict__.get("access")
        if access is None:
            self._release("_abroad", "index", *_RECORDED)
            return
        access.unserve()
        with access.turn:
            access.close_graph()
            self._release("_abroad", "index", *_RECORDED)
        access.release_claim()
        self.__dict__.pop("access", None)  # two may close at once
