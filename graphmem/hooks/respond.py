"""Handles one hook: `respond` records the agent's input and returns the text to inject. Unknown events change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphmem.hooks import capture
from graphmem.hooks.asking import request_for_memories
from graphmem.hooks.capture import Given, agent_of, record_event, session_of
from graphmem.hooks.deliveries import IN_FLIGHT_S, record_waiting
from graphmem.hooks.endless_gate import endless_injection
from graphmem.hooks.events import UNTIL, hook_event
from graphmem.hooks.injection import NOTHING, Injection, join_injections
from graphmem.log.spool import RECORDED, count_waiting
from graphmem.trust.hidden import replace_controls

if TYPE_CHECKING:
    from graphmem.context import HookContext

Extra = Callable[["HookContext", str, str, Given], Injection]


def respond(
    host: HookContext,
    event: str,
    given: Given,
    until: int = 0,
    extras: Sequence[Extra] = (endless_injection, request_for_memories),
) -> dict[str, Any]:
    """Return the output for the agent; empty after `until` (microseconds since 1970), when the hook process has stopped
    waiting. `extras` are called after the event is recorded and may add injections. Raises only errors of the store."""
    session = session_of(given)
    if not given.get(RECORDED):
        record_event(host, event, given)
    found = _context(host, event, session, {**given, UNTIL: until})
    for extra in extras:
        found = join_injections(found, extra(host, event, session, given))
    if count_waiting(str(host.path)).number:
        record_waiting(host, older_s=IN_FLIGHT_S)
    return {} if 0 < until < host.clock.now() else _output(host, event, session, found, agent_of(given))


def _context(host: HookContext, event: str, session: str, given: Given) -> Injection:
    """Return the context for the agent. Search is loaded only for events that receive context."""
    handling = hook_event(event)
    if not handling.has_context:
        return NOTHING
    if handling.only_after_failure and capture.failed_command(host, session, given) is None:
        return NOTHING
    from graphmem.hooks.contexts import context_for

    return context_for(host, event, session, given)


def _output(host: HookContext, event: str, session: str, found: Injection, agent: str = "") -> dict[str, Any]:
    if not found.text:
        return {}
    capture.record_drafts(host, [capture.injection_draft(host, session, event, found, agent)])
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": replace_controls(found.text)}}
