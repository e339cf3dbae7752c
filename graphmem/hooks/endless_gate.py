"""Whether a hook concerns endless mode: the little that every hook asks. It loads nothing but what a hook that only records
has loaded anyway; what is then done is for `inject`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphmem.endless.switch import switched_on
from graphmem.hooks.injection import NOTHING, Injection

if TYPE_CHECKING:
    from graphmem.hooks.context import HookContext

_RECORDING = frozenset(
    """SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop PreCompact SessionEnd""".split()
)


def endless_injection(host: HookContext, event: str, session: str, given: Mapping[str, Any]) -> Injection:
    """What a hook does and tells beyond what it does anyway; nothing where endless mode is off and nothing was compacted."""
    compacted = event == "SessionStart" and given.get("source") == "compact"
    if event not in _RECORDING or not (compacted or switched_on(host)):
        return NOTHING
    from graphmem.hooks.endless import inject_endless

    return inject_endless(host, event, session, given)
