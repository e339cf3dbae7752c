"""Applies the effects of contradictions that `cognify` found: a contested fact ranks lower and cannot be promoted until
one of the two is superseded, rated wrong, archived or decided by a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmem.ports.entries import CONTESTED, HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext


def lower_contested(context: RunContext) -> None:
    """Mark every fact that contradicts another searchable one."""
    pairs = [(a, b) for a, b in context.query("open_conflicts")]
    wanted = {fact for pair in pairs for fact in pair}
    facts = np.flatnonzero(context.entries.of("fact") & context.here) if wanted else ()
    rows, flags = context.entries.rows, context.priors.flags
    standing = {
        context.entries.ids[at]: at
        for at in facts
        if context.entries.ids[at] in wanted and not flags[rows[at]] & HIDDEN
    }
    contested = np.zeros(len(rows), bool)
    for a, b in pairs:
        if a in standing and b in standing:
            contested[[standing[a], standing[b]]] = True
    flags[rows] = np.where(contested, flags[rows] | CONTESTED, flags[rows] & ~np.uint8(CONTESTED))
    context.counts["contested"] = int(contested.sum())
