"""What an answer to a hook needs of an open store. The graph is not among it: hooks must answer without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a hook that only records loads neither search nor tasks
    from graphmem.log.append import Recorder
    from graphmem.ports.clock import Clock
    from graphmem.retrieve.retriever import Retriever
    from graphmem.tasks.service import Tasks
    from graphmem.upkeep.parts import Log


class Host(Protocol):
    """An open store."""

    @property
    def path(self) -> Path: ...
    @property
    def project(self) -> str: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def log(self) -> Log: ...
    @property
    def recorder(self) -> Recorder: ...
    @property
    def retriever(self) -> Retriever: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def shared(self) -> Retriever | None: ...
