"""`process`: finish what a killed process had begun, then everything pending. Idempotent: a second run finds nothing
to do."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.cognify.triggers import trigger as stages_of
from graphmem.model.sources import ProcessReport
from graphmem.upkeep.catchup import catch_up
from graphmem.upkeep.parts import Parts
from graphmem.upkeep.rebuild import REBUILD, erase, rebuild


def process(
    parts: Parts, *, progress: Callable[[str, int], None] = lambda stage, count: None, trigger: str | None = None
) -> ProcessReport:
    """Bring everything up to the log; with a trigger, only the stages that it stands for (`cognify.triggers`). Raises
    StoreDamaged where the log lost its end, UsageError for an unknown trigger."""
    stages = stages_of(trigger)
    begun = parts.log.state.unfinished()
    if begun - {REBUILD}:
        erase(parts, progress)
    elif begun:
        return rebuild(parts, progress)
    return catch_up(parts, progress, stages)
