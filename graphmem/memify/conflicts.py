"""Facts that contradict each other and of which neither gave way: both are contested until one is superseded, retired,
judged wrong or put away. A contested fact ranks lower and cannot rise; finding contradictions is the affair of `cognify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmem.ports.entries import CONTESTED, HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.desk import Desk


def contest(desk: Desk) -> None:
    """Mark every fact that stands against another one."""
    known = set(desk.usage.items) | desk.hand.away
    facts = desk.entries.of("fact")
    pairs = [(a, b) for a, b, *_ in desk.query("open_conflicts")]
    wanted = known | {fact for pair in pairs for fact in pair}
    place = {
        desk.entries.ids[at]: int(at) for at in np.flatnonzero(facts & desk.here) if desk.entries.ids[at] in wanted
    }
    rows, flags = desk.entries.rows, desk.priors.flags
    standing = {item: at for item, at in place.items() if not flags[rows[at]] & HIDDEN}
    contested = np.zeros(len(rows), bool)
    for a, b in pairs:
        if a in standing and b in standing:
            contested[[standing[a], standing[b]]] = True
    flags[rows] = np.where(contested, flags[rows] | CONTESTED, flags[rows] & ~np.uint8(CONTESTED))
    desk.counts["contested"] = int(contested.sum())
