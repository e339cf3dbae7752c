"""Projects decisions that two entities are one thing: the merged entity RESOLVES_TO the one that is kept."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.model.events import Event

MERGED = "entities_merged"  # event: a person says that two entities are one thing, or that they are not


def project_merge(event: Event) -> Changes:
    """Return the relation between the two, or its removal."""
    merged, kept = str(event.payload["merged"]), str(event.payload["kept"])
    if not event.payload["holds"]:
        return Changes(removed_edges=[EdgeKey("RESOLVES_TO", "Entity", merged, "Entity", kept)])
    told = {"resolution": "confirmed", "confidence": 1.0, "at": event.at}
    return Changes(edges=[Edge("RESOLVES_TO", "Entity", merged, "Entity", kept, told)])


def merged_entities(events: Iterable[Event]) -> dict[str, str]:
    """Return which entities are merged into which, from all decisions in order."""
    found: dict[str, str] = {}
    for event in events:
        if not event.is_ignored and event.payload:
            merged, kept = str(event.payload["merged"]), str(event.payload["kept"])
            if event.payload["holds"]:
                found[merged] = kept
            elif found.get(merged) == kept:
                del found[merged]
    return found
