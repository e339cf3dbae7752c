"""What a session starts with: standing memories, fixes for the files at hand, the tasks, and what the last sessions came to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from graphmem.cognify.skills import procedure_id
from graphmem.hooks import briefing, decisions, warnings
from graphmem.hooks.completed import facts_of_event
from graphmem.hooks.injection import SESSION, TASKS, Injection, join_injections
from graphmem.hooks.lines import (
    check_lines,
    count_reviewable,
    derived_facts,
    gotcha_line,
    heading_of,
    is_indexed,
    load_details,
    pack_lines,
)
from graphmem.hooks.selection import parts_injected
from graphmem.model.changes import Item
from graphmem.model.results import Detail
from graphmem.plurals import counted
from graphmem.ports.text import ItemFilter, Stored, TextIndex
from graphmem.projections.memories import project_memory
from graphmem.retrieve.citations import CitationChecker
from graphmem.text.recall import fence_recalled
from graphmem.text.settling import score_conclusiveness
from graphmem.text.shortening import one_line
from graphmem.text.tokens import count_tokens
from graphmem.trust.detector import assess

if TYPE_CHECKING:
    from graphmem.context import HookContext

_EXPLICIT = 20_000  # recent events in which memories count as recent
_GOALS = ("git commit", "git push")  # goals whose usual procedure is injected at session start
_PASSIVE = 3  # memories at session start
# Latest prompts that are searched for standing rules, and tokens of these at session start.
_ORDERED, _ORDERS = 400, 140
_MORE_RULES = 'graphmem search "rule" --kind fact'
_SEEN = 30  # latest memories from which these are selected; superseded ones are skipped
_WARNINGS = 3  # gotchas
_START, _LAST_TIME = 400, 500  # tokens at session start, and of an answer about the last sessions
_SETTLES = 10  # conclusiveness of a memory from which it precedes others
_NUMBER = re.compile(r"\d+")
_SHORT = 150  # characters of each
_OWN_STEPS = 15  # latest steps of a session's own list


def session_start_context(host: HookContext, folder: str = "", session: str = "") -> Injection:
    """Return the state of the work: pinned memories and the latest explicit ones, summaries of recent sessions, fixes for
    the files at hand, the usual commit procedure, and the state of the tasks. Superseded memories, and gotchas without a
    fix, are left out."""
    shown: list[tuple[Any, str]] = []
    withheld = 0
    if is_indexed(host):
        recent = [
            *_without_superseded(host, _pinned_memories(host)),
            *_without_superseded(host, _explicit_memories(host))[-_PASSIVE:][::-1],
        ]
        orders = _without_superseded(host, _standing_orders(host, session))
        known = load_details(host, _news(host, warnings.fixed_gotchas_for_files(host, warnings.changed_paths(folder))))
        trouble = [item for item in known if not item.withheld][:_WARNINGS]
        details = [one for one in (host.retriever.details(recent) if recent else ()) if one.origin != "machine"]
        withheld = count_reviewable(host, [one.id for one in details if one.withheld])
        shown = [(one, _told(one)) for one in details if not one.withheld]
        shown += _rules(host, [one for one in orders if one not in recent])
        shown += [(item, f"known problem here: {gotcha_line(item)}") for item in trouble if item.id not in recent]
        usual = _without_superseded(host, [procedure_id(host.project, goal) for goal in _GOALS])
        shown += [(item, item.title) for item in (host.retriever.details(usual) if usual else ()) if not item.withheld]
        shown = check_lines(shown, CitationChecker(decisions.root_of(folder), host.retriever.ports.places))
    tasks = _open_tasks(host)
    found = pack_lines(shown, tasks, withheld=withheld)
    found = replace(found, parts=(_tasks_part(session, tasks),) if tasks else ())
    said = tuple(item.content for item, _ in shown)
    rest = _recent_sessions(host, session, _START - found.tokens, said) if is_indexed(host) else Injection()
    return join_injections(found, rest)


def _rules(host: HookContext, orders: Sequence[str]) -> list[tuple[Detail, str]]:
    """Return standing rules with their lines, as many as the tokens for them allow; the last line counts the others."""
    details = host.retriever.details(orders) if orders else ()
    bound = [  # without the date, so that more have room: they hold
        (one, f"{one.citation} rule: {one_line(one.title or one.content, _SHORT)}")
        for one in details
        if one.origin != "machine" and not one.withheld
    ]
    spent = list(accumulate(count_tokens(line) for _, line in bound))
    kept = bound[: max(1, sum(tokens <= _ORDERS for tokens in spent))]
    if left := len(bound) - len(kept):
        item, line = kept[-1]
        kept[-1] = item, f"{line} (and {counted(left, 'more rule')}: {_MORE_RULES})"
    return kept


def _told(item: Detail) -> str:
    return f"{heading_of(item)}{_by(item)}: {one_line(item.title or item.content, _SHORT)}"


def last_time_context(host: HookContext, session: str) -> Injection:
    """Return what the last sessions came to and the open tasks, for a prompt that asks for it, without what this session was
    already shown."""
    if not is_indexed(host):
        return Injection()
    known = parts_injected(host, session)
    head = _open_tasks(host)
    part = _tasks_part(session, head)
    tasks = replace(pack_lines((), head), parts=(part,)) if head and part not in known else Injection()
    return join_injections(_recent_sessions(host, session, _LAST_TIME - tasks.tokens, (), known), tasks)


def own_list_context(host: HookContext, session: str) -> Injection:
    """Return the to-do list that a session's agent keeps, which a compaction of its context may have lost."""
    steps = briefing.steps_to_show(host, session)
    if not any(step.open for step in steps):
        return Injection()
    marks = {"done": "x", "in_progress": ">"}
    kept = [step for step in steps if step.status != "cancelled"][-_OWN_STEPS:]
    lines = [f"- [{marks.get(step.status, ' ')}] {one_line(step.title, _SHORT)}" for step in kept]
    text = fence_recalled("\n".join(["The to-do list of this session (> is in progress):", *lines]))
    return Injection(text, count_tokens(text))


