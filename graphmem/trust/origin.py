"""Determines the origin of an event: who wrote its content. It is computed from the event alone, so old logs need no
migration. The origin decides what a memory may become: only what a person or their agent said may become a rule or a
task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from graphmem.model.events import Event

# Most trusted first. "machine" is what a person or agent said on another machine for which the user did not vouch.
ORIGINS = ("person", "agent", "machine", "import", "repository", "tool", "web")
TRUSTED = frozenset({"person", "agent"})  # never withheld, except what `is_exempt` excludes
BINDING = frozenset({"person", "agent"})  # may become a rule, a preference, a decision or a task
_WRITTEN_DOWN = frozenset(
    {"memory_remembered"}
)  # what an agent writes for later sessions, maybe because a page said so
_RANK = {origin: rank for rank, origin in enumerate(ORIGINS)}

_WEB_TOOL = re.compile(
    r"web_?(?:fetch|search)|google_web_search|fetch_?(?:url|page|content)|url_?fetch|(?:^|_)fetch$|(?:^|_)browse|browser"
    r"|playwright|puppeteer|chrome|firecrawl|tavily|brave|exa_?search|serp|duckduckgo|crawl|scrape|http_?(?:get|request)",
    re.IGNORECASE,
)
_WEB_COMMAND = re.compile(
    r"(?:^|[\s;&|(`])(?:curl|wget|https?|xh|lynx|w3m|links|aria2c|gh\s+(?:api|issue|pr|run|release)|nc|ncat|telnet)\s|https?://"
)
_LOCAL = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
_FIRST_HAND = {
    "session_start": "agent",
    "session_end": "agent",
    "session_summary": "agent",
    "agent_response": "agent",
    "commit_observed": "repository",
    "tree_indexed": "repository",
    "scip_indexed": "repository",
    "document_observed": "repository",
    "snapshot_captured": "tool",
    "test_run_observed": "tool",
    "source_ingested": "tool",
}


def origin_of(event: Event) -> str:
    """Return the origin of an event, one of `ORIGINS`. What a machine said for which the user did
    not vouch is not the person's."""
    return origin_of_draft(event.type, event.payload, event.actor, foreign=event.foreign)


def origin_of_draft(type: str, payload: Mapping[str, Any], actor: str = "", *, foreign: bool = False) -> str:
    """Return the origin of an event that is not yet in a log."""
    own = _own(type, payload, actor)
    return least_trusted((own, "machine")) if foreign else own


def is_exempt(origin: str, type: str) -> bool:
    """Return whether a text of this origin, in an event of this type, may give orders: all that a person says, and what
    an agent says but does not write down for others."""
    return origin == "person" or (origin in TRUSTED and type not in _WRITTEN_DOWN)


def is_vouched(origin: str) -> bool:
    """Return whether an item may ask for an action where it is shown unasked: only what a person said. An agent's turn may
    repeat a page or a document."""
    return origin == "person"


def _own(type: str, payload: Mapping[str, Any], actor: str) -> str:
    if type == "tool_observation":
        own = _tool(payload)
    elif type == "user_prompt":
        # The host's own messages quote tools and pages; an agent's order to another agent is an agent's.
        own = "tool" if payload.get("role") == "system" else "agent" if payload.get("agent") else "person"
    elif type == "commit_observed" and payload.get("own"):
        own = "person"
    elif actor.startswith("agent") and type not in _FIRST_HAND:
        own = "agent"
    else:
        own = _FIRST_HAND.get(type, "person")
    return least_trusted((own, "import")) if payload.get("imported") else own


def _tool(payload: Mapping[str, Any]) -> str:
    tool, command = str(payload.get("tool") or ""), str(payload.get("command") or "")
    if _WEB_TOOL.search(tool):
        return "web"
    if command and _WEB_COMMAND.search(command) and not _LOCAL.search(command):
        return "web"
    return "tool"


def least_trusted(origins: Iterable[str]) -> str:
    """Return the least trusted of several origins, for what is derived from all of them; "person" if there are
    none."""
    return max(origins, key=lambda one: _RANK.get(one, len(_RANK)), default="person")


def may_bind(origin: str) -> bool:
    """Return whether a text of this origin may become a rule, preference, decision or task by itself."""
    return origin in BINDING
