"""Handlers of the requests that maintain memory: memify, categories, verdicts."""

from __future__ import annotations

from typing import Any

from graphmem.context import StoreContext
from graphmem.evolution.approvals import decide_approval as decide_on_items
from graphmem.evolution.decisions import list_categories, record_verdict, run_memify, set_archived
from graphmem.model.reports import MemifyReport
from graphmem.model.table import Table
from graphmem.operations.evolution import Categories, DecideApproval, Judge, Memify, SetAside
from graphmem.operations.operation import Operation
from graphmem.ports.request import Progress


def memify(context: StoreContext, request: Memify, progress: Progress) -> MemifyReport:
    """Run `Memify`. Raises UsageError for an unknown trigger or pass."""
    return run_memify(context, trigger=request.trigger, passes=request.passes, force=request.force, progress=progress)


def categories(context: StoreContext, request: Categories, progress: Progress) -> Table:
    """Run `Categories`."""
    return list_categories(context, history=request.history)


def judge(context: StoreContext, request: Judge, progress: Progress) -> dict[str, str]:
    """Run `Judge`. Raises UsageError for an unknown verdict, NotFound for an unknown item."""
    return record_verdict(context, id=request.id, verdict=request.verdict, reason=request.reason)


def set_aside(context: StoreContext, request: SetAside, progress: Progress) -> dict[str, str]:
    """Run `SetAside`. Raises NotFound for an unknown item, UsageError for one that cannot be merged."""
    return set_archived(context, id=request.id, away=request.away, same_as=request.same_as)


def decide_approval(context: StoreContext, request: DecideApproval, progress: Progress) -> dict[str, Any]:
    """Run `DecideApproval`. Raises NotFound for an unknown item, UsageError if nothing waits for approval."""
    return decide_on_items(
        context, ids=request.ids, verdict=request.verdict, reason=request.reason, content=request.content
    )


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    Operation(Memify, memify, is_large=True),
    Operation(Categories, categories, is_reading=True),
    Operation(Judge, judge),
    Operation(SetAside, set_aside),
    Operation(DecideApproval, decide_approval),
)
