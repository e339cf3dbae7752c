"""Passes over all items: importance, decay, archiving, and associations. Pure functions of the log up to the run; nothing
accumulates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmem.memify import scores
from graphmem.memify.run_context import LABELS
from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.ports.entries import ARCHIVED, KEPT, PUT_AWAY, UNIT

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext

_DEGREE = 10  # maximum associations of an item, the strongest
_WEAKEST = 0.005  # minimum strength of an association
# Relations that exist for two labels; for a pair in the other order, the ends are swapped.
_PAIRS = frozenset(
    {("Fact", "Fact"), ("Turn", "Turn"), ("Document", "Document"), ("Fact", "Document"), ("Fact", "Turn"),
     ("Fact", "Gotcha"), ("Fact", "Skill"), ("Turn", "Document"), ("Gotcha", "Turn"), ("Gotcha", "Gotcha")}
)  # fmt: skip


def update_importance(context: RunContext) -> None:
    """Set importance: recency, frequency, citations and feedback."""
    entries = context.entries
    said = np.zeros(len(entries.rows))
    for item, times in context.duplicates.said.items():
        if item in context.place:
            said[context.place[item]] = times - 1
    chosen = context.column("chosen")
    judged = scores.feedback_score(context.column("useful"), context.column("wrong"), chosen, context.column("shown"))
    value = scores.importance_score(
        context.days(np.maximum(entries.at, context.column("last").astype(np.int64))),
        context.column("shown"),
        chosen + said,
        judged,
    )
    kept = np.maximum(1, np.rint(value * UNIT)).astype(np.uint8)  # 0 means: no feedback
    context.priors.feedback[entries.rows] = np.where(context.here, np.rint(judged * UNIT), 0)
    context.priors.importance[entries.rows] = np.where(context.here, kept, 0)


def update_decay(context: RunContext) -> None:
    """Set retention by kind; items below the threshold are archived, unless they proved useful."""
    entries, rows = context.entries, context.entries.rows
    since = np.maximum(context.recorded, context.column("last").astype(np.int64))
    ended = {item: int(at.timestamp() * 1e6) for item, at in context.query("ended_states") if at}
    for place in np.flatnonzero(entries.of("gotcha", "task")):
        since[place] = max(since[place], ended[entries.ids[place]]) if entries.ids[place] in ended else context.run.now
    left, below = np.ones(len(rows)), np.zeros(len(rows), bool)
    days = context.days(since)
    for kind, policy in scores.POLICIES.items():
        of_kind = entries.of(kind)
        left[of_kind] = scores.retention_score(policy, days[of_kind])
        below[of_kind] = left[of_kind] < policy.floor
    below &= context.here & (context.column("useful") <= context.column("wrong"))
    context.priors.retention[rows] = np.where(context.here, np.rint(left * UNIT), 0)
    flags = context.priors.flags
    below &= (flags[rows] & KEPT) == 0
    flags[rows] = np.where(below, flags[rows] | ARCHIVED, flags[rows] & ~np.uint8(ARCHIVED))
    context.counts["archived"] = int(below.sum())


def pin_recent(context: RunContext) -> None:
    """Apply manual archiving, restoring and wrong ratings at once, whatever the age."""
    rows, flags = context.entries.rows, context.priors.flags
    flags[rows] &= ~np.uint8(PUT_AWAY | KEPT)
    for names, bit in ((context.hand.away, PUT_AWAY), (context.hand.kept, KEPT)):
        places = [context.place[item] for item in names if item in context.place]
        flags[rows[places]] |= bit
    kept = (flags[rows] & KEPT) > 0
    flags[rows[kept]] &= ~np.uint8(ARCHIVED)


def update_associations(context: RunContext) -> None:
    """Write ASSOCIATED_WITH between items that were found together: the strongest ten of each. The weight is that at its
    last use, `at`; readers apply the half-life of ninety days, so unused associations are never rewritten."""
    kinds = {number: name for name, number in context.entries.names.items()}
    label = {item: LABELS.get(kinds[int(context.entries.kind[place])], "") for item, place in context.place.items()}
    bonds = [
        (round(bond.now(context.run.now), 6), pair, bond)
        for pair, bond in context.usage.bonds.items()
        if label.get(pair[0]) and label.get(pair[1]) and bond.now(context.run.now) >= _WEAKEST
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
        for one, a, other, b, weight, at in context.query("associations")
    }
    changes = Changes()
    for key in known.keys() - wanted.keys():
        changes.removed_edges.append(EdgeKey("ASSOCIATED_WITH", *key))
    for key, (weight, at) in sorted(wanted.items()):
        if key not in known or abs(known[key][0] - weight) > 1e-9 or abs(known[key][1] - at) > 1_000:
            changes.edges.append(Edge("ASSOCIATED_WITH", *key, {"weight": weight, "at": at}))
    context.counts["associations"] = len(wanted)
    context.changes.append(changes)
