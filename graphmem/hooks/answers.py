"""What an agent receives at an event, one function per event; unknown events give nothing. All of them search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphmem.hooks import capture, recall
from graphmem.hooks.capture import Given, agent_of
from graphmem.hooks.injection import NOTHING, Injection
from graphmem.text.toolcalls import READERS, WRITERS

if TYPE_CHECKING:
    from graphmem.context import HookContext

_PROBED = frozenset({"Bash", *WRITERS, *READERS})  # tools whose use can repeat an old mistake, or break an old rule
_SPAWNS = frozenset({"Task", "Agent"})  # tools that send a subagent


def context_for(host: HookContext, event: str, session: str, given: Given) -> Injection:
    """Return the context for the agent at an event."""
    act = _EVENTS.get(event)
    return act(host, session, given) if act else NOTHING


def _folder(given: Given) -> str:
    folder = given.get("cwd")
    return folder if isinstance(folder, str) else ""


def _session_start(host: HookContext, session: str, given: Given) -> Injection:
    if given.get("source") == "resume":  # told before
        return NOTHING
    return recall.session_start_context(host, _folder(given), session)


def _prompt(host: HookContext, session: str, given: Given) -> Injection:
    return recall.prompt_context(host, str(given.get("prompt") or ""), session, _folder(given))


def _before_tool(host: HookContext, session: str, given: Given) -> Injection:
    name, arguments = given.get("tool_name"), given.get("tool_input")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return NOTHING
    if name in _SPAWNS:
        return recall.prompt_context(host, str(arguments.get("prompt") or ""), session, _folder(given), agent_of(given))
    if name not in _PROBED:
        return NOTHING
    return recall.tool_context(
        host, arguments, session, _folder(given), agent=agent_of(given), writes=name not in READERS
    )


def _after_tool(host: HookContext, session: str, given: Given) -> Injection:
    failed = capture.failed_command(host, session, given)
    if failed is None:
        return NOTHING
    return recall.for_failure(host, str(failed.get("content") or ""), session, agent=agent_of(given))


def _subagent_start(host: HookContext, session: str, given: Given) -> Injection:
    """Handle hosts that report a subagent's task at its start; for others, the tool that starts it does."""
    task = str(given.get("prompt") or given.get("task") or "")
    return recall.prompt_context(host, task, session, _folder(given), agent_of(given))


_EVENTS: dict[str, Callable[[HookContext, str, Given], Injection]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _after_tool,
    "PostToolUseFailure": _after_tool,
    "SubagentStart": _subagent_start,
}
