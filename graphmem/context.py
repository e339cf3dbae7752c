"""The one protocol of an open store: what use cases ask of it, so that they take one argument and name no backend."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from graphmem.log.recording import Recording
from graphmem.ports.backlog import Backlog, Spending
from graphmem.ports.log import Blobs, Browsing, Derivations, Erasure, EventLog, Exchange, LogState
from graphmem.ports.request import Runner
from graphmem.ports.text import Catalogue, Spellings, TextIndex

if TYPE_CHECKING:  # whoever names the protocol loads nothing of what it promises
    from graphmem.codegraph.build import Index
    from graphmem.ports.embedder import Embedder
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.ports.writer import Writer
    from graphmem.retrieve.retriever import Retriever
    from graphmem.settings import Settings
    from graphmem.tasks.service import Tasks


class Log(EventLog, Derivations, Erasure, Exchange, Protocol):
    """The log with all that lies in its file."""

    @property
    def state(self) -> LogState: ...

    @property
    def pages(self) -> Browsing: ...

    @property
    def blobs(self) -> Blobs: ...

    def verify(self) -> list[str]:
        """Everything that is wrong with the file, one sentence each."""
        ...


class Text(TextIndex, Catalogue, Spellings, Protocol):
    """The index with the list of what it holds."""


class DeadLetters(Backlog, Spending, Protocol):
    """What could not be done yet, with what models cost."""


class ProjectionRepair(Protocol):
    """How projections are made anew while the old ones still answer."""

    @property
    def found(self) -> list[str]:
        """What was broken and therefore made again."""
        ...

    def problems(self) -> list[str]:
        """What is wrong with the files that can be made again, one sentence each."""
        ...

    def drop_damaged(self) -> None:
        """Delete what holds only copies and is damaged: the facts of the code, the matrix of the vectors."""
        ...

    def clear_index(self) -> None:
        """Empty the index for a replay; a damaged one is deleted."""
        ...

    def index_beside(self) -> AbstractContextManager[Text]:
        """While the block runs, the index is written by another process; the end of the block waits for it. It may have
        failed: the cursors of the real index say how far it got."""
        ...

    def tree_beside(self) -> AbstractContextManager[None]:
        """While the block runs, another process folds the memory tree."""
        ...

    def drop_tree(self) -> None:
        """Have all turns sensed again that lack it, and the memory tree folded."""
        ...

    def folded_tree(self) -> Any:
        """The memory tree as that process folded it, once; None where there is none."""
        ...

    def evolved(self, wanted: dict[str, Any], progress: Callable[[str, int], None]) -> Any:
        """What another process made of a run of memify; None where it is to be done here."""
        ...

    def sweep_index(self) -> None:
        """Drop what the index kept from before and no longer needs."""
        ...

    def purge_index(self) -> None:
        """Leave no trace of removed items. Raises StoreError while a reader holds old pages."""
        ...

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> GraphStore:
        """An empty graph beside the one in use, with a part of the memory that the settings allow, or all of it; a `scratch`
        one lies in memory, to try something."""
        ...

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Put a fresh graph in the place of the one in use."""
        ...


class StepContext(Protocol):
    """What the steps work with."""

    @property
    def backlog(self) -> DeadLetters: ...
    @property
    def writer(self) -> Writer | None: ...


class StoreContext(StepContext, Recording, Runner, Protocol):
    """An open store."""

    def release_memory(self) -> None:
        """Give back the memory of what nobody asks for now."""
        ...

    @property
    def daemon(self) -> bool:
        """Whether the graph is left to a process that outlives this one."""
        ...

    @property
    def frozen(self) -> bool:
        """Whether nothing can be written here, nor by an owner that lives."""
        ...

    @property
    def path(self) -> Path: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def log(self) -> Log: ...
    @property
    def text(self) -> Text: ...
    @property
    def outbox(self) -> Outbox | None: ...
    @property
    def vectors(self) -> VectorIndex | None: ...
    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def retriever(self) -> Retriever: ...
    @property
    def shared(self) -> Retriever | None:
        """Search in what other projects share, or None."""
        ...

    @property
    def graph(self) -> GraphStore: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def facts(self) -> FactsCache: ...

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, with the position of the event of their state."""
        ...

    @property
    def renewal(self) -> ProjectionRepair: ...

    def recognise(self) -> None:
        """Raises StoreDamaged where the log is not the one that the index was made from."""
        ...

    def barred(self) -> tuple[list[str], str]:
        """What this user cannot read or write of the store, one clause each, and what to do about it."""
        ...


class _Overridden:
    """A store context with some attributes replaced."""

    def __init__(self, context: StoreContext, others: dict[str, Any]) -> None:
        self._parts = context
        self.__dict__ |= others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parts, name)


def with_overrides(context: StoreContext, **others: Any) -> StoreContext:
    """Return the context of a store with some of its attributes replaced."""
    return cast(StoreContext, _Overridden(context, others))
