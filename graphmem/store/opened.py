"""An open store: the files of one directory, each opened on first use, so that a hook opens only the log and a search
never opens the graph."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphmem import privacy
from graphmem import settings as settings_module
from graphmem.backends.log.file_access import describe_fix, list_access_problems
from graphmem.backends.log.opening import is_on_server, open_log
from graphmem.backends.log.sql import SqlLog
from graphmem.backends.text.pages import read_cursors
from graphmem.errors import StoreError, UsageError
from graphmem.log.append import Recorder
from graphmem.log.spool import make_private_folder
from graphmem.ports.clock import Clock, SystemClock
from graphmem.ports.request import Progress, Request, quiet
from graphmem.projections.lineage import check_lineage
from graphmem.settings import Settings
from graphmem.store import forked
from graphmem.store.files import BUFFER, CODE, INDEX, LOG
from graphmem.store.forked import Opening

if TYPE_CHECKING:
    from graphmem.backends.backlog.sqlite import SqliteBacklog
    from graphmem.backends.facts.sqlite import SqliteFacts
    from graphmem.backends.remote.server import Server
    from graphmem.backends.text.fts5 import Fts5Index
    from graphmem.codegraph.build import Index
    from graphmem.ports.embedder import Embedder
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.ports.writer import Writer
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
    """Finish or undo an interrupted move of this store. Call it before reading any of its files."""
    if path.with_name(f".{path.name}.moving").is_symlink():
        from graphmem.backends import moving

        moving.finish_move(path.absolute())


def start_owner(path: Path, project: str) -> None:
    """Start the daemon that owns a store, without waiting for it. It exits if an owner already runs."""
    from graphmem.backends.remote import client

    client.start_daemon(path, project)


class Store:
    """One store directory and its open files: the log and its companions. Search, graph access and repairs are separate
    objects, loaded on first use."""

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
            make_private_folder(str(path))
            if os.access(path, os.W_OK):  # a read-only one can be searched
                path.chmod(0o700)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(f"cannot create a store at {path}: {reason}", path=str(path)) from error
        self.path = path
        self.settings = settings
        # Whether its file, and not only who opens it, asks for approval. The file may say otherwise later.
        self._saved_approval = settings.approval.required and self._read_saved_approval()
        self._chosen = project
        self._name = name or path.resolve().name
        self.clock = clock or SystemClock()
        self.daemon = daemon  # leave the graph to a daemon, started if there is none
        self._indexes: dict[str, tuple[Index, int]] = {}
        self.run_command: RunCommand = lambda text: ""  # only a daemon runs command lines
        self._closed = self._recognised = False
        forked.watch_store(self)

    def detach_inherited(self) -> list[Any]:
        """Stop answering the parent's clients in a forked child; return the objects with open files, which must not be closed
        here."""
        opened = [self.__dict__.pop(name) for name in _OPENED if name in self.__dict__]
        for one in opened:
            if hasattr(one, "close_inherited_sockets"):
                one.close_inherited_sockets()
        return opened

    def represent(self, memory: object) -> None:
        """Register the facade of this store, which becomes a proxy in a fork."""
        from graphmem.store.fork_client import replace_in_fork  # now: an import may hang in a fork

        forked.watch_memory(memory, replace_in_fork)

    @property
    def opening(self) -> Opening:
        """Return how another process opens this store."""
        return Opening(self.path, self.settings, self._chosen, self.daemon, self._name)

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise UsageError("this memory was closed: open it again with `Memory.open`", store=str(self.path))

    # -- the log, and what is kept next to it

    @cached_property
    def project(self) -> str:
        """Return the project of new events: the selected one, or the first one the store was opened for. It is part
        of most ids and must contain nothing private."""
        chosen = privacy.filter_text(self._chosen, self._privacy).text if self._chosen else None
        first = self.log.state.setting("project", lambda: chosen or privacy.filter_text(self._name, self._privacy).text)
        return chosen or str(first)

    @property
    def _privacy(self) -> privacy.PrivacySettings:
        chosen = self.settings.privacy
        return privacy.PrivacySettings(strict=chosen.strict, anonymize=chosen.anonymize)

    @cached_property
    def log(self) -> SqlLog:
        """Return the event log."""
        self._refuse_when_closed()
        return open_log(self.path / LOG, self.clock, self.settings.log.url)

    @cached_property
    def recorder(self) -> Recorder:
        """Return what writes to the log. Raises StoreDamaged if the log is gone, because new events would not match the projections
        of the old log."""
        if not self.log.head():
            self.check_log_lineage()
        return Recorder(self.log, self._privacy, requires_approval=self._requires_approval)

    def _requires_approval(self, is_required: bool) -> bool:
        """Return the setting, given what the log says. Only the file of the store switches it off: no environment, and no
        process that was opened before it was switched on. Nor does one that was opened before switch it on again."""
        if not self.settings.approval.required:
            return is_required and self._read_saved_approval()
        return not self._saved_approval or self._read_saved_approval()

    def _read_saved_approval(self) -> bool:
        return settings_module.load_settings(self.path, only_saved=True).approval.required

    def check_log_lineage(self) -> None:
        """Check that the log is the one the index was built from; for callers that read only the log. Raises StoreDamaged
        if not."""
        if not self._recognised:
            check_lineage(self.log.state, read_cursors(self.path / INDEX))
            self._recognised = True

    @cached_property
    def backlog(self) -> SqliteBacklog:
        """Failed and postponed steps, and the cost of model calls."""
        from graphmem.backends.backlog.sqlite import SqliteBacklog

        return SqliteBacklog(self.path / BUFFER, self.clock, self.settings.buffer.retries)

    @cached_property
    def writer(self) -> Writer | None:
        """Return the language model, or None if none is configured."""
        chosen = self.settings.model
        if chosen.provider == "none":
            return None
        from graphmem.backends.writer import make_writer

        key = settings_module.read_secret(_KEYS[chosen.provider]) if chosen.provider in _KEYS else ""
        return make_writer(chosen, key, self.backlog, self.clock)

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks and the tasks that block them."""
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
        """Parse results by content hash."""
        self._check_facts()
        return self._facts

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, as stored on disk, with the log position of their last state event."""
        self._check_facts()
        return self._indexes

    @cached_property
    def _facts(self) -> SqliteFacts:
        from graphmem.backends.facts.sqlite import SqliteFacts

        return SqliteFacts(self.path / CODE)

    def _check_facts(self) -> None:
        """Reopen the cache if its file was deleted: writes to a deleted file are lost."""
        if "_facts" in self.__dict__ and self._facts.is_replaced():
            self.release_facts()

    def release_facts(self) -> None:
        """Close the cache of parsed files. The next use opens it again."""
        self._release("_facts")
        self._indexes.clear()

    # -- search

    @cached_property
    def index(self) -> SearchIndex:
        """Return the files that a search needs."""
        from graphmem.store.retrieval import SearchIndex

        self._refuse_when_closed()
        return SearchIndex(self)

    @property
    def text(self) -> Fts5Index:
        """Return the full-text index."""
        return self.index.text

    @property
    def embedder(self) -> Embedder | None:
        """Return the text encoder, or None if embedding is off."""
        return self.index.embedder

    @property
    def outbox(self) -> Outbox | None:
        """Texts waiting for their vectors."""
        return self.index.outbox

    @property
    def vectors(self) -> VectorIndex | None:
        """Return the vector index."""
        return self.index.vectors

    @property
    def retriever(self) -> Retriever:
        """Search, timeline and details. Builds a missing index first."""
        return self.index.retriever

    @property
    def lacking(self) -> dict[str, str]:
        """Return what search results currently lack, and why."""
        return self.index.lacking

    @cached_property
    def _abroad(self) -> Store | None:
        """Return the store shared by all projects, if it is enabled and not empty."""
        path = settings_module.shared_store()
        if not self.settings.shared.enabled or path == self.path or not (path / INDEX).exists():
            return None
        return Store(path, self.settings, name="shared")

    @property
    def shared(self) -> Retriever | None:
        """Search over what other projects share, or None."""
        if self._abroad is None:
            self.__dict__.pop("_abroad", None)  # something may be shared later
            return None
        return self._abroad.retriever

    # -- the graph, its owner, and what runs there

    @cached_property
    def access(self) -> GraphAccess:
        """Access to the graph."""
        from graphmem.store.access import GraphAccess

        self._refuse_when_closed()
        return GraphAccess(self, lambda: self.index, lambda text: self.run_command(text))

    @property
    def graph(self) -> GraphStore:
        """Return the property graph. Raises StoreBusy if its owner does not answer."""
        return self.access.graph

    def run(self, request: Request[R], progress: Progress | None = None) -> R:
        """Run an operation where the graph is: in this process, one at a time, or in the owner."""
        return self.access.run(request, progress)

    def own(self) -> bool:
        """Become the owner, as a daemon; return False if another process is the owner."""
        return self.access.own()

    @property
    def server(self) -> Server | None:
        """Return the server that answers clients, if this process owns the store."""
        return self.access.server if "access" in self.__dict__ else None

    @property
    def stopping(self) -> threading.Event:
        """Set when a client asks this process, as the owner, to stop."""
        return self.access.stopping

    @cached_property
    def frozen(self) -> bool:
        """Return whether neither this process nor a running owner can write to the store. It is then read as it is."""
        if os.access(self.path, os.W_OK):
            return False
        from graphmem.backends.remote import client

        return not client.is_reachable(self.path)

    def barred(self) -> tuple[list[str], str]:
        """Return what this user cannot read or write in the store, one clause each, and how to fix it."""
        found = list_access_problems(self.path)
        return found, describe_fix(self.path) if found else ""

    @cached_property
    def renewal(self) -> ProjectionRepair:
        """Rebuilds projections."""
        from graphmem.store.repair import ProjectionRepair

        return ProjectionRepair(
            self,
            lambda: self.access.owned,
            lambda: self.access.files,
            lambda: self.index,
            release_facts=self.release_facts,
            is_daemon=lambda: self.server is not None and self.server.kind == "daemon",
        )

    def release_memory(self, *, only_graph: bool = False) -> None:
        """Free the memory of idle components, or only that of the graph."""
        from graphmem.store.idle import release_memory

        if only_graph:
            self.access.owned.release_memory()
            return
        if "renewal" in self.__dict__:
            self.renewal.close()
        release_memory(self.log, self.access.owned, self.index.opened_vectors)
        self.log.state.release_memory()
        if "_facts" in self.__dict__:
            self._facts.release_memory()

    # -- the end

    def move(self, target: Path, log: str | None = None, progress: Progress = quiet) -> int:
        """Close everything and move the folder; or with `log` only the log, to the server at this URL or with "" back into the
        store. `reopen` opens it at its new place. Return the number of bytes copied, or of the rows of the log."""
        from graphmem.backends import moving

        self.project  # noqa: B018 (the log knows it, and is closed by this)
        self.close()
        if log is None:
            return moving.move_store(self.path, target)
        rows = moving.move_log(self.path, log, self.settings.log.url, progress)
        settings_module.save_settings(self.path, {"log.url": log or None})
        self.settings = replace(self.settings, log=settings_module.Log(log))
        return rows

    def change_engine(self, engine: str, progress: Progress) -> int:
        """Close everything and rebuild the graph with another engine; `reopen` opens it again. Return the number of nodes
        and relations, which are equal in both. Raises UsageError for an unknown engine or that of the store, NotInstalled."""
        self.access.check_engine(engine)
        project = self.project
        self.close()
        with contextlib.closing(Store(self.path, self.settings, project)) as closed:
            return closed.access.change_engine(engine, progress)

    def reopen(self, path: Path) -> Store:
        """Return the same store, opened at another path."""
        return Store(path, self.settings, self.project, daemon=self.daemon, name=self.project)

    @property
    def is_log_moved(self) -> bool:
        """Return whether the log is not where this store was opened with it: another process moved it to a server, or back."""
        if "log" in self.__dict__:
            return self.log.is_moved()
        file = self.path / LOG
        return file.exists() and is_on_server(file) != bool(self.settings.log.url)

    def reopen_with_log(self, log: settings_module.Log) -> Store:
        """Return the same store, opened with its log at another place."""
        chosen = replace(self.settings, log=log)
        return Store(self.path, chosen, self._chosen, daemon=self.daemon, name=self._name)

    def _release(self, *names: str) -> None:
        for name in names:
            backend: Any = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close everything that is open, and give up ownership. Later use raises an error."""
        self._closed = True
        access: GraphAccess | None = self.__dict__.get("access")
        if access is None:
            self._release("_abroad", "index", *_RECORDED)
            return
        access.unserve()
        with access.turn:
            access.close_graph()
            self._release("renewal", "_abroad", "index", *_RECORDED)
        access.release_claim()
        self.__dict__.pop("access", None)  # two may close at once
