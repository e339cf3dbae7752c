"""`process`: finish what a killed process had begun, then everything pending. Idempotent: a second run finds nothing
to do."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphmem.cognify.triggers import DAILY
from graphmem.cognify.triggers import trigger as stages_of
from graphmem.context import StoreContext
from graphmem.ingest.capture import prune
from graphmem.model.sources import ProcessReport
from graphmem.sync.pipeline import catch_up, let_go_of_others, outdated
from graphmem.sync.rebuild import REBUILD, erase, rebuild

Progress = Callable[[str, int], None]


def process(
    context: StoreContext,
    *,
    progress: Progress = lambda stage, count: None,
    trigger: str | None = None,
    retry: bool = False,
) -> ProcessReport:
    """Bring everything up to the log; with a trigger, only the stages that it stands for (`cognify.triggers`), and with
    that of the daily batch old snapshots go first. `retry` tries again what the steps had given up. Raises StoreDamaged
    where the log lost its end, UsageError for an unknown trigger."""
    stages = stages_of(trigger)
    if retry:
        context.backlog.revive()
    if trigger == DAILY:
        prune(context)
    return run(context, stages, progress)


def run(context: StoreContext, stages: Collection[str], progress: Progress) -> ProcessReport:
    """Bring everything up to the log, deriving and concluding these stages."""
    begun = context.log.state.unfinished()
    if begun - {REBUILD}:
        erase(context, progress)
    elif outdated(context):
        let_go_of_others(context)
        return rebuild(context, progress)
    elif begun:
        return rebuild(context, progress)
    return catch_up(context, progress, stages)
