"""Handles one hook: `respond` records the agent's input and returns the text to inject. One function for each event;
unknown events change nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphmem.hooks import capture
from graphmem.hooks.context import HookContext
from graphmem.hooks.injection import NOTHING, Injection, join_injections
from graphmem.log.spool import DELIVERY, settle, waiting
from graphmem.model.events import Draft
from graphmem.text.toolcalls import READERS, WRITERS

Given = Mapping[str, Any]
Extra = Callable[[HookContext, str, str, Given], Injection]
_PROBED = frozenset({"Bash", *WRITERS, *READERS})  # tools whose calls can repeat a failure or break a rule
_SPAWNS = frozenset({"Task", "Agent"})  # tools that start a subagent


def respond(
    host: HookContext, event: str, given: Given, until: int = 0, extras: Sequence[Extra] = ()
) -> dict[str, Any]:
    """Return the output for the agent; empty after `until` (microseconds since 1970), when nobody waits any more.
    `extras` are functions of higher layers, called with the recorded event, which may add injections. Raises only errors
    of the store."""
    session = session_of(given)
    record(host, event, given)
    act = _EVENTS.get(event)
    found = act(host, session, given) if act else NOTHING
    for extra in extras:
        found = join_injections(found, extra(host, event, session, given))
    if waiting(str(host.path)).number:
        from graphmem.hooks.deliveries import IN_FLIGHT_S, take_in

        take_in(host, older_s=IN_FLIGHT_S)
    return {} if 0 < until < host.clock.now() else _told(host, event, session, found, _agent(given))


def session_of(given: Given) -> str:
    """Return the session id of a hook, as it is stored in the log."""
    return str(given.get("session_id") or "default").encode("utf-8", "replace").decode("utf-8")


def record(host: HookContext, event: str, given: Given) -> None:
    """Record hook input before any search, so that a slow search loses nothing."""
    telling = _TOLD.get(event)
    if telling is not None:
        delivery = str(given.get(DELIVERY) or "")
        capture.record_drafts(host, telling(host, session_of(given), given), delivery)
        settle(str(host.path), delivery)


def recall(host: HookContext, event: str, given: Given) -> dict[str, Any]:
    """Return only the injection for a prompt or tool: the owner has recorded the input but answers late."""
    from graphmem.hooks import recall

    session, found = session_of(given), NOTHING
    if event == "UserPromptSubmit":
        found = recall.prompt_context(host, str(given.get("prompt") or ""), session, _folder(given))
    elif event == "PreToolUse":
        found = _before_tool(host, session, given)
    return _told(host, event, session, found, _agent(given))


def _told(host: HookContext, event: str, session: str, found: Injection, agent: str = "") -> dict[str, Any]:
    if not found.text:
        return {}
    capture.record_drafts(host, [capture.injection_draft(host, session, event, found, agent)])
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": found.text}}


def _folder(given: Given) -> str:
    folder = given.get("cwd")
    return folder if isinstance(folder, str) else ""


def _agent(given: Given) -> str:
    """Return the subagent of a hook, or ""."""
    return str(given.get("agent_id") or "")


def _session_start(host: HookContext, session: str, given: Given) -> Injection:
    from graphmem.hooks import recall

    if given.get("source") == "resume":  # already shown
        return NOTHING
    return recall.session_start_context(host, _folder(given), session)


def _prompt(host: HookContext, session: str, given: Given) -> Injection:
    from graphmem.hooks import recall

    return recall.prompt_context(host, str(given.get("prompt") or ""), session, _folder(given))


def _before_tool(host: HookContext, session: str, given: Given) -> Injection:
    from graphmem.hooks import recall

    name, arguments = given.get("tool_name"), given.get("tool_input")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return NOTHING
    if name in _SPAWNS:
        return recall.prompt_context(host, str(arguments.get("prompt") or ""), session, _folder(given), _agent(given))
    if name not in _PROBED:
        return NOTHING
    return recall.tool_context(
        host, arguments, session, _folder(given), agent=_agent(given), writes=name not in READERS
    )


def _after_tool(host: HookContext, session: str, given: Given) -> Injection:
    drafts = capture.tool_drafts(host, session, given)
    failed = next(
        (draft.payload for draft in drafts if draft.payload.get("failed") and draft.payload.get("command")), None
    )
    if failed is None:
        return NOTHING
    from graphmem.hooks import recall

    return recall.for_failure(host, str(failed.get("content") or ""), session, agent=_agent(given))


def _subagent_start(host: HookContext, session: str, given: Given) -> Injection:
    """Handle hosts that report a subagent's task at its start; for others, the tool that starts it does."""
    from graphmem.hooks import recall

    task = str(given.get("prompt") or given.get("task") or "")
    return recall.prompt_context(host, task, session, _folder(given), _agent(given))


_EVENTS: dict[str, Callable[[HookContext, str, Given], Injection]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _after_tool,
    "PostToolUseFailure": _after_tool,
    "SubagentStart": _subagent_start,
}
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
