"""Step `entities`: which software entities an event names, found by rules alone (no model, no spaCy), so that retrieval
and Cypher can hop over them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from graphmem.model.events import Event
from graphmem.text.entities import extract_entities
from graphmem.text.toolcalls import brief_call

NAME = "entities/1"
TYPES = frozenset({"user_prompt", "agent_response", "tool_observation", "commit_observed", "memory_remembered"})
_LIMIT = 6_000  # characters read of one event
_MOST = 40  # entities kept of one event, by count and then order
_DULL = frozenset({"date", "number", "value", "quantity", "time"})
_LABELS = {"commit_observed": "Commit", "memory_remembered": "", "tool_observation": "Turn"}


def derive(event: Event, node: tuple[str, str], item: str) -> dict[str, Any] | None:
    """The body of the derivation; `node` is (label, id) of what the event made."""
    found = Counter(
        (mention.type, mention.text.strip("`'\""))
        for mention in extract_entities(text_of(event)[:_LIMIT], linguistic=False, generic=False)
        if mention.type not in _DULL and 1 < len(mention.text) <= 120
    )
    title = str(event.payload.get("title") or "")
    if title and event.type == "memory_remembered":
        found["topic", title] += 1
    mentions = [[kind, name, count] for (kind, name), count in found.most_common(_MOST)]
    label, identifier = node
    return {"label": label, "node": identifier, "item": item, "project": event.project, "mentions": mentions}


def text_of(event: Event) -> str:
    """What is read of an event."""
    payload = event.payload
    if event.type == "tool_observation":
        return brief_call(payload, 1_000)
    if event.type == "commit_observed":
        return f"{payload['subject']}\n{payload['body']}"
    return str(payload.get("content", ""))
