"""Patterns: shapes of change that commits of a project repeat, such as a fix that always comes with a test."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from graphmem.cognify.made import ConcludedNode, node_of
from graphmem.cognify.pile import Entry
from graphmem.model.changes import Edge, Item

_LEAST = 2  # commits
_EXAMPLES = 5


def pattern_commits(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The commits among these episodes, by project."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.body["kind"] == "commit":
            found.setdefault(entry.body["project"], []).append(entry)
    return found


def find_patterns(entries: Iterable[Entry]) -> list[ConcludedNode]:
    """A Pattern for each shape that at least two commits of one project have which were not reverted."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    kinds: Counter[tuple[str, str]] = Counter()  # commits of each kind
    reverted: set[str] = set()
    for entry in sorted(entries, key=lambda entry: (entry.at, entry.clock, entry.source)):
        subject = entry.body["subject"]
        if subject.startswith('Revert "'):
            reverted.add(subject[8:].rstrip('"'))
            continue
        if entry.body["shape"]:
            kinds[_kind((entry.body["project"], entry.body["shape"]))] += 1
        if ", " in entry.body["shape"]:  # one place alone is no shape
            groups.setdefault((entry.body["project"], entry.body["shape"]), []).append(entry)
    passing = ((place, [e for e in group if e.body["subject"] not in reverted]) for place, group in groups.items())
    return [_pattern(*place, group, kinds[_kind(place)]) for place, group in passing if len(group) >= _LEAST]


def _kind(place: tuple[str, str]) -> tuple[str, str]:
    return place[0], place[1].partition(": ")[0]


def _pattern(project: str, shape: str, group: list[Entry], of: int) -> ConcludedNode:
    identifier = f"pattern:{hashlib.sha256(f'{project}|{shape}'.encode()).hexdigest()[:20]}"
    kind, _, touched = shape.partition(": ")
    *most, last = touched.split(", ")
    places = f"{', '.join(most)} and {last}"
    title = f"{kind} commits touch {places} together"
    examples = [entry.body["subject"] for entry in group[-_EXAMPLES:]]
    description = f"{len(group)} of {of} commits of kind {kind} changed {places} together."
    content = "\n".join([description, "Examples:", *(f"- {subject}" for subject in examples)])
    at = max(entry.at for entry in group)
    properties = {"project": project, "title": title, "content": content, "description": description, "context": kind,
                  "example": examples[-1], "criteria": f"a {kind} commit changes {places}", "frequency": len(group),
                  "confidence": 1 - 1 / (1 + len(group)), "level": 1, "stage": "working", "status": "active", "at": at}  # fmt: skip
    edges = [Edge("DERIVED_FROM", "Pattern", identifier, "Commit", e.body["node"], {"at": e.at}) for e in group]
    item = Item(identifier, "pattern", title, content, at, "", "", project)
    return ConcludedNode(node_of("Pattern", identifier, properties), edges, item)
