"""Handles one hook: `respond` records the agent's input and returns the text to inject. One function for each event;
unknown events change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphmem.hooks import capture
from graphmem.hooks.capture import Given, record, session_of
from graphmem.hooks.context import HookContext
from graphmem.hooks.deliveries import IN_FLIGHT_S, take_in
from graphmem.hooks.injection import NOTHING, Injection, join_injections
from graphmem.log.spool import waiting
from graphmem.text.toolcalls import READERS, WRITERS

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
        take_in(host, older_s=IN_FLIGHT_S)
    return {} if 0 < until < host.clock.now() else _told(host, event, session, found, _agent(given))


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
