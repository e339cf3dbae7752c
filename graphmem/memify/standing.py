"""Writes importance, level, stage and status of nodes wherever the priors of a run differ from those before. In parts,
because the first run changes everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.memify.graduate import STAGES
from graphmem.model.changes import Changes, Node
from graphmem.model.kinds import labels_where
from graphmem.ports.entries import HIDDEN, UNIT, Priors

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext

_STAGED = labels_where(has_stage=True)
_NO_STATUS = frozenset({"Task"})  # a task's status is its own
_BATCH = 20_000


def standing_changes(context: RunContext) -> Iterator[Changes]:
    """Yield the changes of nodes, label by label."""
    rows = context.entries.rows
    now, was = _states(context.priors, rows), _states(context.before, rows)
    changed = (now != was).any(axis=0)
    hidden, was_hidden = now[3] > 0, was[3] > 0
    restated = hidden != was_hidden
    for label, places in context.labels():
        for status in (False, True):  # status separately: active nodes may have another one, such as superseded
            chosen = places[changed[places] & ((restated[places] & (label not in _NO_STATUS)) == status)]
            for start in range(0, len(chosen), _BATCH):
                part = chosen[start : start + _BATCH].tolist()
                told = _told(context, part, hidden) if status else {}
                yield Changes(nodes=[_node(context, label, place, now[:, place], told.get(place)) for place in part])


def _states(priors: Priors, rows: np.ndarray) -> np.ndarray:
    """Return (importance in hundredths, level, stage, archived) by item."""
    score = priors.importance[rows].astype(np.int64) * priors.retention[rows] // UNIT
    return np.stack([score, priors.level[rows], priors.stage[rows], priors.flags[rows] & HIDDEN > 0])


def _told(context: RunContext, places: list[int], hidden: np.ndarray) -> dict[int, str]:
    """Return the status of these items: archived, unless superseded, which takes precedence; otherwise the previous one."""
    rows = context.entries.rows[places].tolist()
    before = {stored.row: stored.status for stored in context.store.text.items(rows)}
    return {
        place: "archived" if hidden[place] and before.get(row) != "superseded" else before.get(row, "active")
        for place, row in zip(places, rows, strict=True)
    }


def _node(context: RunContext, label: str, place: int, state: np.ndarray, status: str | None) -> Node:
    score, level, stage, _ = state.tolist()
    properties: dict[str, Any] = {"importance": score / UNIT, "level": level}
    if label in _STAGED:
        properties["stage"] = STAGES[stage]
    if status:
        properties["status"] = status
    return Node(label, context.entries.ids[place], properties)
