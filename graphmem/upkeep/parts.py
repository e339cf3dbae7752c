"""What the use cases of this layer need of a store, so that they take one argument and still name no backend."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from graphmem.codegraph.build import Index
from graphmem.log.append import Recorder
from graphmem.ports.clock import Clock
from graphmem.ports.embedder import Embedder
from graphmem.ports.facts import FactsCache
from graphmem.ports.graph import GraphStore
from graphmem.ports.log import Blobs, Derivations, Erasure, EventLog, Exchange
from graphmem.ports.text import TextIndex
from graphmem.ports.vectors import Outbox
from graphmem.settings import Settings


class Log(EventLog, Derivations, Erasure, Blobs, Exchange, Protocol):
    """The log with all that lies in its file."""

    def verify(self) -> list[str]:
        """Everything that is wrong with the file, one sentence each."""
        ...


class Parts(Protocol):
    """An open store."""

    @property
    def path(self) -> Path: ...
    @property
    def project(self) -> str: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def log(self) -> Log: ...
    @property
    def recorder(self) -> Recorder: ...
    @property
    def text(self) -> TextIndex: ...
    @property
    def outbox(self) -> Outbox | None: ...
    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def graph(self) -> GraphStore: ...
    @property
    def facts(self) -> FactsCache: ...

    @property
    def indexes(self) -> dict[str, tuple[Index, int]]:
        """Code indexes by root, with the position of the event of their state."""
        ...

    def drop_projections(self) -> None:
        """Close and delete everything that can be made again from the log."""
        ...
