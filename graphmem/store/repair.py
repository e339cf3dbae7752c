"""Rebuilds projections, drops damaged ones, and records what was damaged. It names the backends of everything that can be
rebuilt; the log is never touched here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from graphmem.errors import GraphmemError, StoreBusy, StoreDamaged, StoreError
from graphmem.projections.shown import MENDED, watermark
from graphmem.store.retrieval import INDEX

if TYPE_CHECKING:
    import subprocess

    from graphmem.backends.graph.kuzu import KuzuGraph
    from graphmem.context import Text
    from graphmem.ports.graph import GraphStore
    from graphmem.store import Store

CODE = "code.db"
CODE_GONE = "code: the saved code index is missing"
_INDEXED = "tree_indexed"  # events of trees whose parsed facts are stored there
_SCRATCH = 64  # MB of buffer for trial graphs
_FRESH = 256  # MB of buffer for rebuilding a graph, which uses all it gets


class ProjectionRepair:
    """Rebuilds the projections of a store. The index is emptied in place, visible to all readers; the graph is built next
    to the old one and then replaces it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.found: list[str] = []  # what was damaged and therefore rebuilt
        self._folding: subprocess.Popen[bytes] | None = None

    def problems(self) -> list[str]:
        """Return problems of the files that can be rebuilt, one sentence each."""
        from graphmem.backends.log.chain import file_problems
        from graphmem.backends.vectors.noted import index_problems

        found = [*index_problems(self._store.path / INDEX), *file_problems(self._store.path / CODE, "code")]
        return found + [CODE_GONE] * self._code_gone()

    def _code_gone(self) -> bool:
        with contextlib.suppress(GraphmemError):
            return bool(self._store.log.state.last(_INDEXED)) and self._store.facts.empty()
        return False  # unreadable files are reported elsewhere

    def drop_damaged(self) -> None:
        """Delete damaged caches: the parsed code facts."""
        from graphmem.backends.log.chain import file_problems

        problems = file_problems(self._store.path / CODE, "code") or [CODE_GONE] * self._code_gone()
        if problems:
            for problem in problems:
                self.tell(problem)
            self._store.release_facts()
            self._unlink(CODE)

    def clear_index(self) -> None:
        """Empty the index for a replay, and delete files copied from it; a damaged index is deleted."""
        from graphmem.backends.vectors.noted import drop_copies, index_problems

        drop_copies(self._store.path)
        try:
            problems = index_problems(self._store.path / INDEX)
            if not problems:
                self._store.text.clear()
        except StoreError as error:
            problems = [error.message]
        if problems:
            for problem in problems:
                self.tell(problem)
            self._store.release_index()
            self._unlink(INDEX)

    def _unlink(self, name: str) -> None:
        for each in (name, f"{name}-wal", f"{name}-shm", f"{name}.sums"):
            (self._store.path / each).unlink(missing_ok=True)

    def index_beside(self) -> AbstractContextManager[Text]:
        """Yield the index while another process writes it; if that process fails, only time is lost."""
        from graphmem.backends.remote import client
        from graphmem.store.remote_index import index_beside

        return index_beside(self._store.text, client.start_worker("fill", self._store.path))

    @contextlib.contextmanager
    def tree_beside(self) -> Iterator[None]:
        """Build the memory tree in another process, if all turns have been sensed and no file contains it."""
        from graphmem.backends.remote import client
        from graphmem.store.remote_index import terminate_worker
        from graphmem.tree import kept
        from graphmem.tree.sensor import STEP

        log, path = self._store.log, self._store.path
        useful = log.state.reached(STEP) and not kept.is_valid(path, log)
        helper = client.start_worker("fold", path) if useful else None
        if helper is None:
            yield
            return
        with terminate_worker(helper):
            self._folding = helper
            try:
                yield
            finally:
                self._folding = None

    def evolved(self, wanted: dict[str, Any], progress: Callable[[str, int], None]) -> Any:
        """Return the result of a memify run in another process; None if it must run in this one."""
        from graphmem.store.remote_index import run_memify_worker

        return run_memify_worker(self._store, wanted, progress)

    def drop_tree(self) -> None:
        """Re-run the sensor on turns without a result, then rebuild the memory tree."""
        from graphmem.tree import kept
        from graphmem.tree.sensor import STEP

        kept.delete_forest(self._store.path)
        self._store.log.state.reach(STEP, 0)

    def folded_tree(self) -> Any:
        """Return the memory tree built by the other process, once; None if there is none. Memory for it is freed first."""
        from graphmem.backends.freed import trim_heap
        from graphmem.tree import kept

        trim_heap()
        helper, self._folding = self._folding, None
        if helper is None or helper.stdout is None or not helper.stdout.read(1):  # it died
            return None
        tree = kept.load_forest(self._store.path, self._store.log)
        if tree is not None:
            tree.kept = 0  # projections still have to be written with it
        return tree

    def sweep_index(self) -> None:
        """Delete vectors that no item needs."""
        self._store.text.sweep()

    def purge_index(self) -> None:
        """Erase all traces of removed items. Raises StoreError while a reader holds old pages."""
        from graphmem.tree import kept

        kept.delete_forest(self._store.path)
        self._store.text.purge()
        for path in (
            *self._store.path.glob("owner.log*"),
            *self._store.path.parent.glob(f".{self._store.path.name}.moving"),
        ):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(b"")  # an owner that writes to it continues

    def open_graph(self, *, frozen: bool = False) -> KuzuGraph:
        """Return the graph of the store. A graph with another schema, or a damaged one, is dropped. In a read-only store
        it is opened read-only, and such graphs are rejected."""
        if frozen:
            return self._frozen_graph()
        from graphmem.backends.graph import seal

        wanted = self._file("graph")
        for old in self._store.path.glob("*-*.kuzu"):
            if old != wanted:
                seal.delete_files(old)
                if old.name.startswith("graph-"):
                    self.found.append("the graph had a different schema")
        gone = not self.found and not seal.exists(wanted) and watermark(self._store.log.state) > 0
        try:
            graph = self._open(wanted)
        except StoreDamaged as error:
            self.tell(error.message)
            seal.delete_files(wanted)
            return self._open(wanted)
        if gone:
            self.tell("the graph was missing")
        return graph

    def _frozen_graph(self) -> KuzuGraph:
        """Return the graph of a read-only store. Raises StoreError if it cannot be read."""
        from graphmem.backends.log.frozen import REMEDY

        file = self._file("graph")
        if not file.exists():
            raise StoreError(f"{self._store.path} has no graph for these settings, and is read-only: {REMEDY}")
        try:
            return self._open(file, frozen=True)
        except StoreBusy:
            raise
        except StoreError as error:
            raise StoreError(f"{error.message}, and {self._store.path} is read-only: {REMEDY}") from error

    def mend_graph(self) -> bool:
        """If the graph file is missing or damaged, replace it by an empty one; return False if it is intact."""
        from graphmem.backends.graph import seal

        graph = cast("KuzuGraph", self._store.graph)
        lost = graph.lost()
        if lost:
            self.tell(lost)
            seal.delete_files(self._file("fresh"))
            graph.adopt(self._open(self._file("fresh")))
        return bool(lost)

    def tell(self, found: str) -> None:
        """Record what must be rebuilt, also for later `health` calls of other processes."""
        self.found.append(found)
        self._store.log.state.reach(MENDED + found, self._store.clock.now())

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> KuzuGraph:
        """Return an empty graph next to the current one, with part or all of the memory that the settings allow. The
        current graph is reopened for its readers. A `scratch` graph is in memory, for trials."""
        from graphmem.backends.graph import seal
        from graphmem.backends.graph.kuzu import KuzuGraph

        if scratch:
            return KuzuGraph(None, buffer_pool_mb=_SCRATCH, threads=1, own=self._store.settings.types)

        cast("KuzuGraph", self._store.graph).rest()
        seal.delete_files(self._file("fresh"))
        most = self._store.settings.graph.buffer_pool_mb
        return self._open(self._file("fresh"), most if roomy else min(most, _FRESH))

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Replace the current graph with a fresh one."""
        cast("KuzuGraph", self._store.graph).adopt(cast("KuzuGraph", fresh))

    def _file(self, name: str) -> Path:
        from graphmem.backends.graph.schema import schema_digest

        return self._store.path / f"{name}-{schema_digest(self._store.settings.types)}.kuzu"

    def _open(self, file: Path, buffer_mb: int = 0, *, frozen: bool = False) -> KuzuGraph:
        from graphmem.backends.graph.kuzu import KuzuGraph
        from graphmem.backends.graph.readers import ReadLimits

        chosen = self._store.settings
        reading = ReadLimits(chosen.graph.query_memory_mb, chosen.graph.query_result_mb)
        most = buffer_mb or chosen.graph.buffer_pool_mb
        return KuzuGraph(file, buffer_pool_mb=most, own=chosen.types, frozen=frozen, reading=reading)
