"""The input of a step: an event with the node and the item that were projected from it."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.model.events import Event
from graphmem.projections.registry import project_event


class Source(NamedTuple):
    """An event, label and id of its node, and the id of its item ("" where it has none)."""

    event: Event
    label: str
    node: str
    item: str


def source_of(event: Event) -> Source:
    """Return the source that an event is."""
    changes = project_event(event)
    label, node = (changes.nodes[0].label, changes.nodes[0].id) if changes.nodes else ("", "")
    return Source(event, label, node, changes.items[0].id if changes.items else "")
