"""Features of text that gives instructions to an agent, by class: whom it addresses, what it overrides, what it keeps
secret, what it wants sent, run or remembered, and markers that only hosts write. English and Korean. The patterns are
data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from graphmem import resources
from graphmem.trust.needed import needed_by

_FEATURES = "queries/trust/features.txt"
_I = re.IGNORECASE


class Feature(NamedTuple):
    """A pattern with class and weight, and the literal pieces of which one each must occur for it to match."""

    name: str
    weight: float
    needed: tuple[tuple[str, ...], ...]
    pattern: str

    def is_possible(self, lower: str) -> bool:
        """Return whether it can match a lower-case text."""
        return all(any(piece in lower for piece in pieces) for pieces in self.needed)

    def occurs(self, text: str) -> bool:
        """Return whether it matches."""
        return _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)  # compiling all takes 0.3 s, and a hook needs few of them


@cache
def features() -> tuple[Feature, ...]:
    """Return all features, grouped by class, strongest first."""
    return tuple(sorted(_read(resources.text(_FEATURES)), key=lambda one: (one.name, -one.weight)))


def _read(script: str) -> Iterator[Feature]:
    words: dict[str, str] = {}
    for line in script.splitlines():
        head, bar, pattern = line.partition(" | ")
        if not bar or line.startswith("#"):
            continue
        for name, alternatives in words.items():
            pattern = pattern.replace(f"{{{name}}}", alternatives)
        if head.startswith("let "):
            words[head[4:]] = pattern
        else:
            name, weight = head.split()
            yield Feature(name, float(weight), needed_by(pattern), pattern)
