"""`process`: finish what a killed process had begun, then everything pending. Idempotent: a second run finds nothing
to do."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import cast

from graphmem.cognify.triggers import DAILY
from graphmem.cognify.triggers import trigger as stages_of
from graphmem.context import StoreContext
from graphmem.errors import GraphmemError
from graphmem.hooks.context import HookContext
from graphmem.hooks.deliveries import take_in
from graphmem.ingest.capture import prune_snapshots
from graphmem.model.sources import ProcessReport
from graphmem.ports.backlog import PROJECTION
from graphmem.sync.offenders import set_offenders_aside
from graphmem.sync.pipeline import catch_up, drop_obsolete_letters, is_outdated
from graphmem.sync.rebuild import REBUILD, erase_forgotten, rebuild_projections

Progress = Callable[[str, int], None]


def process_pending(
    context: StoreContext,
    *,
    progress: Progress = lambda stage, count: None,
    trigger: str | None = None,
    retry: bool = False,
) -> ProcessReport:
    """Bring everything up to the log; with a trigger, only the stages that it stands for (`cognify.triggers`), and with
    that of the daily batch old snapshots go first. `retry` tries again what steps had given up and projections had set
    aside. Raises StoreDamaged
    where the log lost its end, UsageError for an unknown trigger."""
    stages = stages_of(trigger)
    if retry:
        context.backlog.revive()
        if context.backlog.let_go(PROJECTION):  # an event takes its place among the others only in a replay of all
            context.log.state.begin(REBUILD)
    if trigger == DAILY:
        prune_snapshots(context)
    return run_stages(context, stages, progress)


def run_stages(context: StoreContext, stages: Collection[str], progress: Progress) -> ProcessReport:
    """Bring everything up to the log, deriving and concluding these stages. Where the engine of the graph refuses
    an event, the graph is made anew without it. Raises StoreError where that is not why it failed."""
    take_in(cast(HookContext, context))
    try:
        return _run(context, stages, progress)
    except GraphmemError:
        raise
    except Exception as error:  # noqa: BLE001 - the engine, although all values were looked at
        set_offenders_aside(context, error)
    context.log.state.begin(REBUILD)
    return rebuild_projections(context, progress)


def _run(context: StoreContext, stages: Collection[str], progress: Progress) -> ProcessReport:
    begun = context.log.state.unfinished()
    if begun - {REBUILD}:
        erase_forgotten(context, progress)
    elif is_outdated(context):
        drop_obsolete_letters(context)
        return rebuild_projections(context, progress)
    elif begun:
        return rebuild_projections(context, progress)
    return catch_up(context, progress, stages)
