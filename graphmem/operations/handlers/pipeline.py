"""Handlers of the requests that update or rebuild the projections of the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmem.context import StoreContext
from graphmem.errors import GraphmemError
from graphmem.model.sources import ProcessReport, Projected
from graphmem.operations.operation import Operation
from graphmem.operations.pipeline import Flush, Process, Project, Rebuild, ReleaseMemory
from graphmem.ports.request import Progress
from graphmem.projections.lineage import check_lineage
from graphmem.sync.flush import flush_window
from graphmem.sync.pipeline import project_pending
from graphmem.sync.process import process_pending
from graphmem.sync.rebuild import rebuild_projections


def process(context: StoreContext, request: Process, progress: Progress) -> ProcessReport:
    """Run `Process`. Raises UsageError for an unknown trigger, StoreDamaged if the end of the log is missing."""
    return process_pending(context, progress=progress, trigger=request.trigger, retry=request.retry)


def project(context: StoreContext, request: Project, progress: Progress) -> Projected:
    """Run `Project`."""
    return project_pending(context, progress, projected=request.projected)


def flush(context: StoreContext, request: Flush, progress: Progress) -> ProcessReport:
    """Run `Flush`."""
    return flush_window(context, idle=request.idle, progress=progress)


def rebuild(context: StoreContext, request: Rebuild, progress: Progress) -> ProcessReport:
    """Run `Rebuild`. Raises StoreDamaged for a damaged log, and unless the loss is accepted, for one that lost what the index
    contains; both before anything is changed."""
    if not request.accept_loss and not context.log.state.unfinished_operations():
        check_lineage(context.log.state, _readable_cursors(context))
    return rebuild_projections(context, progress)


def _readable_cursors(context: StoreContext) -> Mapping[str, int]:
    """Return the cursors of the index; none if it is damaged, which the rebuild repairs."""
    try:
        return context.text.cursors()
    except GraphmemError:
        return {}


def release_memory(context: StoreContext, request: ReleaseMemory, progress: Progress) -> None:
    """Run `ReleaseMemory`."""
    context.release_memory(only_graph=request.only_graph)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation(Process, process, is_large=True, fills_index=True, is_whole=True),
    Operation(Project, project, fills_index=True),
    Operation(Flush, flush, is_large=True, fills_index=True, is_whole=True),
    Operation(Rebuild, rebuild, is_large=True, needs_index=False, is_whole=True),
    Operation(ReleaseMemory, release_memory, is_large=True),
)
