"""Passes over all items: importance, decay, archiving, and associations. Pure functions of the log up to the run; nothing
accumulates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmem.memify import scores
from graphmem.memify.desk import LABELS
from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.ports.entries import ARCHIVED, KEPT, PUT_AWAY, UNIT

if TYPE_CHECKING:
    from graphmem.memify.desk import RunContext

_DEGREE = 10  # maximum associations of an item, the strongest
_WEAKEST = 0.005  # minimum strength of an association
# Relations that exist for two labels; for a pair in the other order, the ends are swapped.
_PAIRS = frozenset(
    {("Fact", "Fact"), ("Turn", "Turn"), ("Document", "Document"), ("Fact", "Document"), ("Fact", "Turn"),
     ("Fact", "Gotcha"), ("Fact", "Skill"), ("Turn", "Document"), ("Gotcha", "Turn"), ("Gotcha", "Gotcha")}
)  # fmt: skip


def update_importance(desk: RunContext) -> None:
    """Set importance: recency, frequency, citations and feedback."""
    entries = desk.entries
    said = np.zeros(len(entries.rows))
    for item, times in desk.duplicates.said.items():
        if item in desk.place:
            said[desk.place[item]] = times - 1
    chosen = desk.column("chosen")
    judged = scores.feedback_score(desk.column("useful"), desk.column("wrong"), chosen, desk.column("shown"))
    value = scores.importance_score(
        desk.days(np.maximum(entries.at, desk.column("last").astype(np.int64))),
        desk.column("shown"),
        chosen + said,
        judged,
    )
    kept = np.maximum(1, np.rint(value * UNIT)).astype(np.uint8)  # 0 means: no feedback
    desk.priors.feedback[entries.rows] = np.where(desk.here, np.rint(judged * UNIT), 0)
    desk.priors.importance[entries.rows] = np.where(desk.here, kept, 0)


def update_decay(desk: RunContext) -> None:
    """Set retention by kind; items below the threshold are archived, unless they proved useful."""
    entries, rows = desk.entries, desk.entries.rows
    since = np.maximum(desk.recorded, desk.column("last").astype(np.int64))
    ended = {item: int(at.timestamp() * 1e6) for item, at in desk.query("ended_states") if at}
    for place in np.flatnonzero(entries.of("gotcha", "task")):
        since[place] = max(since[place], ended[entries.ids[place]]) if entries.ids[place] in ended else desk.run.now
    left, below = np.ones(len(rows)), np.zeros(len(rows), bool)
    days = desk.days(since)
    for kind, policy in scores.POLICIES.items():
        of_kind = entries.of(kind)
        left[of_kind] = scores.retention_score(policy, days[of_kind])
        below[of_kind] = left[of_kind] < policy.floor
    below &= desk.here & (desk.column("useful") <= desk.column("wrong"))
    desk.priors.retention[rows] = np.where(desk.here, np.rint(left * UNIT), 0)
    flags = desk.priors.flags
    below &= (flags[rows] & KEPT) == 0
    flags[rows] = np.where(below, flags[rows] | ARCHIVED, flags[rows] & ~np.uint8(ARCHIVED))
    desk.counts["archived"] = int(below.sum())


def pin_recent(desk: RunContext) -> None:
    """Apply manual archiving, restoring and wrong ratings at once, whatever the age."""
    rows, flags = desk.entries.rows, desk.priors.flags
    flags[rows] &= ~np.uint8(PUT_AWAY | KEPT)
    for names, bit in ((desk.hand.away, PUT_AWAY), (desk.hand.kept, KEPT)):
        places = [desk.place[item] for item in names if item in desk.place]
        flags[rows[places]] |= bit
    kept = (flags[rows] & KEPT) > 0
    flags[rows[kept]] &= ~np.uint8(ARCHIVED)


def update_associations(desk: RunContext) -> None:
    """Write ASSOCIATED_WITH between items that were found together: the strongest ten of each. The weight is that at its
    last use, `at`; readers apply the half-life of ninety days, so unused associations are never rewritten."""
    kinds = {number: name for name, number in desk.entries.names.items()}
    label = {item: LABELS.get(kinds[int(desk.entries.kind[place])], "") for item, place in desk.place.items()}
    bonds = [
        (round(bond.now(desk.run.now), 6), pair, bond)
        for pair, bond in desk.usage.bonds.items()
        if label.get(pair[0]) and label.get(pair[1]) and bond.now(desk.run.now) >= _WEAKEST
    ]
    degree: dict[str, int] = {}
    wanted: dict[tuple[str, str, str, str], tuple[float, int]] = {}
    for _, (a, b), bond in sorted(bonds, key=lambda each: (-each[0], each[1])):
        if degree.get(a, 0) >= _DEGREE or degree.get(b, 0) >= _DEGREE:
            continue
        if (label[a], label[b]) not in _PAIRS:
            a, b = b, a
        if (label[a], label[b]) in _PAIRS:
            degree[a], degree[b] = degree.get(a, 0) + 1, degree.get(b, 0) + 1
            wanted[label[a], a, label[b], b] = (round(bond.weight, 6), bond.at)
    known = {
        (one, a, other, b): (weight, int(at.timestamp() * 1e6) if at else 0)
        for one, a, other, b, weight, at in desk.query("associations")
    }
    changes = Changes()
    for key in known.keys() - wanted.keys():
        changes.removed_edges.append(EdgeKey("ASSOCIATED_WITH", *key))
    for key, (weight, at) in sorted(wanted.items()):
        if key not in known or abs(known[key][0] - weight) > 1e-9 or abs(known[key][1] - at) > 1_000:
            changes.edges.append(Edge("ASSOCIATED_WITH", *key, {"weight": weight, "at": at}))
    desk.counts["associations"] = len(wanted)
    desk.changes.append(changes)
