"""Marks suspicious text when it is recorded: third-party text with instructions for the agent gets the reasons in its
payload, `suspicious`. Text of the person is never marked, that of their agent only where it writes a memory down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from graphmem.model.events import Draft, Event
from graphmem.trust.detector import assess
from graphmem.trust.origin import is_exempt, origin_of, origin_of_draft

MARK = "suspicious"
_MAX_END_CHARS = 40_000  # characters at each end of a long text; the middle is checked when it is shown
_FIELDS = {
    "user_prompt": ("content", "title"),
    "agent_response": ("content", "title"),
    "tool_observation": ("content",),
    "commit_observed": ("subject", "body", "author", "files"),
    "document_observed": ("path", "sections"),
    "snapshot_captured": ("content", "error"),
    "test_run_observed": ("name", "failures"),
    "session_start": ("branch",),
    "memory_remembered": ("content", "title", "tags"),
}


def mark_suspicious(draft: Draft) -> Draft:
    """Return the draft, marked if necessary."""
    if draft.type not in _FIELDS or is_exempt(origin_of_draft(draft.type, draft.payload, draft.actor), draft.type):
        return draft
    reasons = _reasons(draft.type, draft.payload)
    return replace(draft, payload={**draft.payload, MARK: list(reasons)}) if reasons else draft


def reasons_of(event: Event) -> tuple[str, ...]:
    """Return why an event is suspicious by the current rules, which may differ from those that marked it. Empty for text
    that may give orders."""
    if event.type not in _FIELDS or is_exempt(origin_of(event), event.type):
        return ()
    return _reasons(event.type, event.payload)


def _reasons(type: str, payload: Mapping[str, Any]) -> tuple[str, ...]:
    found = {reason for text in _texts([payload.get(name) for name in _FIELDS[type]]) for reason in assess(_ends(text))}
    return tuple(sorted(found))


def _texts(value: Any) -> Iterator[str]:
    rest = [value]
    while rest:
        inner = rest.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict):
            rest += inner.values()
        elif isinstance(inner, list | tuple):
            rest += inner


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _MAX_END_CHARS else f"{text[:_MAX_END_CHARS]}\n\n{text[-_MAX_END_CHARS:]}"
