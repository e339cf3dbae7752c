"""Effects of contradictions found by `cognify`: a contested fact ranks lower and cannot be promoted until one of the two
is superseded, rated wrong, archived or decided by a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmem.ports.entries import CONTESTED, HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.desk import RunContext


def lower_contested(desk: RunContext) -> None:
    """Mark every fact that contradicts another searchable one."""
    pairs = [(a, b) for a, b in desk.query("open_conflicts")]
    wanted = {fact for pair in pairs for fact in pair}
    facts = np.flatnonzero(desk.entries.of("fact") & desk.here) if wanted else ()
    rows, flags = desk.entries.rows, desk.priors.flags
    standing = {
        desk.entries.ids[at]: at for at in facts if desk.entries.ids[at] in wanted and not flags[rows[at]] & HIDDEN
    }
    contested = np.zeros(len(rows), bool)
    for a, b in pairs:
        if a in standing and b in standing:
            contested[[standing[a], standing[b]]] = True
    flags[rows] = np.where(contested, flags[rows] | CONTESTED, flags[rows] & ~np.uint8(CONTESTED))
    desk.counts["contested"] = int(contested.sum())
