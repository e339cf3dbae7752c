"""Who said what a node holds, and why that looks like orders to the agent: two properties that every node of an event has."""

from __future__ import annotations

from typing import Any

from graphmem.model.events import Event
from graphmem.trust.marking import MARK
from graphmem.trust.origin import origin_of


def provenance(event: Event) -> dict[str, Any]:
    """`origin`, and `suspicious` as a list in words, None where nothing is."""
    return {"origin": origin_of(event), "suspicious": ", ".join(event.payload.get(MARK) or ()) or None}
