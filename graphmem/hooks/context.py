"""What hook logic needs of an open store. The graph is not included: hooks must answer without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from graphmem.log.recording import Recording

if TYPE_CHECKING:  # a hook that only records imports neither search nor tasks
    from graphmem.context import Log
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks


class HookContext(Recording, Protocol):
    """An open store."""

    @property
    def path(self) -> Path: ...
    @property
    def log(self) -> Log: ...
    @property
    def retriever(self) -> Retriever: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def shared(self) -> Retriever | None: ...
