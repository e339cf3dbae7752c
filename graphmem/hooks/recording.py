"""Records what a hook tells: each event is one row of a table; an unknown one records nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphmem.hooks import capture
from graphmem.hooks.context import HookContext
from graphmem.log.spool import DELIVERY, settle
from graphmem.model.events import Draft

Given = Mapping[str, Any]


def session_of(given: Given) -> str:
    """The session that a hook speaks of, by a name that every encoder takes, as the log has it."""
    return str(given.get("session_id") or "default").encode("utf-8", "replace").decode("utf-8")


def record(host: HookContext, event: str, given: Given) -> None:
    """Record what a hook tells, before anything is looked for: nothing said is lost to a slow search."""
    telling = _TOLD.get(event)
    if telling is not None:
        delivery = str(given.get(DELIVERY) or "")
        capture.record_drafts(host, telling(host, session_of(given), given), delivery)
        settle(str(host.path), delivery)


_TOLD: dict[str, Callable[[HookContext, str, Given], Sequence[Draft]]] = {
    "SessionStart": lambda host, session, given: [capture.session_started(host, session, given)],
    "UserPromptSubmit": lambda host, session, given: capture.prompt_drafts(
        host, session, str(given.get("prompt") or "")
    ),
    "PostToolUse": capture.tool_drafts,
    "PostToolUseFailure": capture.tool_drafts,
    "Stop": capture.answers_said,
    "SubagentStop": capture.answers_said,
    "PreCompact": capture.answers_said,
    "SessionEnd": lambda host, session, given: [
        *capture.answers_said(host, session, given),
        capture.session_ended(host, session, given),
    ],
}
