"""Rebuilds projections, drops damaged ones, and records what was damaged. It names the backends of everything that can be
rebuilt; the log is never touched here."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.backends.freed import trim_heap
from graphmem.backends.log.chain import file_problems, told_by_sqlite
from graphmem.backends.remote import client
from graphmem.backends.text.fts5 import open_index
from graphmem.backends.text.pages import Pages
from graphmem.backends.vectors.vector_cache_files import damaged_files, delete_cache_files
from graphmem.context import StoreContext, Text
from graphmem.errors import GraphmemError, StoreError, message_of
from graphmem.model.reports import MemifyReport
from graphmem.ports.graph import GraphStore, OwnedGraph
from graphmem.store import remote_index
from graphmem.store.deriving import DerivationWorker
from graphmem.store.files import CODE, INDEX
from graphmem.tree import forest_cache
from graphmem.tree.forest import Forest
from graphmem.tree.sensor import STEP

if TYPE_CHECKING:
    from graphmem.store.graph_files import GraphFiles
    from graphmem.store.retrieval import SearchIndex

CODE_GONE = "code: the saved code index is missing"
_INDEXED = "tree_indexed"  # events of trees whose parsed facts are stored there


def check_index(path: Path) -> list[str]:
    """Check an index and its vector cache files completely; return one sentence for each problem."""
    if not path.exists():
        return []
    try:
        with closing(open_index(path)) as db:
            found = told_by_sqlite(db, "quick_check(5)")
            damaged = damaged_files(db, path.parent)
            return [
                *(f"index: {problem}" for problem in (Pages.of(path).problem(), *found) if problem),
                *(f"vectors: {file.name} is damaged and was ignored" for file in damaged),
            ]
    except (sqlite3.Error, StoreError, OSError) as error:
        return [f"index: {message_of(error)}"]


class ProjectionRepair:
    """Rebuilds the projections of a store. The index is emptied in place, visible to all readers; the graph is built next
    to the old one and then replaces it."""

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
        self._deriver = DerivationWorker(store.path, lambda: store.project)

    @property
    def deriver(self) -> DerivationWorker | None:
        """Return the worker process that derives knowledge from events; None in a program with other tasks, which does it
        itself."""
        return self._deriver if self._is_daemon() else None

    def close(self) -> None:
        """End the worker that derives. The next use starts it again."""
        self._deriver.close()

    @property
    def damage(self) -> list[str]:
        """Return what was damaged and therefore rebuilt."""
        return self._files().damage

    def problems(self) -> list[str]:
        """Return problems of the files that can be rebuilt, one sentence each."""
        found = [*check_index(self._store.path / INDEX), *file_problems(self._store.path / CODE, "code")]
        return found + [CODE_GONE] * self._code_gone()

    def _code_gone(self) -> bool:
        with contextlib.suppress(GraphmemError):
            return bool(self._store.log.state.last_position(_INDEXED)) and self._store.facts.empty()
        return False  # unreadable files are reported elsewhere

    def drop_damaged(self) -> None:
        """Delete damaged caches: the parsed code facts."""
        problems = file_problems(self._store.path / CODE, "code") or [CODE_GONE] * self._code_gone()
        if problems:
            for problem in problems:
                self.note_damage(problem)
            self._release_facts()
            self._unlink(CODE)

    def clear_index(self) -> None:
        """Empty the index for a replay, and delete files copied from it; a damaged index is deleted."""
        delete_cache_files(self._store.path)
        try:
            problems = check_index(self._store.path / INDEX)
            if not problems:
                self._index().text.clear()
        except StoreError as error:
            problems = [error.message]
        if problems:
            for problem in problems:
                self.note_damage(problem)
            self._index().release()
            self._unlink(INDEX)

    def _unlink(self, name: str) -> None:
        for each in (name, f"{name}-wal", f"{name}-shm", f"{name}.sums"):
            (self._store.path / each).unlink(missing_ok=True)

    def index_beside(self) -> AbstractContextManager[Text]:
        """Return a context in which another process writes the index; if that process fails, only time is lost."""
        return remote_index.index_beside(self._store.text, client.start_worker("fill", self._store.path))

    @contextlib.contextmanager
    def tree_beside(self) -> Iterator[None]:
        """Build the memory tree in another process, if all turns have been sensed and no file contains it."""
        log, path = self._store.log, self._store.path
        useful = log.state.watermark(STEP) and not forest_cache.is_valid(path, log)
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
        """Return the result of a memify run in another process; None if it must run in this one. A long-lived owner would
        keep much of the memory that a run takes."""
        if not self._is_daemon():
            return None
        return remote_index.run_memify_worker(
            self._store.path, self._store.project, self._store.log.head(), wanted, progress
        )

    def drop_tree(self) -> None:
        """Re-run the sensor on turns without a result, then rebuild the memory tree."""
        forest_cache.delete_forest(self._store.path)
        self._store.log.state.save_watermark(STEP, 0)

    def folded_tree(self) -> Forest | None:
        """Return the memory tree built by the other process, once; None if there is none. Memory for it is freed first."""
        trim_heap()
        helper, self._folding = self._folding, None
        if helper is None or helper.stdout is None or not helper.stdout.read(1):  # it died
            return None
        tree = forest_cache.load_forest(self._store.path, self._store.log)
        if tree is not None:
            tree.kept = 0  # projections still have to be written with it
        return tree

    def sweep_index(self) -> None:
        """Delete vectors that no item needs."""
        self._index().text.sweep()

    def purge_index(self) -> None:
        """Erase all traces of removed items. Raises StoreError while a reader holds old pages."""
        forest_cache.delete_forest(self._store.path)
        self._index().text.purge()
        for path in (
            *self._store.path.glob("owner.log*"),
            *self._store.path.parent.glob(f".{self._store.path.name}.moving"),
        ):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(b"")  # an owner that writes to it continues

    def note_damage(self, found: str) -> None:
        """Record what must be rebuilt, also for later `health` calls of other processes."""
        self._files().note_damage(found)

    def fresh_graph(self, roomy: bool, *, scratch: bool = False) -> OwnedGraph:
        """Return an empty graph next to the current one, with part or all of the memory that the settings allow. A
        `scratch` graph is in memory, for trials."""
        return self._files().make_scratch() if scratch else self._files().make_fresh(self._graph(), roomy)

    def adopt_graph(self, fresh: GraphStore) -> None:
        """Replace the current graph with a fresh one."""
        self._graph().adopt(fresh)
