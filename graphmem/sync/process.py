"""`process`: completes interrupted work, then all pending work. Idempotent."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphmem.cognify.triggers import DAILY
from graphmem.cognify.triggers import stages_for as stages_of
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError
from graphmem.hooks.deliveries import record_waiting
from graphmem.ingest.capture import prune_snapshots
from graphmem.model.sources import ProcessReport
from graphmem.ports.backlog import PROJECTION
from graphmem.ports.log import FOLLOWED
from graphmem.sync.offenders import set_offenders_aside
from graphmem.sync.pipeline import catch_up, drop_empty_letters, drop_obsolete_letters, is_outdated
from graphmem.sync.rebuild import FOLLOW, REBUILD, erase_forgotten, follow_rewriting, rebuild_projections

Progress = Callable[[str, int], None]


def process_pending(
    context: StoreContext,
    *,
    progress: Progress = lambda stage, count: None,
    trigger: str | None = None,
    retry: bool = False,
) -> ProcessReport:
    """Bring everything up to date; with a trigger, only its stages (`cognify.triggers`); the daily trigger first prunes
    old snapshots. `retry` retries dead letters. Raises StoreDamaged if the log was truncated, UsageError for an unknown
    trigger."""
    stages = stages_of(trigger)
    if retry:
        context.backlog.revive()
        if context.backlog.let_go(PROJECTION):  # only a full replay puts an event at its place in the order
            context.log.state.begin_operation(REBUILD)
    if trigger == DAILY:
        prune_snapshots(context)
    return run_processing(context, stages, progress)


def run_processing(context: StoreContext, stages: Collection[str], progress: Progress) -> ProcessReport:
    """Run these derivation and conclusion stages. If the graph engine rejects an event, rebuild the graph without it.
    Raises StoreError if that is not the cause of the failure."""
    record_waiting(context)
    drop_empty_letters(context)
    try:
        return _run(context, stages, progress)
    except GraphmemError:
        raise
    except Exception as error:  # noqa: BLE001 - the engine, although all values were looked at
        set_offenders_aside(context, error)
    context.log.state.begin_operation(REBUILD)
    return rebuild_projections(context, progress)


def _run(context: StoreContext, stages: Collection[str], progress: Progress) -> ProcessReport:
    if position := context.log.rewritten_by_others():
        context.log.state.begin_operation(FOLLOW)
        context.log.state.save_watermark(FOLLOWED, position)
    begun = context.log.state.unfinished_operations()
    if FOLLOW in begun:
        follow_rewriting(context, progress)
        begun -= {FOLLOW, REBUILD}
    if begun - {REBUILD}:
        erase_forgotten(context, progress)
    elif is_outdated(context):
        drop_obsolete_letters(context)
        return rebuild_projections(context, progress)
    elif begun:
        return rebuild_projections(context, progress)
    return catch_up(context, progress, stages)
