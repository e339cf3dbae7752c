"""The search components of a store: index, encoder and vectors, opened on first use and combined to a retriever. Log,
graph and owner are in `Store`."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphmem import settings as settings_module
from graphmem.backends.log.frozen import is_disk_full
from graphmem.errors import GraphmemError, StoreBusy, StoreDamaged, StoreError, UsageError
from graphmem.ports.clock import Clock
from graphmem.ports.embedder import Thesaurus
from graphmem.ports.request import Progress, Request
from graphmem.ports.text import EVENTS
from graphmem.projections.shown import check_lineage
from graphmem.settings import Settings

if TYPE_CHECKING:
    from graphmem.backends.backlog.sqlite import SqliteBacklog
    from graphmem.backends.log.sqlite import SqliteLog
    from graphmem.backends.text.fts5 import Fts5Index
    from graphmem.backends.vectors.older import PreviousModel
    from graphmem.ports.embedder import Embedder, Reranker
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.retrieve.retriever import Retriever

R = TypeVar("R")
INDEX = "index.db"
_NEWEST, _PATIENCE = 500, 0.2  # events that a search projects itself, and seconds to wait for another writer


class RetrievalParts(ABC):
    """The search components of a store."""

    path: Path
    settings: Settings
    clock: Clock
    daemon: bool
    _inode, _unfilled = 0, False  # of the index file; whether it must be created first
    _closed = False
    _recognised = False
    _worker = 0  # the thread that is running a use case

    @property
    @abstractmethod
    def log(self) -> SqliteLog: ...

    @property
    @abstractmethod
    def backlog(self) -> SqliteBacklog: ...

    @abstractmethod
    def run(self, request: Request[R], progress: Progress | None = None) -> R: ...

    @abstractmethod
    def _release(self, names: Sequence[str]) -> None: ...

    @cached_property
    def text(self) -> Fts5Index:
        """Return the text index."""
        self._refuse_when_closed()
        from graphmem.backends.text.fts5 import Fts5Index

        index = Fts5Index(self.path / INDEX)
        # It was missing, or made by another version; during a rebuild another process creates it.
        self._unfilled = not index.cursors().get(EVENTS) and not self.log.state.unfinished()
        self._inode = (self.path / INDEX).stat().st_ino
        return index

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise UsageError("this memory was closed: open it again with `Memory.open`", store=str(self.path))

    def _check_index(self) -> None:
        """Reopen the index if another process deleted it: answers from the deleted file would be silently outdated."""
        try:
            same = "text" not in self.__dict__ or (self.path / INDEX).stat().st_ino == self._inode
        except FileNotFoundError:
            same = False
        if not same:
            self.release_index()

    def recognise(self) -> None:
        """Raise StoreDamaged if the log is not the one that the index was built from. For callers that read only the log."""
        if not self._recognised:
            from graphmem.backends.text.pages import cursors

            check_lineage(self.log.state, cursors(self.path / INDEX))
            self._recognised = True

    def _trust_index(self) -> None:
        """Raise StoreDamaged if the open index was changed by another program."""
        self._check_index()
        if "text" in self.__dict__:
            self.text.check()

    def release_index(self) -> None:
        """Close the index and its readers; they are reopened on next use."""
        self._release(("_retriever", "_older", "vectors", "outbox", "text"))

    @cached_property
    def embedder(self) -> Embedder | None:
        """Return the text encoder, or None if embedding is disabled."""
        from graphmem.backends.embed import make_embedder

        return make_embedder(self.settings.embedding, settings_module.read_secret("OPENAI_API_KEY"))

    @cached_property
    def outbox(self) -> Outbox | None:
        """Return texts waiting for vectors."""
        if self.embedder is None:
            return None
        from graphmem.backends.vectors.outbox import SqliteOutbox

        self._older  # noqa: B018 (what was searched until now is remembered before it is not complete any more)
        return SqliteOutbox(self.path / INDEX, self.embedder.name, self.embedder.dimensions, self.clock)

    @cached_property
    def _older(self) -> PreviousModel | None:
        """Return the encoder to search with until the configured one has encoded everything."""
        if self.embedder is None:
            return None
        from graphmem.backends.vectors.older import previous_model

        key = settings_module.read_secret("OPENAI_API_KEY")
        return previous_model(self.path / INDEX, self.settings.embedding, self.embedder.name, self.text.mask, key)

    @cached_property
    def vectors(self) -> VectorIndex | None:
        """Return the vector index."""
        if self.embedder is None:
            return None
        from graphmem.backends.vectors.usearch import UsearchIndex

        return UsearchIndex(self.path / INDEX, self.embedder.name, self.embedder.dimensions, self.text.mask)

    @property
    def retriever(self) -> Retriever:
        """Return the retriever (search, timeline, details). A missing index is built first."""
        self._trust_index()
        if (older := self.__dict__.get("_older")) is not None and older.over():
            self._release(("_retriever", "_older"))
        self.text  # noqa: B018 (tells whether it was there)
        if (
            self._unfilled and self._worker != threading.get_ident()
        ):  # otherwise it reports progress
            self._fill_index()
        self._take_newest()
        self._recognise_index()
        return self._retriever

    def _fill_index(self) -> None:
        """Build the index. If the disk is full, answers come from what is there, marked as incomplete."""
        from graphmem.operations.pipeline import Process, Project

        if self.log.head():  # an owner process continues with longer work itself
            try:
                if self.daemon:
                    self.run(Project())
                else:
                    self.run(Process())
            except StoreError as error:
                if isinstance(error, StoreBusy | StoreDamaged) or not is_disk_full(self.path):
                    raise
        self._unfilled = False

    def _recognise_index(self) -> None:
        """Raise StoreDamaged if the log is not the one that the index was built from. Afterwards, a log that is not
        behind its index is accepted."""
        reached = self.text.cursors()
        if (self._recognised and self.log.head() >= reached.get(EVENTS, 0)) or self.log.state.unfinished():
            return
        check_lineage(self.log.state, reached)
        self._recognised = True

    def _take_newest(self) -> None:
        """Project the newest turns, so that they are found even if the owner is busy with earlier ones."""
        if self.log.head() == self.text.cursors().get(EVENTS, 0):
            return
        from graphmem.backends.text.fts5 import Fts5Index
        from graphmem.projections.runner import Runner

        with contextlib.suppress(GraphmemError), contextlib.closing(Fts5Index(self.path / INDEX, _PATIENCE)) as index:
            Runner(self.log, None, index, refuse=self._set_aside).newest(_NEWEST)

    def _set_aside(self, projection: str, refusals: Sequence[tuple[str, str]]) -> None:
        """Record dead letters of the index; if this user cannot write, the owner records them again."""
        with contextlib.suppress(GraphmemError, OSError):
            self.backlog.set_aside(projection, refusals)

    @cached_property
    def _retriever(self) -> Retriever:
        from graphmem.retrieve.guard import Guard
        from graphmem.retrieve.retriever import Retriever
        from graphmem.retrieve.state import Ports

        embedder, vectors = self.embedder, self.vectors
        if self._older is not None:
            embedder, vectors = self._older.embedder, self._older.vectors
        thesaurus = None
        if embedder is not None and not isinstance(embedder, Thesaurus):  # sentence encoders have no word vectors
            from graphmem.backends.embed.wordllama import WordLlamaEmbedder

            thesaurus = WordLlamaEmbedder()
        most = self.settings.retrieval.reranked
        ports = Ports(self.text, self.text.mentions, self.clock, vectors, embedder, thesaurus, self._reranker, most)
        return Retriever(replace(ports, guard=Guard(self.log), lacking=lambda: self.lacking, places=self.text.places))

    @property
    def lacking(self) -> dict[str, str]:
        """Return why answers may be incomplete."""
        from graphmem.store.freshness import index_lag

        searched = self._older.vectors if self._older is not None else self.vectors
        return index_lag(self.log, self.text, searched, self.settings.buffer.window)

    @cached_property
    def _reranker(self) -> Reranker | None:
        """Return the reranker, or None."""
        from graphmem.backends.rerank import make_reranker

        return make_reranker(self.settings.retrieval, settings_module.read_secret("RERANKER_API_KEY"))
