"""Skills: what is known of one topic once three facts of different kinds speak of it: principles, pitfalls and a guide."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from graphmem.cognify.made import ConcludedNode, node_of
from graphmem.cognify.pile import Entry
from graphmem.model.changes import Edge, Item
from graphmem.projections import names

Topic = tuple[str, str]  # project, id of the entity
_LEAST, _MOST = 3, 12  # facts
_TOPICS = frozenset({"library", "file", "function", "class", "command", "application", "language", "variable", "flag"})
_PRINCIPLES = frozenset({"decision", "rule", "preference", "property"})
_PITFALLS = frozenset({"failure", "cause"})
_LESSONS = frozenset({"decision", "rule", "preference", "failure", "cause"})


class Topical(NamedTuple):
    """A fact about a topic, and how its text spells the topic."""

    clock: int
    at: int
    fact: dict[str, Any]
    name: str


def group_by_topic(entries: Iterable[Entry], without: Collection[str]) -> dict[Topic, list[Topical]]:
    """What each named thing of a project is told about; facts `without` are left out."""
    found: dict[Topic, list[Topical]] = {}
    for entry in entries:
        for fact in entry.body["facts"]:
            if fact["id"] not in without:
                for kind, name in fact["entities"]:
                    if kind in _TOPICS and len(name) > 2:
                        key = (entry.body["project"], names.entity_id(kind, name))
                        found.setdefault(key, []).append(Topical(entry.clock, entry.at, fact, name))
    return found


def skill_id(project: str, entity: str) -> str:
    """Id of the Skill of one topic."""
    return f"skill:{hashlib.sha256(f'{project}|{entity}'.encode()).hexdigest()[:20]}"


def make_skill(topic: Topic, found: Iterable[Topical]) -> ConcludedNode | None:
    """The Skill of a topic that at least three facts are about, one of which is a lesson: what was changed teaches nothing."""
    group = sorted(found, key=lambda topical: (topical.clock, topical.fact["id"]))
    if len({one.fact["id"] for one in group}) < _LEAST or not any(one.fact["kind"] in _LESSONS for one in group):
        return None
    project, identifier = topic[0], skill_id(*topic)
    name = group[0].name
    facts = list({one.fact["id"]: one.fact for one in group}.values())[-_MOST:]
    principles = [fact["content"] for fact in facts if fact["kind"] in _PRINCIPLES]
    pitfalls = [fact["content"] for fact in facts if fact["kind"] in _PITFALLS]
    guide = [fact["content"] for fact in facts if fact["kind"] in ("fix", "change")]
    parts = {"Principles": principles, "Pitfalls": pitfalls, "Guide": guide}
    content = "\n".join(
        "\n".join([f"{part}:", *(f"- {line}" for line in lines)]) for part, lines in parts.items() if lines
    )
    at = max(one.at for one in group)
    title = f"Working with {name}"
    properties = {"project": project, "title": title, "content": content, "topic": name, "guide": "\n".join(guide),
                  "principles": principles, "pitfalls": pitfalls, "confidence": 0.6, "level": 1, "stage": "working",
                  "status": "active", "at": at}  # fmt: skip
    edges = [Edge("DERIVED_FROM", "Skill", identifier, "Fact", fact["id"], {"at": at}) for fact in facts]
    item = Item(identifier, "skill", title, content, at, "", "", project)
    return ConcludedNode(node_of("Skill", identifier, properties), edges, item)
