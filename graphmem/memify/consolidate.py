"""The duplicates pass: marks duplicates, removes them from default search, links them to the remaining fact and transfers
their evidence."""

from __future__ import annotations

import numpy as np

from graphmem.memify.run_context import RunContext
from graphmem.model.changes import Changes, Edge
from graphmem.ports.entries import DUPLICATE


def mark_duplicates(context: RunContext) -> None:
    """Mark duplicates, link them to the first fact, and transfer their evidence."""
    rows, found = context.entries.rows, context.duplicates
    marked = np.zeros(len(rows), bool)
    marked[[context.place[item] for item in found.first if item in context.place]] = True
    flags = context.priors.flags
    was = (context.before.flags[rows] & DUPLICATE) > 0
    flags[rows] = np.where(marked, flags[rows] | DUPLICATE, flags[rows] & ~np.uint8(DUPLICATE))
    context.counts["duplicates"] = int(marked.sum())
    new = set(context.ids(np.flatnonzero(marked & ~was)))
    if not new:
        return
    changes = Changes()
    for item in sorted(new):
        changes.edges.append(Edge("DUPLICATES", "Fact", item, "Fact", found.first[item], {"at": context.run.now}))
    for item, label, source in context.query("evidence_of_facts", ids=sorted(new)):
        evidence = {"method": "normalized", "confidence": 0.95}
        changes.edges.append(Edge("EVIDENCE_OF", label, source, "Fact", found.first[item], evidence))
    context.changes.append(changes)
