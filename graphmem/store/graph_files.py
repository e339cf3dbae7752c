"""The graph of a store: of which engine it is, in which files or on which server, and how an empty or a new one replaces it.
Damage is reported; no event of the log is changed here."""

from __future__ import annotations

from pathlib import Path

from graphmem.backends.graph import seal
from graphmem.backends.graph.bolt import BoltGraph
from graphmem.backends.graph.engines import EMBEDDED, ENGINES, Engine, engine_of_new_stores
from graphmem.backends.graph.opening import open_graph
from graphmem.backends.graph.schema import schema_digest
from graphmem.backends.log.file_access import REMEDY
from graphmem.context import StoreContext
from graphmem.errors import StoreBusy, StoreDamaged, StoreError
from graphmem.ports.graph import OwnedGraph
from graphmem.projections.lineage import MENDED, load_watermark

_SCRATCH = 64  # MB of buffer of a graph in which something is tried
_ENGINE = "graph_engine"  # the setting in the log that says which engine has the graph
_ID = "graph_id"  # the one by which a server knows the graph of this store
_FRESH = 256  # MB of buffer with which a graph is rebuilt, which uses as much as it gets


class GraphFiles:
    """The graph files of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store
        self._candidate = ""  # an engine whose graph is being built while another one has that of the store
        self.damage: list[str] = []  # what was broken and therefore made again

    @property
    def engine(self) -> str:
        """Return the engine of the store's graph: the recorded one; in older stores that of its files; in new ones the
        configured one."""
        recorded = None
        try:
            recorded = self._store.log.state.setting(_ENGINE, None)
        except StoreError:
            if not self._store.frozen:  # of a read-only store, the graph says itself what is wrong
                raise
        if recorded:
            return str(recorded)
        existing = (name for name in EMBEDDED if any(self._store.path.glob(f"graph-*.{name}*")))
        return next(existing, None) or engine_of_new_stores(self._store.settings.graph.engine)

    @property
    def url(self) -> str:
        """Return the URL of the graph server, "" if none is configured."""
        return self._store.settings.graph.url

    def usable_engine(self) -> Engine:
        """Return that engine. Raises StoreError if it is unknown, NotInstalled if it is missing on this machine."""
        engine = ENGINES.get(self.engine)
        if engine is None:
            raise StoreError(
                f"the graph of this store is of the engine {self.engine}, which this version of graphmem does not know: upgrade"
                " graphmem",
                path=str(self._store.path),
            )
        engine.require()
        return engine

    def use_candidate(self, engine: str) -> None:
        """Work on the graph of this engine, next to the graph of the store if that is of another one."""
        self._candidate = engine if engine != self.engine else ""

    def delete_candidate(self, engine: str) -> None:
        """Delete the graph of this engine, which is not that of the store."""
        self._delete_graph(engine)

    def adopt_engine(self, engine: str) -> None:
        """Record that this engine has the graph, then delete the graph of the other one."""
        replaced = self.engine
        self._store.log.state.setting(_ENGINE, engine, replace=True)
        self._delete_graph(replaced)

    def _delete_graph(self, engine: str) -> None:
        if ENGINES[engine].is_embedded:
            self._delete_files(engine, None)
            return
        graph = self._open(self._store.path / f"graph.{engine}")
        if isinstance(graph, BoltGraph):
            graph.drop()
        graph.close()

    def note_damage(self, found: str) -> None:
        """Record what must be rebuilt, also for later callers."""
        self.damage.append(found)
        self._store.log.state.save_watermark(MENDED + found, self._store.clock.now())

    def open(self, *, frozen: bool = False) -> OwnedGraph:
        """Return the graph of the store. A graph with another schema, or a damaged one, is dropped. In a read-only store
        it is opened read-only, and such graphs are rejected."""
        if frozen:
            return self._frozen_graph()
        wanted = self._file("graph")
        if self._candidate:
            return self._open(wanted)
        self.usable_engine()
        self._store.log.state.setting(_ENGINE, self.engine)
        for engine in EMBEDDED:  # others: of an interrupted change
            deleted = self._delete_files(engine, wanted)
            if engine == self.engine and any(old.name.startswith("graph-") for old in deleted):
                self.damage.append("the graph had a different schema")
        if not ENGINES[self.engine].is_embedded:
            return self._open_on_server(wanted)
        gone = not self.damage and not seal.graph_files_exist(wanted) and load_watermark(self._store.log.state) > 0
        try:
            graph = self._open(wanted)
        except StoreDamaged as error:
            self.note_damage(error.message)
            seal.delete_files(wanted)
            return self._open(wanted)
        if gone:
            self.note_damage("the graph was missing")
        return graph

    def _open_on_server(self, wanted: Path) -> OwnedGraph:
        graph = self._open(wanted)
        if isinstance(graph, BoltGraph) and graph.is_new and load_watermark(self._store.log.state) > 0:
            self.note_damage("the graph was missing")
        return graph

    def _delete_files(self, engine: str, kept: Path | None) -> list[Path]:
        """Delete the graphs of an engine except one; return them."""
        names = (file.name.partition(".")[0] for file in self._store.path.glob(f"*-*.{engine}*"))
        deleted = sorted({self._store.path / f"{name}.{engine}" for name in names} - {kept})
        for old in deleted:
            seal.delete_files(old)
        return deleted

    def _frozen_graph(self) -> OwnedGraph:
        """Return the graph of a read-only store. Raises StoreError if it cannot be read."""
        self.usable_engine()
        file = self._file("graph")
        if ENGINES[self.engine].is_embedded and not seal.graph_files_exist(file):
            raise StoreError(f"{self._store.path} has no graph for these settings, and is read-only: {REMEDY}")
        try:
            return self._open(file, frozen=True)
        except StoreBusy:
            raise
        except StoreError as error:
            raise StoreError(f"{error.message}, and {self._store.path} is read-only: {REMEDY}") from error

    def replace_damaged(self, graph: OwnedGraph) -> bool:
        """If the graph file is missing or damaged, replace it by an empty one; return False if it is intact."""
        damage = graph.find_damage()
        if damage:
            self.note_damage(damage)
            if isinstance(graph, BoltGraph):
                graph.adopt(graph.make_fresh())
                return True
            seal.delete_files(self._file("fresh"))
            graph.adopt(self._open(self._file("fresh")))
        return bool(damage)

    def make_fresh(self, used: OwnedGraph, roomy: bool) -> OwnedGraph:
        """Return an empty graph next to the current one, with part or all of the memory that the settings allow. The
        current graph is reopened for its readers; on a server there is one only, and its readers are refused meanwhile."""
        if isinstance(used, BoltGraph):
            return used.make_fresh()
        used.release_memory()
        seal.delete_files(self._file("fresh"))
        most = self._store.settings.graph.buffer_pool_mb
        return self._open(self._file("fresh"), most if roomy else min(most, _FRESH))

    def make_scratch(self) -> OwnedGraph:
        """Return an empty graph in memory, for trials."""
        return open_graph(None, self._store.settings, engine=self._candidate or self.engine, buffer_mb=_SCRATCH)

    def _file(self, name: str) -> Path:
        digest = schema_digest(self._store.settings.types)
        return self._store.path / f"{name}-{digest}.{self._candidate or self.engine}"

    def _open(self, file: Path, buffer_mb: int = 0, *, frozen: bool = False) -> OwnedGraph:
        engine, settings = file.suffix.removeprefix("."), self._store.settings
        if ENGINES[engine].is_embedded:
            return open_graph(file, settings, engine=engine, buffer_mb=buffer_mb, frozen=frozen)
        id = self._store.log.state.setting(_ID, None if frozen else self._store.clock.random(8).hex())
        return open_graph(file, settings, engine=engine, frozen=frozen, store_id=str(id))
