"""Makes the projections of a store anew, or drops what is damaged of them, and notes what was found broken. It names the
backends of what can be made again; the log is never touched here."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from graphmem.backends.freed import trim_heap
from graphmem.backends.log.chain import file_problems
from graphmem.backends.remote import client
from graphmem.backends.vectors.noted import drop_copies, index_problems
from graphmem.context import StoreContext, Text
from graphmem.errors import GraphmemError, StoreError
from graphmem.model.reports import MemifyReport
from graphmem.ports.graph import GraphStore, OwnedGraph
from graphmem.store import remote_index
from graphmem.store.files import CODE, INDEX
from graphmem.tree import kept
from graphmem.tree.forest import Forest
from graphmem.tree.sensor import STEP

if TYPE_CHECKING:
    from graphmem.store.graph_files import GraphFiles
    from graphmem.store.retrieval import SearchIndex

CODE_GONE = "code: what was read of the code is gone"
_INDEXED = "tree_indexed"  # events of trees whose facts lie there


class ProjectionRepair:
    """Makes the projections of a store anew: the index is emptied in place, which all its readers see; the graph is made
    beside the old one and then takes its place."""

    def __init__(
        self,
        store: StoreContext,
        graph: Callable[[], OwnedGraph],
        files: Callable[[], GraphFiles],
        index: Callable[[], SearchIndex],
        *,
        release_facts: Callable[[], None],
        is_daemon: Callable[[], bool],
    ) -> None:
        self._store = store
        self._graph = graph  # the one in use, which this process owns
        self._files, self._index = files, index
        self._release_facts = release_facts
        self._is_daemon = is_daemon
        self._folding: subprocess.Popen[bytes] | None = None

    @property
    def found(self) -> list[str]:
        """What was broken and therefore made again."""
        return self._files().found

    def problems(self) -> list[str]:
        """What is wrong with the files that can be made again, one sentence each."""
        found = [*index_problems(self._store.path / INDEX), *file_problems(self._store.path / CODE, "code")]
        return found + [CODE_GONE] * self._code_gone()

    def _code_gone(self) -> bool:
        with contextlib.suppress(GraphmemError):
            return bool(self._store.log.state.last(_INDEXED)) and self._store.facts.empty()
        return False  # it cannot be read, which is said elsewhere

    def drop_damaged(self) -> None:
        """Delete what holds only copies and is damaged: the facts of the code."""
        problems = file_problems(self._store.path / CODE, "code") or [CODE_GONE] * self._code_gone()
        if problems:
            for problem in problems:
                self.tell(problem)
            self._release_facts()
            self._unlink(CODE)

    def clear_index(self) -> None:
        """Empty the index for a replay, and delete the files that copy it; a damaged one is deleted itself."""
        drop_copies(self._store.path)
        try:
            problems = index_problems(self._store.path / INDEX)
            if not problems:
                self._index().text.clear()
        except StoreError as error:
            problems = [error.message]
        if problems:
            for problem in problems:
                self.tell(problem)
            self._index().release()
            self._unlink(INDEX)

    def _unlink(self, name: str) -> None:
        for each in (name, f"{name}-wal", f"{name}-shm", f"{name}.sums"):
            (self._store.path / each).unlink(missing_ok=True)

    def index_beside(self) -> AbstractContextManager[Text]:
        """The index, written by another process meanwhile; without one, nothing is lost but time."""
        return remote_index.index_beside(self._store.text, client.start_worker("fill", self._store.path))

    @contextlib.contextmanager
    def tree_beside(self) -> Iterator[None]:
        """Another process folds the memory tree meanwhile, where every turn was sensed and no file has it."""
        log, path = self._store.log, self._store.path
        useful = log.state.reached(STEP) and not kept.is_valid(path, log)
        helper = client.start_worker("fold", path) if useful else None
        if helper is None:
            yield
            return
        with remote_index.terminate_worker(helper):
            self._folding = helper
            try:
                yield
            finally:
                self._folding = None

    def evolved(self, wanted: dict[str, Any], progress: Callable[[str, int], None]) -> MemifyReport | None:
        """What another process made of a run of memify; None where it is to be done here. A daemon stays for hours, and would
        hold on to much of what a run takes."""
        if not self._is_daemon():
            return None
        return remote_index.run_memify_worker(
            self._store.path, self._store.project, self._store.log.head(), wanted, progress
        )

    def drop_tree(self) -> None:
        """Have all turns sensed again that lack it, and the memory tree folded."""
        kept.delete_forest(self._store.path)
        self._store.log.state.reach(STEP, 0)

    def folded_tree(self) -> Forest | None:
        """The memory tree as the other process folded it, once; None where there is none. Room is made for it first."""
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
        self._index().text.sweep()

    def purge_index(self) -> None:
        """Leave no trace of removed items. Raises StoreError while a reader holds old pages."""
        kept.delete_forest(self._store.path)
        self._index().text.purge()
        for path in (
            *self._store.path.glob("owner.log*"),
            *self._store.path.parent.glob(f".{self._store.path.name}.moving"),
        ):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(b"")  # an owner that writes to it goes on

    def tell(self, found: str) -> None:
        """Note what has to be made again: also for others, who ask later."""
        self._files().tell(found)

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> OwnedGraph:
        """An empty graph beside the one in use, with a part of the memory that the settings allow, or all of it; a `scratch`
        one lies in memory, to try something."""
        return self._files().make_scratch() if scratch else self._files().make_fresh(self._graph(), roomy)

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Put a fresh graph in the place of the one in use."""
        self._graph().adopt(fresh)
