"""The one table of hook events: which of them are recorded, and which receive context for the agent. Every hook process
reads it, so it imports nothing beyond the standard library."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class HookEvent(NamedTuple):
    """How one event is handled."""

    is_recorded: bool = False  # its input becomes events of the log (`capture.RECORDERS`)
    has_context: bool = False  # the agent may receive context (`contexts.CONTEXTS`)
    only_after_failure: bool = False  # it receives context only if a command failed
    starts_owner: bool = False  # without an owner, the hook process starts one


EVENTS: dict[str, HookEvent] = {
    "SessionStart": HookEvent(is_recorded=True, has_context=True, starts_owner=True),
    "UserPromptSubmit": HookEvent(is_recorded=True, has_context=True, starts_owner=True),
    "PreToolUse": HookEvent(has_context=True),
    "PostToolUse": HookEvent(is_recorded=True, has_context=True, only_after_failure=True),
    "PostToolUseFailure": HookEvent(is_recorded=True, has_context=True, only_after_failure=True),
    "SubagentStart": HookEvent(has_context=True),
    "Stop": HookEvent(is_recorded=True, starts_owner=True),  # reads what was committed meanwhile
    "SubagentStop": HookEvent(is_recorded=True),
    "PreCompact": HookEvent(is_recorded=True),
    "SessionEnd": HookEvent(is_recorded=True),
}
_UNKNOWN = HookEvent()
UNTIL = "graphmem_until"  # key of a hook's input: when its process stops waiting, in microseconds since 1970


def hook_event(name: str) -> HookEvent:
    """Return how an event is handled. An unknown event is neither recorded nor answered."""
    return EVENTS.get(name, _UNKNOWN)


_DIGITS = 4_000  # of a number; Python refuses to convert slightly more


def parse_input(raw: bytes) -> Any:
    """Return what a hook was given; a number that is too long to convert as text. Raises ValueError."""
    return json.loads(raw.decode("utf-8", "replace") or "{}", parse_int=_integer)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS else digits
