"""Features of text that gives instructions to an agent, by class: whom it addresses, what it overrides, what it keeps
secret, what it wants sent, run or remembered, and markers that only hosts write. Complete for English and Korean; for
other languages, equivalent words in the same combinations. The patterns are data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from graphmem import resources
from graphmem.trust.needed import needed_by

_FEATURES = "queries/trust/features.txt"
_LANGUAGES = "queries/trust/languages.txt"
_NEAR = r"[^.!?\u3002\u0964\n]{0,40}?"  # what may be between words that belong together
_I = re.IGNORECASE


class Feature(NamedTuple):
    """A pattern with class and weight, and the literal pieces of which one each must occur for it to match."""

    name: str
    weight: float
    needed: tuple[tuple[str, ...], ...]
    pattern: str

    def occurs(self, text: str) -> bool:
        """Return whether it matches."""
        return _compiled(self.pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)  # compiling all takes 0.3 s, and a hook needs few of them


@cache
def features() -> tuple[Feature, ...]:
    """Return all features, grouped by class, strongest first."""
    found = [*_read(resources.text(_FEATURES)), *_read_languages(resources.text(_LANGUAGES))]
    return tuple(sorted(found, key=lambda one: (one.name, -one.weight)))


def possible_features(lower: str) -> list[Feature]:
    """Return the features that can match a lower-case text, in the order of `features`. The pieces of all are found in one
    pass: that is 20 times faster than looking for each, and most texts have none."""
    automaton, uses, wanted, always = _preselection()
    try:
        found = automaton.find_matches_as_indexes(lower, overlapping=True)
    except UnicodeEncodeError:  # a lone surrogate, which no piece contains
        found = automaton.find_matches_as_indexes(lower.encode("utf-8", "replace").decode(), overlapping=True)
    met = dict.fromkeys(always, 0)
    for piece in {match[0] for match in found}:
        for number, part in uses[piece]:
            met[number] = met.get(number, 0) | part
    return [features()[number] for number in sorted(met) if met[number] == wanted[number]]


@cache
def _preselection() -> tuple[AhoCorasick, list[list[tuple[int, int]]], list[int], list[int]]:
    """Return what finds all pieces; for each piece the features that need it, with a bit for the required part that it
    meets; for each feature the bits of all its parts; and the features that need no piece."""
    uses: dict[str, list[tuple[int, int]]] = {}
    for number, feature in enumerate(features()):
        for part, pieces in enumerate(feature.needed):
            for piece in pieces:
                uses.setdefault(piece, []).append((number, 1 << part))
    wanted = [(1 << len(feature.needed)) - 1 for feature in features()]
    always = [number for number, bits in enumerate(wanted) if not bits]
    return AhoCorasick(list(uses)), list(uses.values()), wanted, always


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


def _read_languages(script: str) -> Iterator[Feature]:
    """Yield the features of each language: those of whose words it has all. Texts are compared in the normal form
    NFKC."""
    forms: list[tuple[str, float, list[str]]] = []
    words: dict[str, dict[str, str]] = {}
    for line in unicodedata.normalize("NFKC", script).splitlines():
        head, bar, pattern = line.partition(" | ")
        if not bar or line.startswith("#"):
            continue
        name, word = head.split()
        if word[0].isdigit():
            forms.append((name, float(word), pattern.split()))
        else:
            words.setdefault(name, {})[word] = pattern
    for known in words.values():
        for name, weight, wanted in forms:
            if known.keys() >= set(wanted):
                yield _near(name, weight, [known[word] for word in wanted])


def _near(name: str, weight: float, parts: list[str]) -> Feature:
    """Return one of each of these patterns close together, in any order."""
    groups = [f"(?:{part})" for part in parts]
    pattern = "|".join(_NEAR.join(order) for order in permutations(groups))
    needed = tuple(pieces for group in groups for pieces in needed_by(group)[:1])
    return Feature(name, weight, needed, pattern)
