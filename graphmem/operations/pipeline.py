"""Operations that update or rebuild derived data from the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext
    from graphmem.model.sources import ProcessReport, Projected


@dataclass(frozen=True)
class Process(Request["ProcessReport"]):
    """Complete all pending work, or only the steps of a `trigger`; `retry` retries dead letters."""

    trigger: str | None = None
    retry: bool = False


def process(context: StoreContext, request: Process, progress: Progress) -> ProcessReport:
    """Run `Process`. Raises UsageError for an unknown trigger, StoreDamaged if the log was truncated."""
    from graphmem.sync.process import process_pending

    return process_pending(context, progress=progress, trigger=request.trigger, retry=request.retry)


@dataclass(frozen=True)
class Project(Request["Projected"]):
    """Bring graph and index up to date with the log, without deriving anything."""


def project(context: StoreContext, request: Project, progress: Progress) -> Projected:
    """Run `Project`."""
    from graphmem.sync.pipeline import project_pending

    return project_pending(context, progress)


@dataclass(frozen=True)
class Flush(Request["ProcessReport"]):
    """Derive knowledge from new events; when no more events arrive (`idle`), also run the concluding steps."""

    idle: bool = False


def flush(context: StoreContext, request: Flush, progress: Progress) -> ProcessReport:
    """Run `Flush`."""
    from graphmem.sync.flush import flush_window

    return flush_window(context, idle=request.idle, progress=progress)


@dataclass(frozen=True)
class Rebuild(Request["ProcessReport"]):
    """Delete graph and index and rebuild them from the log."""


def rebuild(context: StoreContext, request: Rebuild, progress: Progress) -> ProcessReport:
    """Run `Rebuild`. Raises StoreDamaged for a damaged log, before anything is changed."""
    from graphmem.sync.rebuild import rebuild_projections

    return rebuild_projections(context, progress)


@dataclass(frozen=True)
class Rest(Request[None]):
    """Release memory that is not in use; it is reloaded on demand."""


def rest(context: StoreContext, request: Rest, progress: Progress) -> None:
    """Run `Rest`."""
    context.release_memory()
