"""The Cypher of Bolt servers where it differs from that of the embedded engines. Queries are shared; one that a server does not
understand, or answers differently, has a file of the same name in `queries/graph/bolt`. Cypher of users is sent as it is."""

from __future__ import annotations

import re
from functools import cache
from string import Template
from typing import NamedTuple

from graphmem import resources
from graphmem.backends.graph.schema import without_comments

_SHARED, _OVERRIDES = "queries/graph", "queries/graph/bolt"
FOLDERS = ("read", "look", "memify", "export", "bench")  # of queries that are passed to a graph as text
# What callers fill in: the label of the node `n`, and custom types besides `Entity` and `RELATES`.
_LABEL = re.compile(r"\(n:`(\w+)` \{id: \$id\}\)")
_ENTITIES = re.compile(r":Entity((?::`\w+`)+)")
_RELATIONS = re.compile(r"\[r:[^\]]+\]")


class _Pattern(NamedTuple):
    """A query with placeholders: what its text looks like once they are filled in, and the template that replaces it."""

    shape: re.Pattern[str]
    override: Template


@cache
def _overrides() -> tuple[dict[str, str], tuple[_Pattern, ...], frozenset[str]]:
    """Return overrides by the text of the shared query, those of queries with placeholders, and all shared texts."""
    exact: dict[str, str] = {}
    patterns: list[_Pattern] = []
    shared: set[str] = set()
    for folder in FOLDERS:
        for name in resources.names(f"{_SHARED}/{folder}", ".cypher"):
            text = _body(resources.text(name))
            shared.add(text)
            other = name.replace(_SHARED, _OVERRIDES, 1)
            if not resources.path(other).is_file():
                continue
            override = _body(resources.text(other))
            if "$$" in text:
                patterns.append(_Pattern(_shape_of(text), Template(override)))
            else:
                exact[text] = override
    return exact, tuple(patterns), frozenset(shared)


def _body(text: str) -> str:
    return without_comments(text).strip()


def _shape_of(text: str) -> re.Pattern[str]:
    """Return the expression that recognises a template that was filled in."""
    parts = (
        r"\$" if part == "$$" else rf"(?P<{part[1:]}>\w+)" if part.startswith("$") else re.escape(part)
        for part in re.split(r"(\$\$|\$label)", text)
    )
    seen: set[str] = set()
    return re.compile("".join(_once(part, seen) for part in parts))


def _once(part: str, seen: set[str]) -> str:
    """Return a group, or a reference to it if it was there before."""
    name = part.removeprefix("(?P<").partition(">")[0]
    if not part.startswith("(?P<"):
        return part
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return part


def to_bolt(cypher: str) -> str:
    """Return a shared query as Bolt servers understand it; any other text unchanged."""
    exact, patterns, shared = _overrides()
    text = _body(cypher)
    for pattern in patterns:
        if found := pattern.shape.fullmatch(text):
            return pattern.override.substitute(found.groupdict())
    label, types, entities = _LABEL.search(text), _RELATIONS.search(text), _ENTITIES.search(text)
    key = _LABEL.sub("(n {id: $id})", _ENTITIES.sub(":Entity", text))
    if key not in shared and types:
        key = _RELATIONS.sub("[r:RELATES]", key)
    if key not in shared:
        return cypher
    known = exact.get(key, key)
    if label:
        known = known.replace("(n {id: $id})", label[0])
    if types:
        known = known.replace("[r:RELATES]", types[0])
    if entities:
        own = entities[1].replace(":", "|")
        known = re.sub(r"([:|]Entity)\b", lambda match: match[1] + own, known)
    return known


@cache
def write_template(name: str) -> Template:
    """Return a query of `queries/graph/bolt/write`, or the shared one of that name."""
    own = f"{_OVERRIDES}/write/{name}.cypher"
    return Template(_body(resources.text(own if resources.path(own).is_file() else f"{_SHARED}/write/{name}.cypher")))
