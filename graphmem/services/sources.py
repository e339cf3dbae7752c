"""Reads sources, command output, and a directory tree while it changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.ingest.capture import CaptureReport, capture
from graphmem.ingest.history import RecordedHeads, count_new
from graphmem.ingest.record import ingest_source
from graphmem.ingest.watch import watch_tree
from graphmem.log.stages import read_state
from graphmem.model.sources import IndexReport, IngestReport
from graphmem.operations.pipeline import Process, Project
from graphmem.operations.reading import FollowHistory, IndexCode
from graphmem.ports.request import Progress, quiet


class SourcesService:
    """The sources of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store
        self._heads = RecordedHeads(store.log)

    def ingest(self, source: str, target: Path, options: dict[str, Any], progress: Progress) -> IngestReport:
        """Record the items of a source that are not already known."""
        return ingest_source(self._store, source, target, options, progress, lambda: self._store.run(Process()))

    def capture(
        self,
        command: str | Sequence[str] | None,
        *,
        output: str | None,
        exit_code: int | None,
        cwd: str | None,
        session: str,
    ) -> CaptureReport:
        """Record the output of a command. Raises UsageError if both command and output are missing."""
        return capture(self._store, command, output=output, exit_code=exit_code, cwd=cwd, session=session)

    def watch(self, root: Path, stop: threading.Event | None) -> Iterator[tuple[list[str], IndexReport]]:
        """Index a tree, then each changed file. Yields the paths and the report of each batch."""
        self._store.run(IndexCode(root))
        return watch_tree(root, lambda changed: self._store.run(IndexCode(root, changed)), stop)

    def follow_history(self, most: int | None = None, *, exact: bool = False, progress: Progress = quiet) -> None:
        """Record commits that were made since the history was read last, and make them searchable. If there are more than
        `most`, they are left to the owner. With `exact`, git is asked where files do not say what is new."""
        if self._store.frozen:
            return
        behind = self._heads.find_behind(exact=exact)
        if most is not None:
            behind = [(root, known) for root, known in behind if count_new(root, known) <= most]
        state = read_state(str(self._store.path)) if behind else None
        is_importing = state is not None and state.is_pending  # `init` reads the history itself
        if behind and not is_importing and self._store.run(FollowHistory(), progress):
            self._store.run(Project(), progress)
