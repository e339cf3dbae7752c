"""Lines for the agent: how a memory is written in one line, which lines may be shown, and how many fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphmem.hooks.injection import Injection
from graphmem.log.approvals import read_approvals
from graphmem.model.changes import Item
from graphmem.model.results import Detail, Hit
from graphmem.ports.text import Stored
from graphmem.projections.registry import FACTS
from graphmem.retrieve.citations import CitationChecker
from graphmem.retrieve.guard import withheld_note
from graphmem.retrieve.present import to_microseconds
from graphmem.text.recall import fence_recalled
from graphmem.text.shortening import one_line
from graphmem.text.tokens import count_tokens
from graphmem.trust.origin import TRUSTED, is_vouched
from graphmem.trust.requests import requests_action
from graphmem.trust.urging import urges_command, without_advice, without_executed_commands

if TYPE_CHECKING:
    from graphmem.context import HookContext

_BUDGET = 800  # tokens of one answer
LONG = 400  # characters of a memory for a prompt
_SHORT = 150  # characters of each


def check_lines(lines: Sequence[tuple[Any, str]], tree: CitationChecker) -> list[tuple[Any, str]]:
    """Return these lines with a note about what they cite that is gone or changed since; without those that cite only files
    that are gone."""
    found = []
    for item, line in lines:
        check = tree.check(item.content, to_microseconds(item.at))
        if not check.is_gone:
            found.append((item, f"{line} ({check.note})" if check.note and item.kind != "symbol" else line))
    return found


def pack_lines(lines: Sequence[tuple[Any, str]], head: str, *, withheld: int = 0) -> Injection:
    """Return as many lines as the budget allows; withheld ones are counted if anything is returned."""
    text, kept = head, []
    for item, line in lines:
        if urges_action(item, line):
            continue
        longer = f"{text}\n{line}" if text else line
        if count_tokens(longer) > _BUDGET:
            break
        text = longer
        kept.append(item)
    if not kept and (not head or head.endswith(":")):
        return Injection()
    fenced = fence_recalled("\n".join(filter(None, (text, withheld_note(withheld)))))
    return Injection(fenced, count_tokens(fenced), tuple(i.id for i in kept), tuple(i.citation for i in kept))


def urges_action(item: Hit | Detail, line: str) -> bool:
    """Return whether a text that no person vouches for asks for a dangerous command, in whatever language, or the line
    that shows it asks to run, install, send or reveal something: nobody is shown that unasked."""
    if is_vouched(item.origin):
        return False
    shown = item.shown if isinstance(item, Hit) else item.content
    is_start = item.content.startswith(shown[:_SHORT])
    ran = without_executed_commands(shown, item.kind, item.role) if is_start else shown
    # The line has a head before the text and no line ends, so a request in it may not look like one.
    told = (ran,) if item.role == "tool" else (line, item.title, ran)
    if item.kind != "gotcha" and any(requests_action(text) for text in told if text):
        return True
    if item.origin in TRUSTED:
        return False
    return urges_command(f"{item.title}\n\n{ran}" if item.kind != "turn" else ran)


def load_details(host: HookContext, found: Sequence[Stored]) -> list[Detail]:
    """Return everything about these items."""
    return host.retriever.details([stored.item.id for stored in found]) if found else []


def memory_line(hit: Hit, limit: int) -> str:
    """Return a hit in one line, its text cut at `limit` characters."""
    shown = without_advice(hit.shown) if hit.kind == "gotcha" else hit.shown
    text = f"{hit.title}: {shown}" if hit.title and hit.title not in hit.shown else shown
    return f"{heading_of(hit)} {hit.place}".rstrip() + f": {one_line(text, limit)}"


def gotcha_line(item: Detail) -> str:
    """Return a failure and its fix in one line."""
    return f"{heading_of(item)}: {one_line(without_advice(item.content), LONG)}"


def heading_of(item: Hit | Detail) -> str:
    """Return the citation, kind and date of an item."""
    return f"{item.citation} {item.kind} {item.at:%Y-%m-%d}"


def is_indexed(host: HookContext) -> bool:
    """Return whether there is an index: building one takes too long for a hook."""
    return (host.path / "index.db").exists()


def unapproved_turns(host: HookContext, hits: Sequence[Hit]) -> set[str]:
    """Return the turns among these hits whose content waits for a person's approval."""
    guard, turns = host.retriever.ports.guard, [hit.id for hit in hits if hit.kind == "turn"]
    if guard is None or not turns or not read_approvals(host.log).is_required:
        return set()
    return guard.unapproved([one.item for one in host.retriever.ports.text.find(turns)])


def derived_facts(host: HookContext, item: Item) -> list[str]:
    """Return ids of the facts derived from the event of an item."""
    bodies = host.log.state.step_results(FACTS, item.event) if item.event else ()
    return [fact["id"] for body in bodies for fact in body.get("facts", ())]


def count_reviewable(host: HookContext, withheld: Sequence[str]) -> int:
    """Return how many of these withheld items `graphmem review` lists: those of an event that was flagged when it was recorded."""
    found = host.retriever.ports.text.find(withheld) if withheld else ()
    events = host.log.get(list({one.item.event for one in found if one.item.event}))
    return sum(bool(events[one.item.event].payload.get("suspicious")) for one in found if one.item.event in events)
