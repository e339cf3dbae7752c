"""What the graph says of items: importance, level, stage and status of nodes, wherever the priors of a run differ from those
before. Written in parts, since after a first run that is everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.memify.graduate import STAGES
from graphmem.model.changes import Changes, Node
from graphmem.ports.entries import CONTESTED, HIDDEN, UNIT, Priors

if TYPE_CHECKING:
    from graphmem.memify.desk import Desk

_STAGED = frozenset({"Fact", "Skill", "Pattern", "Gotcha", "Summary"})
_NO_STATUS = frozenset({"Task"})  # a task's status is its own
_BATCH = 20_000


def standing(desk: Desk) -> Iterator[Changes]:
    """The changes of nodes, label by label."""
    rows = desk.entries.rows
    now, was = _states(desk.priors, rows), _states(desk.before, rows)
    changed = (now != was).any(axis=0)
    restated = now[3] != was[3]
    for label, places in desk.labels():
        for status in (False, True):  # status apart: what is active may have one of its own, such as superseded
            chosen = places[changed[places] & ((restated[places] & (label not in _NO_STATUS)) == status)]
            for start in range(0, len(chosen), _BATCH):
                part = chosen[start : start + _BATCH]
                yield Changes(nodes=[_node(desk, label, int(place), now[:, place], status=status) for place in part])


def _states(priors: Priors, rows: np.ndarray) -> np.ndarray:
    """(importance in hundredths, level, stage, status) by item."""
    score = priors.importance[rows].astype(np.int64) * priors.retention[rows] // UNIT
    flags = priors.flags[rows]
    status = np.select([flags & HIDDEN > 0, flags & CONTESTED > 0], [2, 1], 0)
    return np.stack([score, priors.level[rows], priors.stage[rows], status])


def _node(desk: Desk, label: str, place: int, state: np.ndarray, *, status: bool) -> Node:
    score, level, stage, kind = state.tolist()
    properties: dict[str, Any] = {"importance": score / UNIT, "level": level}
    if label in _STAGED:
        properties["stage"] = STAGES[stage]
    if status:
        properties["status"] = ("active", "contested", "archived")[kind]
    return Node(label, desk.entries.ids[place], properties)
