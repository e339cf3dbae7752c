"""Provenance of nodes: the origin of their text, and why it looks like instructions to the agent. Every node of an event
has these two properties."""

from __future__ import annotations

from typing import Any

from graphmem.model.events import Event
from graphmem.trust.marking import MARK
from graphmem.trust.origin import origin_of


def provenance(event: Event) -> dict[str, Any]:
    """Return `origin`, and `suspicious` as a comma-separated list, or None."""
    return {"origin": origin_of(event), "suspicious": ", ".join(event.payload.get(MARK) or ()) or None}
