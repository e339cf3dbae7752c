"""Projects consolidated memories to graph and index, as summaries linked to their turns, and consolidates turns that
became due. It has its own log cursor; forgotten turns are removed from the texts."""

from __future__ import annotations

from datetime import datetime

from graphmem import resources
from graphmem.context import HookContext, StoreContext
from graphmem.endless.consolidate import PREFIX, consolidate_due, memories_of_event
from graphmem.endless.switch import switched_on
from graphmem.endless.trail import CONSOLIDATED
from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Node
from graphmem.model.events import Event
from graphmem.model.tree import ConsolidatedMemory
from graphmem.retrieve.present import to_microseconds

FOLLOWED = "endless"  # cursor in both projections
KIND = "consolidated"
_KNOWN = "queries/graph/read/endless_consolidated.cypher"


def project_endless(context: StoreContext) -> None:
    """Bring consolidated memories up to date with the log. Safe to kill at any time."""
    if switched_on(context) is not None:
        consolidate_due(context)
    head = context.log.head()
    done = min(context.text.cursors().get(FOLLOWED, 0), context.graph.cursors().get(FOLLOWED, 0))
    new = list(context.log.read(done, types=[CONSOLIDATED, "memory_forgotten"], upto=head))
    if not new:
        return
    whole = not done or any(event.type == "memory_forgotten" for event in new)
    decided = list(context.log.read(types=[CONSOLIDATED], upto=head)) if whole else new
    changes = Changes()
    kept = set()
    for event in decided:
        for one in memories_of_event(context, event):
            kept.add(one.id)
            _add(changes, context, event, one)
    if whole:
        known = {str(row[0]) for row in context.graph.query(resources.text(_KNOWN)).rows}
        known |= {one for one in context.text.sources(["summary"]) if one.startswith(PREFIX)}  # either may be ahead
        changes.removed_nodes = [("Summary", one) for one in sorted(known - kept)]
        changes.removed_items = sorted(known - kept)
        changes.removed_edges = [EdgeKey("SUMMARIZES", "Summary", one, "Turn") for one in sorted(known & kept)]
    context.text.apply(changes.removed_items, changes.items, (), {FOLLOWED: head})
    context.graph.apply(changes, {FOLLOWED: head})


def _add(changes: Changes, host: HookContext, event: Event, one: ConsolidatedMemory) -> None:
    at: datetime = one.at
    title = ", ".join(one.topics[:5])
    properties = {"session": "endless", "project": event.project, "kind": KIND, "title": title, "content": one.summary,
                  "confidence": one.confidence, "at": to_microseconds(at)}  # fmt: skip
    changes.nodes.append(Node("Summary", one.id, properties))
    changes.edges += [Edge("SUMMARIZES", "Summary", one.id, "Turn", turn, {}) for turn in one.sources]
    changes.items.append(Item(one.id, "summary", title, one.summary, to_microseconds(at), "", "", event.project))
