"""Step `entities`: which software entities an event names, found by rules alone (no model, no spaCy), so that retrieval
and Cypher can hop over them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from graphmem.cognify.subjects import relative_path
from graphmem.model.events import Event
from graphmem.model.text import EntityMention
from graphmem.text.entities import extract_entities
from graphmem.text.toolcalls import brief_call

NAME = "entities/2"
TYPES = frozenset({"user_prompt", "agent_response", "tool_observation", "commit_observed", "memory_remembered"})
_LIMIT = 6_000  # characters read of one event
_MOST = 40  # entities kept of one event, by count and then order
_DULL = frozenset({"date", "number", "value", "quantity", "time"})
_GAP = "\n[…]\n"
_REDIRECTED = re.compile(r"\s+(?:\d?>.*|&>.*|[12])$")  # "git status 2" of "git status 2>&1"
_HOST_TAG = re.compile(
    r"</?(?:task-notification|system-reminder|command-|local-command|bash-|ide_|user-memory|graphmem)|</"
)
_ISSUE = re.compile(r"[a-z]+-[a-z0-9]{2,5}(?:\.\d+)+|[a-z0-9]{3}\.\d+")


def derive(event: Event, node: tuple[str, str], item: str) -> dict[str, Any] | None:
    """The body of the derivation; `node` is (label, id) of what the event made."""
    text, cwd = text_of(event)[:_LIMIT], str(event.payload.get("cwd") or "")
    found = Counter(
        (mention.type, name)
        for mention in extract_entities(text, linguistic=False, generic=False)
        if mention.type not in _DULL and 1 < len(mention.text) <= 120 and not _is_cut(text, mention)
        if (name := settled_name(mention.type, mention.text.strip("`'\""), cwd))
    )
    title = str(event.payload.get("title") or "")
    if title and event.type == "memory_remembered":
        found["topic", title] += 1
    mentions = [[kind, name, count] for (kind, name), count in found.most_common(_MOST)]
    label, identifier = node
    return {"label": label, "node": identifier, "item": item, "project": event.project, "mentions": mentions}


def settled_name(kind: str, name: str, cwd: str) -> str:
    """Return the one name of an entity: a file relative to its project or worktree, a command without what it redirects; ""
    for markup of a host and ids of issues, which are no code."""
    if kind == "file":
        return relative_path(name, cwd) if "/" in name else name
    if kind == "command":
        return _REDIRECTED.sub("", name)
    if kind == "tag" and _HOST_TAG.match(name):
        return ""
    return "" if kind == "function" and _ISSUE.fullmatch(name) else name


def _is_cut(text: str, mention: EntityMention) -> bool:
    """Whether a mention stands where the text was cut: half a path is no path."""
    ends = len(text) >= _LIMIT and mention.end >= len(text)
    return ends or text.startswith(_GAP, mention.end) or text.endswith(_GAP, 0, mention.start)


def text_of(event: Event) -> str:
    """What is read of an event."""
    payload = event.payload
    if event.type == "tool_observation":
        return brief_call(payload, 1_000)
    if event.type == "commit_observed":
        return f"{payload['subject']}\n{payload['body']}"
    return str(payload.get("content", ""))
