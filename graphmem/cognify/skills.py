"""Skills: what is known of one topic once three facts of different kinds speak of it: principles, pitfalls and a guide."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from typing import Any

from graphmem.cognify.ledger import Entry
from graphmem.cognify.made import Made, node_of
from graphmem.model.changes import Edge, Item
from graphmem.projections import names

_LEAST, _MOST = 3, 12  # facts
_TOPICS = frozenset({"library", "file", "function", "class", "command", "application", "language", "variable", "flag"})
_PRINCIPLES = frozenset({"decision", "rule", "preference", "property"})
_PITFALLS = frozenset({"failure", "cause"})


def skills(entries: Iterable[Entry], without: Collection[str]) -> list[Made]:
    """A Skill for each named thing of a project that at least three facts are about, two of which say more than what
    was changed."""
    topics: dict[tuple[str, str], list[tuple[Entry, dict[str, Any], str]]] = {}
    for entry in entries:
        for fact in entry.body["facts"]:
            if fact["id"] not in without:
                for kind, name in fact["entities"]:
                    if kind in _TOPICS and len(name) > 2:
                        key = (entry.body["project"], names.entity(kind, name))
                        topics.setdefault(key, []).append((entry, fact, name))
    return [_skill(project, group) for (project, _), group in topics.items() if _enough(group)]


def _enough(group: list[tuple[Entry, dict[str, Any], str]]) -> bool:
    telling = [fact for _, fact, _ in group if fact["kind"] not in ("change", "property")]
    return len({fact["id"] for _, fact, _ in group}) >= _LEAST and bool(telling)


def _skill(project: str, group: list[tuple[Entry, dict[str, Any], str]]) -> Made:
    name = group[0][2]
    identifier = f"skill:{hashlib.sha256(f'{project}|{name.lower()}'.encode()).hexdigest()[:20]}"
    facts = list({fact["id"]: fact for _, fact, _ in group}.values())[-_MOST:]
    principles = [fact["content"] for fact in facts if fact["kind"] in _PRINCIPLES]
    pitfalls = [fact["content"] for fact in facts if fact["kind"] in _PITFALLS]
    guide = [fact["content"] for fact in facts if fact["kind"] in ("fix", "change")]
    parts = {"Principles": principles, "Pitfalls": pitfalls, "Guide": guide}
    content = "\n".join(
        "\n".join([f"{part}:", *(f"- {line}" for line in lines)]) for part, lines in parts.items() if lines
    )
    at = max(entry.at for entry, _, _ in group)
    title = f"Working with {name}"
    properties = {"project": project, "title": title, "content": content, "topic": name, "guide": "\n".join(guide),
                  "principles": principles, "pitfalls": pitfalls, "confidence": 0.6, "level": 1, "stage": "working",
                  "status": "active", "at": at}  # fmt: skip
    edges = [Edge("DERIVED_FROM", "Skill", identifier, "Fact", fact["id"], {"at": at}) for fact in facts]
    item = Item(identifier, "skill", title, content, at, "", "", project)
    return Made(node_of("Skill", identifier, properties), edges, item)
