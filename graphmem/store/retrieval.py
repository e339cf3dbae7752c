"""The search components of a store: index, encoder and vectors, opened on first use and combined to a retriever. Log,
graph and owner are in `Store`."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from graphmem import settings as settings_module
from graphmem.backends.embed import make_embedder
from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.log.file_access import is_disk_full
from graphmem.backends.rerank import make_reranker
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.older import PreviousModel, previous_model
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError, StoreBusy, StoreDamaged, StoreError
from graphmem.operations.pipeline import Process, Project
from graphmem.ports.embedder import Embedder, Reranker, Thesaurus
from graphmem.ports.text import EVENTS
from graphmem.ports.vectors import Outbox, VectorIndex
from graphmem.projections.lineage import check_lineage
from graphmem.projections.runner import Runner
from graphmem.retrieve.guard import Guard
from graphmem.retrieve.merged_entities import MergedEntities
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.retriever import Retriever
from graphmem.store.files import INDEX
from graphmem.store.freshness import index_lag, pending_init

_INDEXED = "tree_indexed"  # events of trees of source code
_NEWEST, _PATIENCE = 500, 0.2  # events that a search projects itself, and seconds to wait for another writer
_AGAIN = 1.0  # seconds after which it tries once more


class SearchIndex:
    """The part of a store that searches."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store
        self.worker = 0  # the thread that is running a use case
        self._inode, self._unfilled = 0, False  # of the index file; whether it must be created first
        self._recognised = False
        self._rooted: tuple[int, dict[str, str]] = (0, {})  # newest state of a tree that was read, folders of projects
        self.is_shared = False  # whether other threads write the index while one searches, as in an owner process
        self._tried = 0, 0.0  # log head that could not be projected, and when that is tried again

    @property
    def is_open(self) -> bool:
        """Return whether the index is open."""
        return "text" in self.__dict__

    @cached_property
    def text(self) -> Fts5Index:
        """Items and their words."""
        index = Fts5Index(self._store.path / INDEX)
        # It was missing, or made by another version; during a rebuild another process creates it.
        self._unfilled = not index.cursors().get(EVENTS) and not self._store.log.state.unfinished_operations()
        self._inode = (self._store.path / INDEX).stat().st_ino
        return index

    @cached_property
    def searched(self) -> Fts5Index:
        """The index as searches read it: in an owner over a connection of its own, because the one that is written over is
        locked during each batch."""
        return Fts5Index(self._store.path / INDEX) if self.is_shared else self.text

    def check(self) -> None:
        """Release the index if another process deleted its file (because it was damaged): answers of the lost file would be
        silently old."""
        try:
            same = not self.is_open or (self._store.path / INDEX).stat().st_ino == self._inode
        except FileNotFoundError:
            same = False
        if not same:
            self.release()

    def trust(self) -> None:
        """Raise StoreDamaged if another program changed the open index."""
        self.check()
        if self.is_open:
            self.text.check()

    def release(self) -> None:
        """Close the index and what reads it; the next use opens it again."""
        self._drop("_retriever", "_older", "vectors", "outbox", "searched", "text")

    @cached_property
    def embedder(self) -> Embedder | None:
        """Return the text encoder, or None if embedding is off."""
        return make_embedder(self._store.settings.embedding, settings_module.read_secret("OPENAI_API_KEY"))

    @cached_property
    def outbox(self) -> Outbox | None:
        """Return texts waiting for vectors."""
        if self.embedder is None:
            return None
        self._older  # noqa: B018 (what was searched until now is remembered before it is not complete any more)
        return SqliteOutbox(self._store.path / INDEX, self.embedder.name, self.embedder.dimensions, self._store.clock)

    @cached_property
    def _older(self) -> PreviousModel | None:
        """Return the encoder to search with until the configured one has encoded everything."""
        if self.embedder is None:
            return None
        key = settings_module.read_secret("OPENAI_API_KEY")
        return previous_model(
            self._store.path / INDEX, self._store.settings.embedding, self.embedder.name, self.searched.mask, key
        )

    @cached_property
    def vectors(self) -> VectorIndex | None:
        """Return the vector index."""
        if self.embedder is None:
            return None
        return UsearchIndex(self._store.path / INDEX, self.embedder.name, self.embedder.dimensions, self.searched.mask)

    @property
    def retriever(self) -> Retriever:
        """Search, timeline, details. An index that is not there is made first."""
        self.trust()
        if (older := self.__dict__.get("_older")) is not None and older.over():
            self._drop("_retriever", "_older")
        self.text, self.searched  # noqa: B018 (the first tells whether it was there)
        if self._unfilled and self.worker != threading.get_ident():  # else it is told of progress, and asks meanwhile
            self._fill_index()
        self._take_newest()
        self._recognise_index()
        return self._retriever

    def _fill_index(self) -> None:
        """Make the index; where the disk is full, answers come from what is in it, and say that it is behind. While `init` is
        at work, which fills it, they say so."""
        if not self.searched.cursors().get(EVENTS) and pending_init(self._store.path):
            return
        if self._store.log.head() and not self.searched.cursors().get(
            EVENTS
        ):  # an owner process continues with longer work itself
            try:
                if self._store.daemon:
                    self._store.run(Project())
                else:
                    self._store.run(Process())
            except StoreError as error:
                if isinstance(error, StoreBusy | StoreDamaged) or not is_disk_full(self._store.path):
                    raise
        self._unfilled = False

    def _recognise_index(self) -> None:
        """Raise StoreDamaged if the log is not the one that the index was built from. Afterwards, a log that is not
        behind its index is accepted."""
        reached = self.searched.cursors()
        if (
            self._recognised and self._store.log.head() >= reached.get(EVENTS, 0)
        ) or self._store.log.state.unfinished_operations():
            return
        check_lineage(self._store.log.state, reached)
        self._recognised = True

    def _take_newest(self) -> None:
        """Make the newest turns searchable, even while the owner still processes earlier ones."""
        head, reached = self._store.log.head(), self.searched.cursors().get(EVENTS, 0)
        if not 0 < reached < head <= reached + _NEWEST or (
            head == self._tried[0] and time.monotonic() < self._tried[1]
        ):
            return
        with (
            contextlib.suppress(GraphmemError),
            contextlib.closing(Fts5Index(self._store.path / INDEX, _PATIENCE)) as index,
        ):
            Runner(self._store.log, None, index, refuse=self._set_aside).newest(_NEWEST)
            return
        self._tried = head, time.monotonic() + _AGAIN  # another one writes: the next searches do not wait for it, too

    def _set_aside(self, projection: str, refusals: Sequence[tuple[str, str]]) -> None:
        """Record dead letters of the index; if this user cannot write, the owner records them again."""
        with contextlib.suppress(GraphmemError, OSError):
            self._store.backlog.set_aside(projection, refusals)

    @cached_property
    def _retriever(self) -> Retriever:
        embedder, vectors = self.embedder, self.vectors
        if self._older is not None:
            embedder, vectors = self._older.embedder, self._older.vectors
        thesaurus = None
        if embedder is not None and not isinstance(embedder, Thesaurus):  # sentence encoders have no word vectors
            thesaurus = WordLlamaEmbedder()
        most = self._store.settings.retrieval.reranked
        ports = Ports(
            self.searched, self.searched.mentions, self._store.clock, vectors, embedder, thesaurus, self._reranker, most
        )
        return Retriever(
            replace(
                ports,
                guard=Guard(self._store.log),
                lacking=lambda: self.lacking,
                places=self.searched.places,
                merged_entities=MergedEntities(self._store.log),
                roots=self._roots,
            )
        )

    def _roots(self) -> dict[str, str]:
        """Return the folder of each project whose code was indexed, if it is on this machine."""
        last = self._store.log.state.last_position(_INDEXED)
        if last != self._rooted[0]:
            found: dict[str, str] = {}
            for event in self._store.log.read(types=[_INDEXED]) if last else ():
                found.setdefault(event.project, str(event.payload["root"]))
            self._rooted = last, found
        return {project: root for project, root in self._rooted[1].items() if os.path.isdir(root)}  # noqa: PTH112

    @property
    def lacking(self) -> dict[str, str]:
        """Return why answers may be incomplete now: part -> reason."""
        searched = self._older.vectors if self._older is not None else self.vectors
        lag = index_lag(self._store.log, self.searched, searched, self._store.settings.buffer.window)
        return pending_init(self._store.path) | lag

    @cached_property
    def _reranker(self) -> Reranker | None:
        """Return what reads the best hits once more, or None."""
        return make_reranker(self._store.settings.retrieval, settings_module.read_secret("RERANKER_API_KEY"))

    @property
    def opened_vectors(self) -> VectorIndex | None:
        """Return the vectors, where they are open."""
        return self.__dict__.get("vectors")

    def _drop(self, *names: str) -> None:
        for name in names:
            backend = self.__dict__.pop(name, None)
            if hasattr(backend, "close"):
                backend.close()

    def close(self) -> None:
        """Close whatever is open."""
        self._drop("_retriever", "_older", "vectors", "outbox", "embedder", "searched", "text")
