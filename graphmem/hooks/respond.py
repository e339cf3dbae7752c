"""The answer to one hook: `respond` takes what the agent said, records it, and gives back what the agent should know.
Each event is one function; an unknown one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphmem.hooks import capture
from graphmem.hooks.context import Host
from graphmem.hooks.injection import NOTHING, Recalled, joined

Given = Mapping[str, Any]
Extra = Callable[[Host, str, str, Given], Recalled]
_PROBED = frozenset({"Bash", "Edit", "MultiEdit", "Write"})  # tools whose use can repeat an old mistake


def respond(host: Host, event: str, given: Given, until: int = 0, extras: Sequence[Extra] = ()) -> dict[str, Any]:
    """What to print for the agent (REQUIREMENTS 12); nothing when that would come after `until` (microseconds since 1970),
    when nobody waits any more. `extras` are what layers above this one do with the event once it is recorded, and tell.
    Raises only what the store raises."""
    session = str(given.get("session_id") or "default")
    act = _EVENTS.get(event)
    found = act(host, session, given) if act else NOTHING
    for extra in extras:
        found = joined(found, extra(host, event, session, given))
    return {} if 0 < until < host.clock.now() else _told(host, event, session, found)


def recall(host: Host, event: str, given: Given) -> dict[str, Any]:
    """The answer to a prompt or a tool alone, where the owner records what was said but is late with its answer."""
    from graphmem.hooks import recall

    session, found = str(given.get("session_id") or "default"), NOTHING
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

    capture.record(host, [capture.started(host, session, given)])
    return NOTHING if given.get("source") == "resume" else recall.wake(host, _folder(given))  # resumed: told before


def _prompt(host: Host, session: str, given: Given) -> Recalled:
    from graphmem.hooks import recall

    prompt = str(given.get("prompt") or "")
    capture.record(host, capture.prompt(host, session, prompt))  # first: nothing said is lost to a slow search
    return recall.for_prompt(host, prompt, session)


def _before_tool(host: Host, session: str, given: Given) -> Recalled:
    from graphmem.hooks import recall

    name, arguments = given.get("tool_name"), given.get("tool_input")
    if not isinstance(name, str) or name not in _PROBED or not isinstance(arguments, dict):
        return NOTHING
    return recall.for_tool(host, arguments, session, _folder(given))


def _after_tool(host: Host, session: str, given: Given) -> Recalled:
    capture.record(host, capture.tool(host, session, given))
    return NOTHING


def _catch_up(host: Host, session: str, given: Given) -> Recalled:
    capture.record(host, capture.said(host, session, given))
    return NOTHING


def _session_end(host: Host, session: str, given: Given) -> Recalled:
    capture.record(host, [*capture.said(host, session, given), capture.ended(host, session, given)])
    return NOTHING


_EVENTS: dict[str, Callable[[Host, str, Given], Recalled]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _before_tool,
    "PostToolUse": _after_tool,
    "PostToolUseFailure": _after_tool,
    "Stop": _catch_up,
    "SubagentStop": _catch_up,
    "PreCompact": _catch_up,
    "SessionEnd": _session_end,
}
