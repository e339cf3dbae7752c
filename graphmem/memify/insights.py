"""Insights across all sessions: recurring statements, preferences, and known technologies. Each insight is a Pattern with
its facts; one digest per type is searchable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.memify.derived_nodes import DerivedNode, name_of, upsert_derived
from graphmem.model.changes import Edge, Item, Node
from graphmem.ports.entries import HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext

PREFIX = "insight:"
_MAX_PER_TYPE = 50  # insights per type
_DIGEST = 15  # of these in the digest
_AGAIN = 2  # minimum repetitions
_SESSIONS, _PROMPTS = 5, 10  # minimum sessions and prompts that mention a technology: less is a topic of some days
_KNOWN = ["library", "language"]
_FORMATS = frozenset("markdown json yaml toml xml csv html css text plaintext regex svg".split())  # named in passing
_TITLES = {"recurring": "Recurring statements", "preference": "Preferences in this project"}


class _Insight:
    """An insight before it is written."""

    def __init__(self, sort: str, content: str, frequency: int, confidence: float, at: int, facts: list[str]) -> None:
        self.sort, self.content, self.frequency = sort, " ".join(content.split()), frequency
        self.confidence, self.at, self.facts = round(confidence, 3), at, facts


def update_insights(context: RunContext) -> None:
    """Write the current insights."""
    found = [*_recurring(context), *_preferences(context), *_expertise(context)]
    told = [_told(context, each) for each in found]
    for sort, title in _TITLES.items():
        group = [each for each in found if each.sort == sort]
        if group:
            told.append(_digest(context, sort, title, group[:_DIGEST]))
    upsert_derived(context, PREFIX, told)
    context.counts["insights"] = len(found)


def _visible(context: RunContext, item: str, place: dict[str, int]) -> bool:
    at = place.get(item)
    return at is not None and bool(context.here[at]) and not context.priors.flags[context.entries.rows[at]] & HIDDEN


def _recurring(context: RunContext) -> list[_Insight]:
    """Return facts stated in several sessions: confidence n/5, at most 1."""
    said = {
        item: times
        for item, times in context.duplicates.said.items()
        if times >= _AGAIN and _visible(context, item, context.place)
    }
    best = sorted(said, key=lambda item: (-said[item], item))[:_MAX_PER_TYPE]
    texts = context.texts([context.place[item] for item in best])
    behind: dict[str, list[str]] = {item: [item] for item in best}
    for other, first in context.duplicates.first.items():
        if first in behind:
            behind[first].append(other)
    return [
        _Insight("recurring", texts[context.place[item]], said[item], min(1.0, said[item] / 5),
                 max(int(context.entries.at[context.place[fact]]) for fact in behind[item]), sorted(behind[item]))
        for item in best
    ]  # fmt: skip


def _preferences(context: RunContext) -> list[_Insight]:
    """Return preferences: confidence of at least .7, more if repeated."""
    rows = context.query("facts_of_kinds", kinds=["preference"])
    wanted = {row[0] for row in rows}
    place = {item: at for at, item in enumerate(context.entries.ids) if item in wanted}
    found = []
    for item, _, content, _, at, _ in rows:
        if _visible(context, item, place):
            times = context.duplicates.said.get(item, 1)
            found.append(_Insight("preference", content, times, 1 - 0.3 * 0.5 ** (times - 1), _micro(at), [item]))
    return sorted(found, key=lambda each: (-each.frequency, -each.at, each.content))[:_MAX_PER_TYPE]


def _expertise(context: RunContext) -> list[_Insight]:
    """Return languages and libraries that the user mentions again and again."""
    found, latest = [], int(context.entries.at[context.here].max(initial=0))
    for _, name, kind, sessions, turns in context.query("worked_with", types=_KNOWN, least=_SESSIONS):
        if turns < _PROMPTS or name.lower() in _FORMATS:
            continue
        content = f"The user often works with the {kind} {name} ({turns} prompts in {sessions} sessions)"
        found.append(_Insight("expertise", content, sessions, min(1.0, sessions / 10), latest, []))
    return found[:_MAX_PER_TYPE]


def _micro(at: object) -> int:
    from datetime import datetime

    return int(at.timestamp() * 1e6) if isinstance(at, datetime) else 0


def _told(context: RunContext, each: _Insight) -> DerivedNode:
    key = each.facts[0] if each.facts else each.content.partition(" (")[0]
    identifier = f"{PREFIX}{each.sort}:{name_of(context.store.project, key)}"
    node = Node("Pattern", identifier, {
        "project": context.store.project, "title": each.content[:100], "content": each.content, "context": each.sort,
        "frequency": each.frequency, "confidence": each.confidence, "stage": "working", "level": 1, "status": "active",
        "at": each.at,
    })  # fmt: skip
    return DerivedNode(node, [Edge("DERIVED_FROM", "Pattern", identifier, "Fact", fact, {}) for fact in each.facts])


def _digest(context: RunContext, sort: str, title: str, group: list[_Insight]) -> DerivedNode:
    identifier = f"{PREFIX}{sort}:{name_of(context.store.project)}:digest"
    content = "\n".join(f"- {each.content}" for each in group)
    at = max(each.at for each in group)
    confidence = round(sum(each.confidence for each in group) / len(group), 3)
    node = Node("Summary", identifier, {"project": context.store.project, "kind": sort, "title": title, "content": content,
                                        "confidence": confidence, "session": "", "at": at})  # fmt: skip
    facts = [fact for each in group for fact in each.facts]
    edges = [Edge("DERIVED_FROM", "Summary", identifier, "Fact", fact, {}) for fact in facts]
    return DerivedNode(node, edges, Item(identifier, "summary", title, content, at, "", "", context.store.project))
