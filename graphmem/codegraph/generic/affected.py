"""Determines which files an edit affects. A file is affected if it mentions a name whose meaning changed, and a
definition's meaning changes with every name it mentions. A superset of what is necessary."""

from __future__ import annotations

from collections.abc import Mapping, Set

from graphmem.codegraph.languages import MANIFEST
from graphmem.codegraph.records import FileFacts

_NOTHING: dict[str, frozenset[str]] = {}


def affected(
    changed: Set[str], facts: Mapping[str, FileFacts], before: Mapping[str, FileFacts] | None = None
) -> set[str]:
    """Return the files to link again after `changed` files were edited, added or removed. With the facts `before` the
    change, an unchanged definition affects only its own file."""
    now, before = facts, before or {}
    if any(_is_manifest(p, now) or _is_manifest(p, before) for p in changed):
        return set(now)
    names: set[str] = set()
    for path in changed:
        was, is_ = _interface(path, before), _interface(path, now)
        names |= {n for n in was.keys() | is_.keys() if was.get(n) != is_.get(n)}
    names = _closure(names, now)
    found = {p for p, f in now.items() if f.language != MANIFEST and not names.isdisjoint(f.summary.mentions)}
    return found | (changed & now.keys())


def _closure(names: set[str], facts: Mapping[str, FileFacts]) -> set[str]:
    names = set(names)
    interfaces = [f.summary.interface for f in facts.values()]
    grew = bool(names)
    while grew:
        grew = False
        for interface in interfaces:
            for name, about in interface.items():
                if name not in names and not names.isdisjoint(about):
                    names.add(name)
                    grew = True
    return names


def _interface(path: str, facts: Mapping[str, FileFacts]) -> dict[str, frozenset[str]]:
    return facts[path].summary.interface if path in facts else _NOTHING


def _is_manifest(path: str, facts: Mapping[str, FileFacts]) -> bool:
    return path in facts and facts[path].language == MANIFEST
