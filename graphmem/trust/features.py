"""Features of text that gives orders to an agent, by class: whom it addresses, what it sets aside, what it keeps secret, what
it wants sent, run or remembered, and marks that only hosts write. English and Korean. The patterns are data."""

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
    """One pattern: its class and weight, and the pieces of text of which one each must occur for it to match."""

    name: str
    weight: float
    needed: tuple[tuple[str, ...], ...]
    pattern: str

    def is_possible(self, lower: str) -> bool:
        """Whether it can occur in a text in lower case."""
        return all(any(piece in lower for piece in pieces) for pieces in self.needed)

    def occurs(self, text: str) -> bool:
        """Whether it does."""
        return _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)  # all at once would take 0.3 s, and a hook meets few of them


@cache
def features() -> tuple[Feature, ...]:
    """All of them, those of a class together, its strongest first."""
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
