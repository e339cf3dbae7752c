"""Returns the context that an agent receives at an event: one function for each event with context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphmem.hooks import capture, selection, starting
from graphmem.hooks.briefing import asks_for_last_time
from graphmem.hooks.capture import Given, agent_of
from graphmem.hooks.events import UNTIL
from graphmem.hooks.injection import NOTHING, Injection, join_injections
from graphmem.text.toolcalls import READERS, SPAWNERS, WRITERS

if TYPE_CHECKING:
    from graphmem.context import HookContext

_CHECKED = frozenset({"Bash", *WRITERS, *READERS})  # tools whose use can repeat a failure or break a rule
_SEARCH_US = 500_000  # microseconds that a search needs on a busy machine
_FIRST_PROMPTS, _FIRST_TOLD = 3, 50  # of a session, whose start may not have been answered in time


def context_for(host: HookContext, event: str, session: str, given: Given) -> Injection:
    """Return the context for the agent at an event; empty for other events."""
    find = CONTEXTS.get(event)
    return find(host, session, given) if find else NOTHING


def is_late(host: HookContext, given: Given) -> bool:
    """Return whether what was found must be answered now, without a search that may take longer than the agent waits."""
    until = given.get(UNTIL, 0)
    return isinstance(until, int) and 0 < until < host.clock.now() + _SEARCH_US


def _folder(given: Given) -> str:
    folder = given.get("cwd")
    return folder if isinstance(folder, str) else ""


def _session_start(host: HookContext, session: str, given: Given) -> Injection:
    if given.get("source") == "resume":  # the session has received it already
        return NOTHING
    found = starting.session_start_context(host, _folder(given), session)
    if given.get("source") == "compact":
        return join_injections(starting.own_list_context(host, session), found)
    return found


def _missed_start(host: HookContext, session: str, given: Given) -> Injection:
    """Return what the session should have started with, at one of its first prompts, if its start was not answered in time."""
    newest = host.log.pages.newest
    if not session or is_late(host, given) or not newest(1, session=session, types=("session_start",)):
        return NOTHING
    if len(newest(_FIRST_PROMPTS + 1, session=session, types=("user_prompt",))) > _FIRST_PROMPTS:
        return NOTHING
    told = newest(_FIRST_TOLD, session=session, types=("memory_shown",))
    if any(event.payload.get("event") == "SessionStart" for event in told):
        return NOTHING
    found = starting.session_start_context(host, _folder(given), session)
    known = selection.already_injected(host, session) | selection.parts_injected(host, session)
    return NOTHING if known & {*found.ids, *found.parts} else found  # else an earlier prompt was told


def _prompt(host: HookContext, session: str, given: Given) -> Injection:
    found = _about_prompt(host, session, given)
    return join_injections(_missed_start(host, session, given), found)


def _about_prompt(host: HookContext, session: str, given: Given) -> Injection:
    prompt = str(given.get("prompt") or "")
    found = starting.last_time_context(host, session) if asks_for_last_time(prompt) else NOTHING
    if found.text:
        return found
    return selection.prompt_context(host, prompt, session, _folder(given), is_late=lambda: is_late(host, given))


def _before_tool(host: HookContext, session: str, given: Given) -> Injection:
    name, arguments = given.get("tool_name"), given.get("tool_input")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return NOTHING
    if name in SPAWNERS:
        return selection.prompt_context(
            host, str(arguments.get("prompt") or ""), session, _folder(given), agent_of(given)
        )
    if name not in _CHECKED:
        return NOTHING
    return selection.tool_context(
        host, arguments, session, _folder(given), agent=agent_of(given), writes=name not in READERS
    )


def _after_tool(host: HookContext, session: str, given: Given) -> Injection:
    failed = capture.failed_command(host, session, given)
    if failed is None:
        return NOTHING
    return selection.failure_context(host, str(failed.get("content") or ""), session, agent=agent_of(given))


def _subagent_start(host: HookContext, session: str, given: Given) -> Injection:
    """Handle hosts that report a subagent's task at its start; for others, the tool that starts it does."""
    task = str(given.get("prompt") or given.get("task") or "")
    return selection.prompt_context(host, task, session, _folder(given), agent_of(given))


CONTEXTS: dict[str, Callable[[HookContext, str, Given], Injection]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _after_tool,
    "PostToolUseFailure": _after_tool,
    "SubagentStart": _subagent_start,
}
