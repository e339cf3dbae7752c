"""Patterns: regularities of the commits of a project, with how often they hold and where they did not: a file that changes
whenever another does, and what commits of one kind always bring along. Reverted commits and those whose tests failed
are no evidence."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

from graphmem.cognify.concluded import ConcludedNode, node_of
from graphmem.cognify.episodes import BESIDE
from graphmem.cognify.packed_entries import Entry
from graphmem.model.changes import Edge, Item
from graphmem.projections import names

_LEAST = 3  # commits of one kind
_LEAST_TOGETHER = 4  # commits that changed both files
_MOSTLY = 0.6  # share of the commits of a kind
_NEARLY = 0.7  # share of the commits of a file
_LIFT = 2.0  # how much likelier a file is changed than otherwise
_RECENT = 2_000  # commits that are looked at: habits change
_STALE = 3 * 366 * 86_400_000_000  # microseconds before the last commit at which a habit is past
_FILES = 12  # of a commit that says which files belong together
_MOST = 30  # pairs of files
_EXAMPLES, _EXCEPTIONS, _EVIDENCE = 3, 2, 20


def pattern_commits(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the commits and test runs among these episodes, by project."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.body["kind"] in ("commit", "tests"):
            found.setdefault(entry.body["project"], []).append(entry)
    return found


def find_patterns(entries: Iterable[Entry]) -> list[ConcludedNode]:
    """Return the Patterns of one project."""
    ordered = sorted(entries, key=lambda entry: (entry.at, entry.clock, entry.source))
    failed = {
        names.commit_id(entry.body["commit"])
        for entry in ordered
        if entry.body["kind"] == "tests" and entry.body["failures"] and entry.body.get("commit")
    }
    commits = [entry for entry in ordered if entry.body["kind"] == "commit" and entry.body["node"] not in failed]
    reverts = {entry.body["subject"] for entry in commits if entry.body["subject"].startswith('Revert "')}
    undone = {subject[8:].rstrip('"') for subject in reverts} | reverts
    sound = [entry for entry in commits if entry.body["subject"] not in undone][-_RECENT:]
    return [*_of_kinds(sound), *_of_files(sound)]


def _of_kinds(commits: Sequence[Entry]) -> list[ConcludedNode]:
    """Return what commits of one conventional type bring along, such as tests with a fix."""
    groups: dict[str, list[Entry]] = {}
    kinds: dict[str, list[Entry]] = {}
    for entry in commits:
        kind, _, places = entry.body["shape"].partition(": ")
        if places and kind != "change":
            kinds.setdefault(kind, []).append(entry)
            if ", " in places:  # one place alone is no regularity
                groups.setdefault(entry.body["shape"], []).append(entry)
    found = []
    for shape, group in groups.items():
        kind, _, touched = shape.partition(": ")
        if len(group) >= max(_LEAST, _MOSTLY * len(kinds[kind])):
            *most, last = touched.split(", ")
            places = f"{', '.join(most)} and {last}"
            title = f"{kind} commits touch {places} together"
            others = [entry for entry in kinds[kind] if entry.body["shape"] != shape]
            found.append(_pattern(shape, title, kind, f"{kind} commits change {places}", group, others))
    return found


def _of_files(commits: Sequence[Entry]) -> list[ConcludedNode]:
    """Files that change when another does, best first."""
    changed = [(entry, sorted({f for f in entry.body["files"] if not BESIDE.search(f)})) for entry in commits]
    changed = [(entry, files) for entry, files in changed if len(files) <= _FILES]
    current = {file for entry, files in changed if entry.at > changed[-1][0].at - _STALE for file in files}
    alone = Counter(file for _, files in changed for file in files)
    pairs = Counter(pair for _, files in changed for pair in permutations(files, 2))
    rules = {
        pair: number
        for pair, number in pairs.items()
        if current.issuperset(pair)
        and number >= max(_LEAST_TOGETHER, _NEARLY * alone[pair[0]])
        and number * len(changed) >= _LIFT * alone[pair[0]] * alone[pair[1]]
    }
    best = sorted(rules, key=lambda pair: (-(rules[pair] ** 2) / alone[pair[0]], pair))
    kept: list[tuple[str, str]] = []
    for pair in best:
        if pair[::-1] not in kept and len(kept) < _MOST:
            kept.append(pair)
    return [_pair(pair, changed) for pair in kept]


def _pair(pair: tuple[str, str], changed: Sequence[tuple[Entry, list[str]]]) -> ConcludedNode:
    one, other = pair
    having = [(entry, other in files) for entry, files in changed if one in files]
    both, others = ([entry for entry, together in having if together is wanted] for wanted in (True, False))
    title, rule = f"{other} and {one} change together", f"{other} changes with {one}"
    return _pattern(f"{one}|{other}", title, one, rule, both, others, f"commits of at most {_FILES} files to {one}")


def _pattern(
    key: str,
    title: str,
    context: str,
    rule: str,
    group: Sequence[Entry],
    others: Sequence[Entry],
    base: str = "commits",
) -> ConcludedNode:
    """Return a pattern with the commits that follow it and those that do not; `base` says which commits were counted."""
    project, of = group[0].body["project"], len(group) + len(others)
    identifier = f"pattern:{hashlib.sha256(f'{project}|{key}'.encode()).hexdigest()[:20]}"
    last = max(entry.at for entry in group)
    day = f"{datetime.fromtimestamp(last / 1e6, UTC):%Y-%m-%d}"
    description = f"{rule}: {len(group)} of {of} {base}, last on {day}."
    examples = [entry.body["subject"] for entry in group[-_EXAMPLES:]]
    exceptions = [entry.body["subject"] for entry in others[-_EXCEPTIONS:]]
    lines = [description, "Such as:", *(f"- {subject}" for subject in examples)]
    lines += ["But not:", *(f"- {subject}" for subject in exceptions)] if exceptions else []
    content = "\n".join(lines)
    properties: dict[str, Any] = {
        "project": project, "title": title, "content": content, "description": description, "context": context,
        "example": examples[-1], "criteria": rule, "frequency": len(group), "confidence": round(len(group) / (of + 1), 3),
        "level": 1, "stage": "working", "status": "active", "at": last,
    }  # fmt: skip
    edges = [Edge("DERIVED_FROM", "Pattern", identifier, "Commit", entry.body["node"], {"at": entry.at})
             for entry in group[-_EVIDENCE:]]  # fmt: skip
    item = Item(identifier, "pattern", title, content, last, "", "", project)
    learnt = sorted(entry.clock for entry in group)[min(len(group), _LEAST) - 1]
    return ConcludedNode(node_of("Pattern", identifier, properties), edges, item, learnt)
