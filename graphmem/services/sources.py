"""Reads sources, command output, and a directory tree while it changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from graphmem.context import StoreContext
from graphmem.ingest.capture import CaptureReport, capture
from graphmem.ingest.record import ingest_source
from graphmem.ingest.watch import watch_tree
from graphmem.model.sources import IndexReport, IngestReport
from graphmem.operations.pipeline import Process
from graphmem.operations.reading import IndexCode
from graphmem.ports.request import Progress


class SourcesService:
    """The sources of one store."""

    def __init__(self, store: StoreContext) -> None:
        self._store = store

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