def _open_tasks(host: HookContext) -> str:
    """Return the state of the tasks, "" without open ones. An agent may have made a task of what a page said: such lines are
    left out."""
    prime = host.tasks.prime(unasked=True)
    lines = [line for line in prime.split("\n") if not assess(line)]
    return "" if prime.startswith("Tasks: 0 open") else "\n".join(lines)


def _tasks_part(session: str, text: str) -> str:
    """Return what tells this state of the tasks from another one, without its text, which may be forgotten."""
    return f"{TASKS} {hashlib.sha256(f'{session}|{text}'.encode()).hexdigest()[:8]}"


def _news(host: HookContext, gotchas: Sequence[Stored]) -> list[Stored]:
    """Return those gotchas that no earlier session started with since they last occurred."""
    if not gotchas:
        return []
    events = host.log.read(max(0, host.log.head() - _EXPLICIT), types=("memory_shown",))
    started = [event for event in events if event.payload.get("event") == "SessionStart"]
    known = {item: event.at for event in started for item in event.payload.get("items", ())}
    return [one for one in gotchas if known.get(one.item.id, -1) < one.item.at]


def _recent_sessions(
    host: HookContext, session: str, budget: int, said: Sequence[str], known: Collection[str] = ()
) -> Injection:
    """Return summaries of recent sessions without what is `said` already and parts that are `known`, and later changes to their
    files, within a token budget, the latest session at any rate. What they state does not count as shown: the full statement
    is injected when it matters."""
    briefs = [one for one in briefing.last_sessions(host, session, said) if _session_part(one) not in known]
    if not briefs:
        return Injection()
    told, later = [brief.text for brief in briefs], briefing.changed_since(host, briefs)
    while (found := _sessions_text(told, later)).tokens > budget and (later or len(told) > 1):
        (later or told).pop()
    return replace(found, parts=tuple(map(_session_part, briefs[: len(told)])))


def _session_part(brief: briefing.Brief) -> str:
    return f"{SESSION} {brief.session} {brief.at}"


def _sessions_text(told: Sequence[str], later: Sequence[str]) -> Injection:
    lines = ["Last sessions, newest first:", *(f"- {line}" for line in told)]
    if later:
        lines += ["Changed in these files since:", *(f"- {line}" for line in later)]
    text = fence_recalled("\n".join(lines))
    return Injection(text, count_tokens(text))


def _without_superseded(host: HookContext, ids: Sequence[str]) -> list[str]:
    """Return those items that were neither superseded nor rated wrong, in the given order."""
    text = host.retriever.ports.text
    found = text.find(ids) if ids else ()
    # A long item is found by its passages; the first one has the next row.
    leads = {one.row: one.row + _is_split(text, one) for one in found}
    lets = text.mask(ItemFilter(but=(), faded=True))
    return [
        one.item.id
        for one in found
        if lets[leads[one.row]] and one.status != "superseded" and not _is_superseded(host, one.item)
    ]


def _is_split(text: TextIndex, one: Stored) -> bool:
    return any(following.parent == one.row for following in text.items([one.row + 1]))


def _is_superseded(host: HookContext, item: Item) -> bool:
    """Return whether every fact derived from an item was superseded. The item itself is not a fact."""
    if item.kind == "fact" or not item.event:
        return False
    facts = derived_facts(host, item)
    found = host.retriever.ports.text.find(facts) if facts else ()
    return bool(found) and all(stored.status == "superseded" for stored in found)


def _explicit_memories(host: HookContext) -> list[str]:
    """Return the latest explicit memories, those that settle something last; of those that differ only in a number, the latest."""
    events = host.log.read(max(0, host.log.head() - _EXPLICIT), types=("memory_remembered",))
    items = [item for event in events for item in project_memory(event).items]
    latest: dict[str, Item] = {}
    for item in reversed(items):
        latest.setdefault(_NUMBER.sub("#", f"{item.title} {item.text}".lower()), item)
    oldest_first = list(latest.values())[:_SEEN][::-1]
    return [one.id for one in sorted(oldest_first, key=lambda one: score_conclusiveness(one.text) >= _SETTLES)]


def _standing_orders(host: HookContext, session: str) -> list[str]:
    """Return the rules and preferences that persons stated in recent sessions, latest first, each once."""
    found: dict[str, str] = {}
    for event in host.log.pages.newest(_ORDERED, types=("user_prompt",)):
        if event.project != host.project or event.session == session or event.foreign or event.payload.get("agent"):
            continue
        for fact in facts_of_event(host, event.id):
            if fact["kind"] in ("rule", "preference") and fact.get("origin", "person") == "person":
                found.setdefault(fact["content"], fact["id"])
    return list(found.values())[:_SEEN]


def _pinned_memories(host: HookContext) -> list[str]:
    """Return memories of the tree that the user pinned, latest first."""
    modes: dict[str, str] = {}
    for event in host.log.read(max(0, host.log.head() - _EXPLICIT), types=("memory_marked",)):
        for node in event.payload.get("nodes", ()):
            modes.pop(node, None)
            modes[node] = str(event.payload.get("mode"))
    return [node for node, mode in modes.items() if mode != "active"][-_PASSIVE:]


def _by(item: Detail) -> str:
    """Return the mark of a memory that an agent saved."""
    return " (by an agent)" if item.origin == "agent" else ""
