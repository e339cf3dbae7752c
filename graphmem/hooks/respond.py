"""The answer to one hook: `respond` takes what the agent said, records it, and gives back what the agent should know.
Each event is one function; an unknown one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphmem.hooks import capture
from graphmem.hooks.context import Host
from graphmem.hooks.injection import NOTHING, Recalled, joined
from graphmem.log.spool import DELIVERY, settle, waiting
from graphmem.model.events import Draft

Given = Mapping[str, Any]
Extra = Callable[[Host, str, str, Given], Recalled]
_PROBED = frozenset({"Bash", "Edit", "MultiEdit", "Write"})  # tools whose use can repeat an old mistake


def respond(host: Host, event: str, given: Given, until: int = 0, extras: Sequence[Extra] = ()) -> dict[str, Any]:
    """What to print for the agent (REQUIREMENTS 12); nothing when that would come after `until` (microseconds since 1970),
    when nobody waits any more. `extras` are what layers above this one do with the event once it is recorded, and tell.
    Raises only what the store raises."""
    session = session_of(given)
    record(host, event, given)
    act = _EVENTS.get(event)
    found = act(host, session, given) if act else NOTHING
    for extra in extras:
        found = joined(found, extra(host, event, session, given))
    if waiting(str(host.path)).number:
        from graphmem.hooks.deliveries import IN_FLIGHT_S, take_in

        take_in(host, older_s=IN_FLIGHT_S)
    return {} if 0 < until < host.clock.now() else _told(host, event, session, found)


def session_of(given: Given) -> str:
    """The session that a hook speaks of."""
    return str(given.get("session_id") or "default")


def record(host: Host, event: str, given: Given) -> None:
    """Record what a hook tells, before anything is looked for: nothing said is lost to a slow search."""
    telling = _TOLD.get(event)
    if telling is not None:
        delivery = str(given.get(DELIVERY) or "")
        capture.record(host, telling(host, session_of(given), given), delivery)
        settle(str(host.path), delivery)


def recall(host: Host, event: str, given: Given) -> dict[str, Any]:
    """The answer to a prompt or a tool alone, where the owner records what was said but is late with its answer."""
    from graphmem.hooks import recall

    session, found = session_of(given), NOTHING
    if event == "UserPromptSubmit":
        found = recall.for_prompt(host, str(given.get("prompt") or ""), session)
    elif event == "PreToolUse":
        found = _before_tool(host, session, given)
    return _told(host, event, session, found)


def _told(host: Host, event: str, session: str, found: Recalled) -> dict[str, Any]:
    if not found.text:
        return {}
    capture.record(host, [capture.shown(host, session, event, found)])
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": found.text}}


def _folder(given: Given) -> str:
    folder = given.get("cwd")
    return folder if isinstance(folder, str) else ""


def _session_start(host: Host, session: str, given: Given) -> Recalled:
    from graphmem.hooks import recall

    return NOTHING if given.get("source") == "resume" else recall.wake(host, _folder(given))  # resumed: told before


def _prompt(host: Host, session: str, given: Given) -> Recalled:
    from graphmem.hooks import recall

    return recall.for_prompt(host, str(given.get("prompt") or ""), session)


def _before_tool(host: Host, session: str, given: Given) -> Recalled:
    from graphmem.hooks import recall

    name, arguments = given.get("tool_name"), given.get("tool_input")
    if not isinstance(name, str) or name not in _PROBED or not isinstance(arguments, dict):
        return NOTHING
    return recall.for_tool(host, arguments, session, _folder(given))


_EVENTS: dict[str, Callable[[Host, str, Given], Recalled]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
}
_TOLD: dict[str, Callable[[Host, str, Given], Sequence[Draft]]] = {
    "SessionStart": lambda host, session, given: [capture.started(host, session, given)],
    "UserPromptSubmit": lambda host, session, given: capture.prompt(host, session, str(given.get("prompt") or "")),
    "PostToolUse": capture.tool,
    "PostToolUseFailure": capture.tool,
    "Stop": capture.said,
    "SubagentStop": capture.said,
    "PreCompact": capture.said,
    "SessionEnd": lambda host, session, given: [
        *capture.said(host, session, given),
        capture.ended(host, session, given),
    ],
}
