"""The passes in one tuple, in their order, and which of them a trigger stands for. A pass reads the desk and sets columns of
the priors or leaves changes for the graph; adding one is a file and a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from graphmem.errors import UsageError
from graphmem.memify.categories import categorise
from graphmem.memify.communities import commune
from graphmem.memify.conflicts import contest
from graphmem.memify.consolidate import consolidate
from graphmem.memify.desk import Desk
from graphmem.memify.graduate import graduate
from graphmem.memify.insights import conclude
from graphmem.memify.weigh import associate, decay, weigh


class Pass(NamedTuple):
    """A pass: its name, what it does, and the passes whose columns it reads."""

    name: str
    run: Callable[[Desk], None]
    needs: tuple[str, ...] = ()


PASSES = (
    Pass("consolidation", consolidate),
    Pass("importance", weigh),
    Pass("decay", decay),
    Pass("conflicts", contest, ("consolidation", "decay")),
    Pass("graduation", graduate, ("conflicts",)),
    Pass("association", associate),
    Pass("categories", categorise, ("consolidation", "decay")),
    Pass("communities", commune, ("consolidation", "decay")),
    Pass("insights", conclude, ("consolidation", "decay")),
)
NAMES = tuple(one.name for one in PASSES)
# Passes that quote items, or look at what can be found: they run again when something was forgotten or put away by hand.
TELLING = ("conflicts", "graduation", "communities", "insights")
_QUICK = ("consolidation", "importance", "decay", "conflicts", "graduation", "association")
TRIGGERS: dict[str, tuple[str, ...]] = {"daily": NAMES, "task_completion": _QUICK, "session_end": _QUICK}


def chosen(trigger: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """The passes of a trigger, or those named with what they need, in their order. Raises UsageError for an unknown one."""
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


def perform(desk: Desk, names: Iterable[str]) -> None:
    """Run these passes in their order."""
    wanted = set(names)
    for one in PASSES:
        if one.name in wanted:
            one.run(desk)
