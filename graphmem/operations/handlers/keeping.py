"""Handlers of the requests that remove, merge or export stored data."""

from __future__ import annotations

from typing import Any

from graphmem.context import StoreContext
from graphmem.evolution.entities import merge_entities as merge_two_entities
from graphmem.evolution.supersede import supersede as supersede_fact
from graphmem.export.export import export as write_export
from graphmem.forget.cascade import forget_matching
from graphmem.model.sources import ExchangeReport, ForgetReport
from graphmem.operations.keeping import Export, Forget, Merge, MergeEntities, Supersede
from graphmem.operations.operation import Operation
from graphmem.ports.request import Progress
from graphmem.sync.exchange import merge_log


def forget(context: StoreContext, request: Forget, progress: Progress) -> ForgetReport:
    """Run `Forget`. Raises NotFound if nothing matches."""
    return forget_matching(
        context,
        id=request.id,
        session=request.session,
        before=request.before,
        project=request.project,
        account=request.account,
        purge=request.purge,
        reason=request.reason,
        progress=progress,
    )


def supersede(context: StoreContext, request: Supersede, progress: Progress) -> str:
    """Run `Supersede`. Raises NotFound if either id is not a fact, UsageError if both are the same."""
    return supersede_fact(context, old=request.old, new=request.new, undo=request.undo)


def merge_entities(context: StoreContext, request: MergeEntities, progress: Progress) -> str:
    """Run `MergeEntities`. Raises NotFound for an unknown entity, UsageError if the two cannot be merged."""
    return merge_two_entities(
        context, merged=request.merged, kept=request.kept, reason=request.reason, undo=request.undo
    )


def merge(context: StoreContext, request: Merge, progress: Progress) -> ExchangeReport:
    """Run `Merge`. Raises NotFound for a missing file, or SourceError for a damaged one, in which case nothing changes."""
    return merge_log(context, request.path, progress, trust=request.trust, same_project=request.same_project)


def export(context: StoreContext, request: Export, progress: Progress) -> ExchangeReport:
    """Run `Export`. Raises UsageError for an unknown format or a path that cannot be written."""
    return write_export(context, request.path, request.format)


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation(Forget, forget),
    Operation(Supersede, supersede),
    Operation(MergeEntities, merge_entities),
    Operation(Merge, merge, is_large=True),
    Operation(Export, export, needs_index=False, is_reading=True),
)
