"""Operations that bring everything derived up to the log, or make it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmem.ports.request import Progress, Request

if TYPE_CHECKING:
    from graphmem.context import StoreContext
    from graphmem.model.sources import ProcessReport, Projected


@dataclass(frozen=True)
class Process(Request["ProcessReport"]):
    """Do everything pending. With a `trigger`, only what it stands for; `retry` tries again what the steps gave up."""

    trigger: str | None = None
    retry: bool = False


def process(context: StoreContext, request: Process, progress: Progress) -> ProcessReport:
    """Run `Process`. Raises UsageError for an unknown trigger, StoreDamaged where the log lost its end."""
    from graphmem.sync.process import process_pending

    return process_pending(context, progress=progress, trigger=request.trigger, retry=request.retry)


@dataclass(frozen=True)
class Project(Request["Projected"]):
    """Bring graph and index up to the log, and derive nothing."""


def project(context: StoreContext, request: Project, progress: Progress) -> Projected:
    """Run `Project`."""
    from graphmem.sync.pipeline import project_pending

    return project_pending(context, progress)


@dataclass(frozen=True)
class Flush(Request["ProcessReport"]):
    """Derive from what is new; where nothing comes any more (`idle`), draw every conclusion, too."""

    idle: bool = False


def flush(context: StoreContext, request: Flush, progress: Progress) -> ProcessReport:
    """Run `Flush`."""
    from graphmem.sync.flush import flush_window

    return flush_window(context, idle=request.idle, progress=progress)


@dataclass(frozen=True)
class Rebuild(Request["ProcessReport"]):
    """Throw away graph and index, and make them again from the log."""


def rebuild(context: StoreContext, request: Rebuild, progress: Progress) -> ProcessReport:
    """Run `Rebuild`. Raises StoreDamaged for a damaged log, before anything was touched."""
    from graphmem.sync.rebuild import rebuild_projections

    return rebuild_projections(context, progress)


@dataclass(frozen=True)
class Rest(Request[None]):
    """Give back the memory of what nobody asks for now; it comes back when it is asked for."""


def rest(context: StoreContext, request: Rest, progress: Progress) -> None:
    """Run `Rest`."""
    context.release_memory()
