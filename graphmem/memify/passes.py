"""The table of passes in order, and the passes of each trigger. A pass reads the context and sets columns of the priors
or adds graph changes. A new pass is one module and one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from graphmem.errors import UsageError
from graphmem.memify.categories import update_categories
from graphmem.memify.communities import update_communities
from graphmem.memify.conflicts import lower_contested
from graphmem.memify.consolidate import mark_duplicates
from graphmem.memify.graduate import update_levels
from graphmem.memify.insights import update_insights
from graphmem.memify.run_context import RunContext
from graphmem.memify.runs import NAMES
from graphmem.memify.weigh import update_associations, update_decay, update_importance


class Pass(NamedTuple):
    """A pass: its name, function, and the passes whose columns it reads."""

    name: str
    run: Callable[[RunContext], None]
    needs: tuple[str, ...] = ()


PASSES = (
    Pass("consolidation", mark_duplicates),
    Pass("importance", update_importance),
    Pass("decay", update_decay),
    Pass("conflicts", lower_contested, ("consolidation", "decay")),
    Pass("graduation", update_levels, ("conflicts",)),
    Pass("association", update_associations),
    Pass("categories", update_categories, ("consolidation", "decay")),
    Pass("communities", update_communities, ("consolidation", "decay")),
    Pass("insights", update_insights, ("consolidation", "decay")),
)
# Passes that quote items, or depend on searchable items: they run again after forgetting or manual archiving.
TELLING = ("conflicts", "graduation", "communities", "insights")
_QUICK = ("consolidation", "importance", "decay", "conflicts", "graduation", "association")
TRIGGERS: dict[str, tuple[str, ...]] = {"daily": NAMES, "task_completion": _QUICK, "session_end": _QUICK}


def select_passes(trigger: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the passes of a trigger, or the named ones with their dependencies, in order. Raises UsageError for an
    unknown one."""
    if trigger not in TRIGGERS:
        raise UsageError(f"there is no trigger `{trigger}`: choose one of {', '.join(TRIGGERS)}", trigger=trigger)
    if not names:
        return TRIGGERS[trigger]
    wanted = set(names)
    if unknown := sorted(wanted - set(NAMES)):
        raise UsageError(f"there is no pass `{unknown[0]}`: choose from {', '.join(NAMES)}", passes=unknown)
    for one in reversed(PASSES):
        if one.name in wanted:
            wanted |= set(one.needs)
    return tuple(name for name in NAMES if name in wanted)


def run_passes(context: RunContext, names: Iterable[str]) -> None:
    """Run these passes in order."""
    wanted = set(names)
    for one in PASSES:
        if one.name in wanted:
            one.run(context)
