"""The files of the graph of a store: which one counts, and how an empty or a new one takes its place. What was found broken is
noted; the log is never touched here."""

from __future__ import annotations

from pathlib import Path

from graphmem.backends.graph import open_graph, seal
from graphmem.backends.graph.schema import schema_digest
from graphmem.backends.log.frozen import REMEDY
from graphmem.context import StoreContext
from graphmem.errors import StoreBusy, StoreDamaged, StoreError
from graphmem.ports.graph import OwnedGraph
from graphmem.projections.shown import MENDED, watermark

_SCRATCH = 64  # MB of buffer of a graph in which something is tried
_FRESH = 256  # MB of buffer with which a graph is made anew: it takes whatever it is given


class GraphFiles:
    """The files of one store's graph."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store
        self.found: list[str] = []  # what was broken and therefore made again

    def tell(self, found: str) -> None:
        """Note what has to be made again: also for others, who ask later."""
        self.found.append(found)
        self._store.log.state.reach(MENDED + found, self._store.clock.now())

    def open(self, *, frozen: bool = False) -> OwnedGraph:
        """The graph of the store. One of another schema, or that cannot be trusted, is dropped; where nothing can be written it
        is only read, and those are refused."""
        if frozen:
            return self._frozen_graph()
        wanted = self._file("graph")
        for old in self._store.path.glob("*-*.kuzu"):
            if old != wanted:
                seal.delete_files(old)
                if old.name.startswith("graph-"):
                    self.found.append("the graph had another schema")
        gone = not self.found and not seal.exists(wanted) and watermark(self._store.log.state) > 0
        try:
            graph = self._open(wanted)
        except StoreDamaged as error:
            self.tell(error.message)
            seal.delete_files(wanted)
            return self._open(wanted)
        if gone:
            self.tell("the graph was gone")
        return graph

    def _frozen_graph(self) -> OwnedGraph:
        """The graph of a store that nobody can write to, as it was left. Raises StoreError where it cannot be read so."""
        file = self._file("graph")
        if not file.exists():
            raise StoreError(f"{self._store.path} holds no graph of these settings, and is read-only: {REMEDY}")
        try:
            return self._open(file, frozen=True)
        except StoreBusy:
            raise
        except StoreError as error:
            raise StoreError(f"{error.message}, and {self._store.path} is read-only: {REMEDY}") from error

    def mend(self, graph: OwnedGraph) -> bool:
        """Where the file of the graph went away or was damaged, put an empty one in its place; False where it is there."""
        lost = graph.lost()
        if lost:
            self.tell(lost)
            seal.delete_files(self._file("fresh"))
            graph.adopt(self._open(self._file("fresh")))
        return bool(lost)

    def make_fresh(self, used: OwnedGraph, roomy: bool) -> OwnedGraph:
        """An empty graph beside the one in use, with a part of the memory that the settings allow, or all of it. The one in
        use is opened again for whoever asks it meanwhile."""
        used.rest()
        seal.delete_files(self._file("fresh"))
        most = self._store.settings.graph.buffer_pool_mb
        return self._open(self._file("fresh"), most if roomy else min(most, _FRESH))

    def make_scratch(self) -> OwnedGraph:
        """An empty graph in memory, to try something."""
        return open_graph(None, self._store.settings, buffer_mb=_SCRATCH)

    def _file(self, name: str) -> Path:
        return self._store.path / f"{name}-{schema_digest(self._store.settings.types)}.kuzu"

    def _open(self, file: Path, buffer_mb: int = 0, *, frozen: bool = False) -> OwnedGraph:
        return open_graph(file, self._store.settings, buffer_mb=buffer_mb, frozen=frozen)
