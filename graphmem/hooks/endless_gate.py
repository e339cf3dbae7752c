"""Decides whether a hook concerns endless mode. Every hook runs this, so it imports nothing beyond what a recording hook
already has; the work is in `hooks/endless.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphmem.endless.switch import switched_on
from graphmem.hooks.events import hook_event
from graphmem.hooks.injection import NOTHING, Injection

if TYPE_CHECKING:
    from graphmem.context import HookContext


def endless_injection(host: HookContext, event: str, session: str, given: Mapping[str, Any]) -> Injection:
    """Return the injection of endless mode; empty if the mode is off and no conversation was compacted."""
    compacted = event == "SessionStart" and given.get("source") == "compact"
    if not hook_event(event).is_recorded or not (compacted or switched_on(host)):
        return NOTHING
    from graphmem.hooks.endless import build_endless_injection

    return build_endless_injection(host, event, session, given)
