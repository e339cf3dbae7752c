"""Events as rows of a list: the same in the overview, the live page and the debug page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nicegui import ui

from graphmem.interfaces.web.parts import chip, div, text, time
from graphmem.interfaces.web.view import View, address

FAMILIES = {
    "Conversation": ("session_start", "session_end", "session_summary", "user_prompt", "agent_response", "tool_observation"),
    "Memory": ("memory_remembered", "memory_feedback", "memory_shown", "memory_forgotten", "fact_retired", "category_decided",
               "graduated"),
    "Work": ("task_created", "task_changed", "task_status_changed", "task_priority_changed", "task_title_changed",
             "task_blockers_set", "task_transition_rejected", "task_linked", "task_claimed", "condition_declared",
             "condition_resolved_to", "artifact_declared"),
    "Sources": ("commit_observed", "tree_indexed", "document_observed", "snapshot_captured", "test_run_observed",
                "source_ingested", "setting_changed"),
}  # fmt: skip
_FAMILY = {type: family for family, types in FAMILIES.items() for type in types}
_TONES = {"Conversation": "w0", "Memory": "w2", "Work": "w1", "Sources": "w5"}


def family(type: str) -> str:
    """What sort of event this is; types that are new here count as sources."""
    return _FAMILY.get(type, "Sources")


def row(view: View, event: dict[str, Any], *, new: bool = False) -> ui.link:
    """One event, with a link to its whole. `event` is a brief."""
    at = event["at"] if isinstance(event["at"], datetime) else datetime.fromisoformat(event["at"])
    link = ui.link(target=address("/debug", event=event["id"])).classes("gm-row" + (" new" if new else ""))
    with link.props(f'data-event="{event["id"]}" tabindex="0"'):
        time(view, at)
        chip(event["type"].replace("_", " "), _TONES[family(event["type"])])
        with div("grow gm-two"):
            text(event["text"] or "—")
        if event["session"]:
            text(event["session"][:16], "gm-time")
    return link
