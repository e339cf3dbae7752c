"""Handles one hook: `respond` records the agent's input and returns the text to inject. Unknown events change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphmem.hooks import capture
from graphmem.hooks.capture import Given, agent_of, record, session_of
from graphmem.hooks.deliveries import IN_FLIGHT_S, take_in
from graphmem.hooks.endless_gate import endless_injection
from graphmem.hooks.injection import NOTHING, Injection, join_injections
from graphmem.log.spool import RECORDED, waiting

if TYPE_CHECKING:
    from graphmem.context import HookContext

Extra = Callable[["HookContext", str, str, Given], Injection]
_USED = frozenset({"PostToolUse", "PostToolUseFailure"})
_ANSWERED = _USED | {"SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"}  # rows of `answers`


def respond(
    host: HookContext, event: str, given: Given, until: int = 0, extras: Sequence[Extra] = (endless_injection,)
) -> dict[str, Any]:
    """Return the output for the agent; empty after `until` (microseconds since 1970), when nobody waits any more.
    `extras` are functions of higher layers, called with the recorded event, which may add injections. Raises only errors
    of the store."""
    session = session_of(given)
    if not given.get(RECORDED):
        record(host, event, given)
    found = _context(host, event, session, given)
    for extra in extras:
        found = join_injections(found, extra(host, event, session, given))
    if waiting(str(host.path)).number:
        take_in(host, older_s=IN_FLIGHT_S)
    return {} if 0 < until < host.clock.now() else _told(host, event, session, found, agent_of(given))


def recall(host: HookContext, event: str, given: Given) -> dict[str, Any]:
    """Return only the injection for a prompt or tool: the owner has recorded the input but answers late."""
    session = session_of(given)
    return _told(host, event, session, _context(host, event, session, given), agent_of(given))


def _context(host: HookContext, event: str, session: str, given: Given) -> Injection:
    """What the agent should know; nothing is loaded for an event that tells nothing."""
    if event not in _ANSWERED or (event in _USED and capture.failed_command(host, session, given) is None):
        return NOTHING
    from graphmem.hooks.answers import context_for

    return context_for(host, event, session, given)


def _told(host: HookContext, event: str, session: str, found: Injection, agent: str = "") -> dict[str, Any]:
    if not found.text:
        return {}
    capture.record_drafts(host, [capture.injection_draft(host, session, event, found, agent)])
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": found.text}}
