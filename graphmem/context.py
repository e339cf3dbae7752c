"""The protocol of an open store. Use cases take one argument of this type and do not depend on backends."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from graphmem.log.recording import Recording
from graphmem.ports.backlog import Backlog, Spending
from graphmem.ports.log import Blobs, Derivations, Erasure, EventLog, Exchange, LogBrowser, LogState, Sharing
from graphmem.ports.request import Runner
from graphmem.ports.text import Catalogue, Spellings, TextIndex

if TYPE_CHECKING:  # a module that only names the protocol does not load its types
    from graphmem.codegraph.build import Index
    from graphmem.ports.embedder import Embedder
    from graphmem.ports.facts import FactsCache
    from graphmem.ports.graph import GraphStore
    from graphmem.ports.vectors import Outbox, VectorIndex
    from graphmem.ports.writer import Writer
    from graphmem.retrieve.retriever import Retriever
    from graphmem.settings import Settings
    from graphmem.tasks.service import Tasks


class Log(EventLog, Derivations, Erasure, Exchange, Sharing, Protocol):
    """The log and everything in its file."""

    @property
    def state(self) -> LogState: ...

    @property
    def pages(self) -> LogBrowser: ...

    @property
    def blobs(self) -> Blobs: ...

    def verify(self) -> list[str]:
        """Return all problems of the file, one sentence each."""
        ...


class Text(TextIndex, Catalogue, Spellings, Protocol):
    """The text index, with a list of its items."""


class DeadLetters(Backlog, Spending, Protocol):
    """Dead letters of processing steps, and the cost of model calls."""


class Deriver(Protocol):
    """Another process that derives knowledge from events."""

    @property
    def is_following(self) -> bool:
        """Return whether it derives from events as they are recorded."""
        ...

    def follow(self, stages: Collection[str]) -> None:
        """Run these stages on all new events, and on those recorded from now on, until `start`."""
        ...

    def start(self, stages: Collection[str]) -> None:
        """Start these stages on all new events, if the process can be started."""
        ...

    def finish(self) -> int:
        """Wait until they are done, and return the number of new derivations. What it left undone is still due."""
        ...

    def close(self) -> None:
        """End the process."""
        ...


class ProjectionRepair(Protocol):
    """Rebuilds projections while the old ones keep answering."""

    @property
    def deriver(self) -> Deriver | None:
        """Return the process that derives knowledge for this one, or None."""
        ...

    @property
    def damage(self) -> list[str]:
        """Return what was damaged and therefore rebuilt."""
        ...

    def problems(self) -> list[str]:
        """Return problems of the files that can be rebuilt, one sentence each."""
        ...

    def drop_damaged(self) -> None:
        """Delete damaged caches: parsed code facts and the vector matrix."""
        ...

    def clear_index(self) -> None:
        """Empty the index for a replay; delete it if damaged."""
        ...

    def index_beside(self) -> AbstractContextManager[Text]:
        """Context manager: another process writes the index during the block; the end of the block waits for it. It
        may fail; the cursors of the real index show how far it got."""
        ...

    def tree_beside(self) -> AbstractContextManager[None]:
        """Context manager: another process builds the memory tree during the block."""
        ...

    def drop_tree(self) -> None:
        """Re-run the sensor on turns without a result, then rebuild the memory tree."""
        ...

    def folded_tree(self) -> Any:
        """Return the memory tree built by that process, once; None if there is none."""
        ...

    def evolved(self, wanted: dict[str, Any], progress: Callable[[str, int], None]) -> Any:
        """Return the result of a memify run in another process; None if it must run in this one."""
        ...

    def sweep_index(self) -> None:
        """Delete data that the index no longer needs."""
        ...

    def purge_index(self) -> None:
        """Erase all traces of removed items. Raises StoreError while a reader holds old pages."""
        ...

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> GraphStore:
        """Return an empty graph next to the current one, with part or all of the memory that the settings allow. A
        `scratch` graph is in memory, for trials."""
        ...

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Replace the current graph with a fresh one."""
        ...


class StepContext(Protocol):
    """What processing steps need."""

    @property
    def backlog(self) -> DeadLetters: ...
    @property
    def writer(self) -> Writer | None: ...


class HookContext(Recording, Protocol):
    """What works without the graph: hooks must answer even if no process has it open."""

    @property
    def path(self) -> Path: ...
    @property
    def log(self) -> Log: ...
    @property
    def retriever(self) -> Retriever: ...
    @property
    def shared(self) -> Retriever | None:
        """Search in what other projects share, or None."""
        ...

    @property
    def tasks(self) -> Tasks: ...
    @property
    def settings(self) -> Settings: ...


class StoreContext(StepContext, HookContext, Runner, Protocol):
    """An open store."""

    def release_memory(self, *, only_graph: bool = False) -> None:
        """Give back the memory of what nobody asks for now, or only that of the graph."""
        ...

    @property
    def daemon(self) -> bool:
        """Return whether the graph is left to a process that outlives this one."""
        ...

    @property
    def frozen(self) -> bool:
        """Return whether nothing can be written here, nor by an owner that lives."""
        ...

    @property
    def settings(self) -> Settings: ...
    @property
    def text(self) -> Text: ...
    @property
    def outbox(self) -> Outbox | None: ...
    @property
    def vectors(self) -> VectorIndex | None: ...
    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def graph(self) -> GraphStore: ...
    @property
    def facts(self) -> FactsCache: ...

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, with the position of the event of their state."""
        ...

    @property
    def renewal(self) -> ProjectionRepair: ...

    def check_log_lineage(self) -> None:
        """Raise StoreDamaged if the log is not the one that the index was made from."""
        ...

    def barred(self) -> tuple[list[str], str]:
        """Return what this user cannot read or write in the store, one clause each, and a fix."""
        ...


class _Overridden:
    """A store context with some attributes replaced."""

    def __init__(self, context: StoreContext, others: dict[str, Any]) -> None:
        self._parts = context
        self.__dict__ |= others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parts, name)


def with_overrides(context: StoreContext, **others: Any) -> StoreContext:
    """Return a store context with some attributes replaced."""
    return cast(StoreContext, _Overridden(context, others))
