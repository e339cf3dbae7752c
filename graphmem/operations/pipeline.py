"""Operations that update or rebuild derived data from the log."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.model.sources import ProcessReport, Projected
from graphmem.ports.request import Request


@dataclass(frozen=True)
class Process(Request[ProcessReport]):
    """Complete all pending work, or only the steps of a `trigger`; `retry` retries dead letters."""

    trigger: str | None = None
    retry: bool = False


@dataclass(frozen=True)
class Project(Request[Projected]):
    """Bring graph and index up to date with the log, without deriving anything. `projected`: the graph has all events up to
    this position; it is not opened if the later ones do not change it."""

    projected: int | None = None


@dataclass(frozen=True)
class Flush(Request[ProcessReport]):
    """Derive knowledge from new events; when no more events arrive (`idle`), also run the concluding steps."""

    idle: bool = False


@dataclass(frozen=True)
class Rebuild(Request[ProcessReport]):
    """Delete graph and index and rebuild them from the log. Without `accept_loss`, not if they contain what the log lost."""

    accept_loss: bool = False


@dataclass(frozen=True)
class ReleaseMemory(Request[None]):
    """Release memory that is not in use, or only that of the graph (`only_graph`); it is reloaded on demand."""

    only_graph: bool = False
