"""Makes the projections of a store anew, or drops what is damaged of them, and notes what was found broken. It names the
backends of what can be made again; the log is never touched here."""

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
_INDEXED = "tree_indexed"  # events of trees whose facts lie there
_SCRATCH = 64  # MB of buffer of a graph in which something is tried
_FRESH = 256  # MB of buffer with which a graph is made anew: it takes whatever it is given


class ProjectionRepair:
    """Makes the projections of a store anew: the index is emptied in place, which all its readers see; the graph is made
    beside the old one and then takes its place."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.found: list[str] = []  # what was broken and therefore made again
        self._folding: subprocess.Popen[bytes] | None = None

    def problems(self) -> list[str]:
        """What is wrong with the files that can be made again, one sentence each."""
        from graphmem.backends.log.chain import file_problems
        from graphmem.backends.vectors.noted import index_problems

        found = [*index_problems(self._store.path / INDEX), *file_problems(self._store.path / CODE, "code")]
        return found + [CODE_GONE] * self._code_gone()

    def _code_gone(self) -> bool:
        with contextlib.suppress(GraphmemError):
            return bool(self._store.log.state.last(_INDEXED)) and self._store.facts.empty()
        return False  # it cannot be read, which is said elsewhere

    def drop_damaged(self) -> None:
        """Delete what holds only copies and is damaged: the facts of the code."""
        from graphmem.backends.log.chain import file_problems

        problems = file_problems(self._store.path / CODE, "code") or [CODE_GONE] * self._code_gone()
        if problems:
            for problem in problems:
                self.tell(problem)
            self._store.release_facts()
            self._unlink(CODE)

    def clear_index(self) -> None:
        """Empty the index for a replay, and delete the files that copy it; a damaged one is deleted itself."""
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
        """The index, written by another process meanwhile; without one, nothing is lost but time."""
        from graphmem.backends.remote import client
        from graphmem.store.remote_index import index_beside

        return index_beside(self._store.text, client.start_worker("fill", self._store.path))

    @contextlib.contextmanager
    def tree_beside(self) -> Iterator[None]:
        """Another process folds the memory tree meanwhile, where every turn was sensed and no file has it."""
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
        """What another process made of a run of memify; None where it is to be done here."""
        from graphmem.store.remote_index import run_memify_worker

        return run_memify_worker(self._store, wanted, progress)

    def drop_tree(self) -> None:
        """Have all turns sensed again that lack it, and the memory tree folded."""
        from graphmem.tree import kept
        from graphmem.tree.sensor import STEP

        kept.delete_forest(self._store.path)
        self._store.log.state.reach(STEP, 0)

    def folded_tree(self) -> Any:
        """The memory tree as the other process folded it, once; None where there is none. Room is made for it first."""
        from graphmem.backends.freed import trim_heap
        from graphmem.tree import kept

        trim_heap()
        helper, self._folding = self._folding, None
        if helper is None or helper.stdout is None or not helper.stdout.read(1):  # it died
            return None
        tree = kept.load_forest(self._store.path, self._store.log)
        if tree is not None:
            tree.kept = 0  # what the projections are told is still to be written with it
        return tree

    def sweep_index(self) -> None:
        """Drop vectors that no item needs any more."""
        self._store.text.sweep()

    def purge_index(self) -> None:
        """Leave no trace of removed items. Raises StoreError while a reader holds old pages."""
        from graphmem.tree import kept

        kept.delete_forest(self._store.path)
        self._store.text.purge()
        for path in (
            *self._store.path.glob("owner.log*"),
            *self._store.path.parent.glob(f".{self._store.path.name}.moving"),
        ):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(b"")  # an owner that writes to it goes on

    def open_graph(self, *, frozen: bool = False) -> KuzuGraph:
        """The graph of the store. One of another schema, or that cannot be trusted, is dropped; where nothing can be written it
        is only read, and those are refused."""
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
        """The graph of a store that nobody can write to, as it was left. Raises StoreError where it cannot be read so."""
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
        """Where the file of the graph went away or was damaged, put an empty one in its place; False where it is there."""
        from graphmem.backends.graph import seal

        graph = cast("KuzuGraph", self._store.graph)
        lost = graph.lost()
        if lost:
            self.tell(lost)
            seal.delete_files(self._file("fresh"))
            graph.adopt(self._open(self._file("fresh")))
        return bool(lost)

    def tell(self, found: str) -> None:
        """Note what has to be made again: also for others, who ask later."""
        self.found.append(found)
        self._store.log.state.reach(MENDED + found, self._store.clock.now())

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> KuzuGraph:
        """An empty graph beside the one in use, with a part of the memory that the settings allow, or all of it. The one in
        use is opened again for whoever asks it meanwhile. A `scratch` one lies in memory, to try something."""
        from graphmem.backends.graph import seal
        from graphmem.backends.graph.kuzu import KuzuGraph

        if scratch:
            return KuzuGraph(None, buffer_pool_mb=_SCRATCH, threads=1, own=self._store.settings.types)

        cast("KuzuGraph", self._store.graph).rest()
        seal.delete_files(self._file("fresh"))
        most = self._store.settings.graph.buffer_pool_mb
        return self._open(self._file("fresh"), most if roomy else min(most, _FRESH))

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Put a fresh graph in the place of the one in use."""
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
