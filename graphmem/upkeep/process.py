"""`process`: finish what a killed process had begun, then everything pending. Idempotent: a second run finds nothing
to do."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphmem.cognify.triggers import DAILY
from graphmem.cognify.triggers import trigger as stages_of
from graphmem.model.sources import ProcessReport
from graphmem.upkeep.capture import prune
from graphmem.upkeep.catchup import catch_up, let_go_of_others, outdated
from graphmem.upkeep.parts import Parts
from graphmem.upkeep.rebuild import REBUILD, erase, rebuild

Progress = Callable[[str, int], None]


def process(
    parts: Parts,
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
        parts.backlog.revive()
    if trigger == DAILY:
        prune(parts)
    return run(parts, stages, progress)


def run(parts: Parts, stages: Collection[str], progress: Progress) -> ProcessReport:
    """Bring everything up to the log, deriving and concluding these stages."""
    begun = parts.log.state.unfinished()
    if begun - {REBUILD}:
        erase(parts, progress)
    elif outdated(parts):
        let_go_of_others(parts)
        return rebuild(parts, progress)
    elif begun:
        return rebuild(parts, progress)
    return catch_up(parts, progress, stages)
