"""Asks the coding agent for memories, once in a session, if the user set `capture.ask`: after a commit, or when its conversation
was compacted. Only events whose output may carry context are used, so nothing is blocked and the agent is not made to go on;
when a session ends, there is no agent left to ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphmem.hooks.capture import agent_of, tool_drafts
from graphmem.hooks.injection import ASK, NOTHING, Injection
from graphmem.text.tokens import count_tokens

if TYPE_CHECKING:
    from graphmem.context import HookContext

REQUEST = (
    "graphmem (setting capture.ask, asked once in this session): if the work so far taught something that a later session needs"
    " and that code and commits do not say (a decision with its reason, a rule or preference of the user, a cause with its fix),"
    " save it with the tool `memory` of graphmem, action `conclude`. `memories` is a list of at most seven objects with kind (fact,"
    " decision, rule, preference, gotcha), text (one self-contained sentence), subject, value, files and evidence (a verbatim"
    " quote of this conversation). Save nothing that is only true now. If there is nothing, go on without a word about this."
)


def request_for_memories(host: HookContext, event: str, session: str, given: Mapping[str, Any]) -> Injection:
    """Return the request at the end of a piece of work; empty if it is switched off, or this session was asked before."""
    if not host.settings.capture.ask or agent_of(given) or not _ends_work(host, event, session, given):
        return NOTHING
    from graphmem.hooks.selection import parts_injected

    if ASK in parts_injected(host, session):
        return NOTHING
    return Injection(REQUEST, count_tokens(REQUEST), parts=(ASK,))


def _ends_work(host: HookContext, event: str, session: str, given: Mapping[str, Any]) -> bool:
    if event == "SessionStart":
        return given.get("source") == "compact"
    if event != "PostToolUse":
        return False
    return any(
        draft.payload.get("commits") and not draft.payload["failed"] for draft in tool_drafts(host, session, given)
    )
