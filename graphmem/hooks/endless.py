"""Endless mode in hooks: consolidates due turns after each recorded event, and injects what the session continues. In any
mode, after the host compacted a conversation, it restores its content. Everything is read from the log, so all processes
agree; the graph is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphmem.endless.consolidate import consolidate_due, memories_of_event
from graphmem.endless.switch import switched_on
from graphmem.endless.trail import CONSOLIDATED, Trail, read_trail
from graphmem.endless.working import INJECTED, continuity_label, present_continuity, working_set
from graphmem.hooks.injection import CONVERSATION, NOTHING, Injection
from graphmem.hooks.selection import already_injected
from graphmem.model.events import Event
from graphmem.model.tree import ConsolidatedMemory, WorkingEvent
from graphmem.retrieve.guard import Guard
from graphmem.retrieve.present import truncate_text
from graphmem.text.questions import is_request_for_answer
from graphmem.text.recall import fence_recalled
from graphmem.text.tokens import count_tokens
from graphmem.text.words import content_words, is_echo
from graphmem.tree.window import restored_context
from graphmem.tree.words import stem_for_topics, topic_words
from graphmem.trust.origin import TRUSTED, is_vouched, origin_of
from graphmem.trust.requests import requests_action
from graphmem.trust.urging import urges_command

if TYPE_CHECKING:
    from graphmem.context import HookContext

EVENTS, MEMORIES = 10, 3  # events of the working set, and memories, that are injected
_BUDGET = 900  # tokens
_LOOKED_AT = 6  # consolidations from which memories are selected
_SHARED = 2  # words that a prompt and a memory must share
_MEMORY = 400  # characters of a memory
_ENDINGS = {"SessionEnd": "session_end", "PreCompact": "compact"}


def build_endless_injection(host: HookContext, event: str, session: str, given: Mapping[str, Any]) -> Injection:
    """Return the injection of endless mode for a hook; consolidate first what is due."""
    if event == "SessionStart" and given.get("source") == "compact":
        indexed = (host.path / "index.db").exists()
        return _fenced(Injection(restored_context(host, session, indexed=indexed), parts=(CONVERSATION,)))
    if switched_on(host) is not None:
        consolidate_due(host, _ENDINGS.get(event, ""))
        if event in ("SessionStart", "UserPromptSubmit") and given.get("source") != "resume":
            return _fenced(
                endless_context(host, session, str(given.get("prompt") or ""), already_injected(host, session))
            )
    return NOTHING


def _fenced(found: Injection) -> Injection:
    text = fence_recalled(found.text) if found.text else ""
    return replace(found, text=text, tokens=count_tokens(text))


def endless_context(host: HookContext, session: str, prompt: str, known: set[str]) -> Injection:
    """Return the working set of other sessions and the memories, most relevant first; with a prompt only relevant ones.
    What the session already received is left out."""
    seen = read_trail(host)
    asked = frozenset(map(stem_for_topics, topic_words(prompt)))
    content = set(content_words(prompt))
    events = [
        one
        for one in working_set(seen)
        if one.session != session
        and one.id not in known
        and one.relevance >= INJECTED
        and _fits(asked, prompt, one.text)
        and not (
            prompt and (is_request_for_answer(one.text) or is_echo(content, one.text))
        )  # the same question again tells nothing
    ]
    events = list({" ".join(one.text.lower().split()): one for one in reversed(events)}.values())[::-1][:EVENTS]
    allowed = Guard(host.log).shown(host.log.get([one.id for one in events]).values())
    shown = {event.id for event in allowed if not event.foreign and not _urges_action(event)}
    events = [one for one in events if one.id in shown]
    found = [one for one in _latest(host) if one.id not in known and _fits(asked, prompt, one.summary)]
    found.sort(key=lambda one: -len(asked & frozenset(map(stem_for_topics, topic_words(one.summary)))))
    return _packed(seen, events, found[:MEMORIES])


def _urges_action(event: Event) -> bool:
    """Return whether somebody other than the person asks in it for an action."""
    text, origin = str(event.payload.get("content") or ""), origin_of(event)
    return not is_vouched(origin) and ((origin not in TRUSTED and urges_command(text)) or requests_action(text))


def _fits(asked: frozenset[str], prompt: str, text: str) -> bool:
    return not prompt or len(asked & frozenset(map(stem_for_topics, topic_words(text)))) >= _SHARED


def _latest(host: HookContext) -> list[ConsolidatedMemory]:
    """Return the newest memories, newest first."""
    decided = [one for one in host.log.pages.newest(_LOOKED_AT, types=[CONSOLIDATED]) if one.project == host.project]
    return [one for event in decided for one in reversed(memories_of_event(host, event))]


def _packed(seen: Trail, events: list[WorkingEvent], found: list[ConsolidatedMemory]) -> Injection:
    if not events and not found:
        return Injection()
    score = present_continuity(seen)
    lines = [
        f"This session continues earlier work (continuity {continuity_label(score)}{'' if score is None else f' {score:.2f}'}):"
    ]
    ids: list[str] = []
    rows = [(one.id, f"[{one.id}] {one.at:%m-%d %H:%M} {truncate_text(one.summary, _MEMORY)}") for one in found]
    rows += [(one.id, f"{one.at:%m-%d %H:%M} {one.role}: {one.text}") for one in events]
    for identifier, line in rows:
        if count_tokens("\n".join([*lines, line])) <= _BUDGET:
            lines.append(line)
            ids.append(identifier)
    text = "\n".join(lines)
    return Injection(text, count_tokens(text), tuple(ids), tuple(ids))
