"""Finds texts that say nearly the same, and names of one thing, so that a person can decide whether they are. Texts with the
same words are united by maintenance (`memify.duplicates`)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from graphmem.text.aliases import canonical_name, fold_name

_COMMON = 40  # texts: a word that more of them contain leads to no pair
_ALIKE = 0.6  # share of common words from which two texts are alike
_LEAST_WORDS = 4
_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_LETTERS = 3  # letters of a name that is compared
# Types of entities of which two spellings are two things, and those that occur in code.
_NEVER_SAME = frozenset("command commit date email error file file_type flag issue key url value version".split())
_CODE = frozenset("class function variable".split())
_EDGES = re.compile(r"(_*).*?(_*)", re.DOTALL)  # `__init__` is not `init`
_LISTED = frozenset("language library operating_system".split())  # types whose other names are known well


class Alike(NamedTuple):
    """The ids of two texts that share most words, and the share of them."""

    older: str
    newer: str
    share: float


def find_alike(texts: Mapping[str, str]) -> list[Alike]:
    """Return pairs of texts, by id, that share most of their words and all of their numbers, the most alike first. `texts`
    are newest first. Texts with the same words are no pair."""
    words = {
        id: found for id, text in texts.items() if len(found := frozenset(_WORD.findall(text.lower()))) >= _LEAST_WORDS
    }
    where: dict[str, list[str]] = defaultdict(list)
    for id, found in words.items():
        for word in found:
            where[word].append(id)
    shared = Counter(pair for ids in where.values() if len(ids) <= _COMMON for pair in combinations(ids, 2))
    pairs = []
    for newer, older in shared:
        one, other = words[older], words[newer]
        share = len(one & other) / len(one | other)
        if _ALIKE <= share < 1 and _numbers(one) == _numbers(other):
            pairs.append(Alike(older, newer, share))
    return sorted(pairs, key=lambda pair: -pair.share)


def _numbers(words: Iterable[str]) -> set[str]:
    """Return the words with digits: texts that differ in one of them say something else."""
    return {word for word in words if any(letter.isdigit() for letter in word)}


class NamedEntity(NamedTuple):
    """An entity with the number of texts that mention it."""

    id: str
    name: str
    type: str
    mentions: int


def find_same_names(entities: Iterable[NamedEntity]) -> list[tuple[NamedEntity, NamedEntity]]:
    """Return pairs of entities whose names are two spellings, or two known names, of one thing: the one with more mentions first.
    Names of code pair only with names of the same type: `context` is not the class `Context`."""
    groups: dict[tuple[str, str], list[NamedEntity]] = defaultdict(list)
    for entity in entities:
        if entity.type not in _NEVER_SAME and len(_LETTER.findall(entity.name)) >= _LEAST_LETTERS:
            usual = canonical_name(entity.name) if entity.type in _LISTED else None
            hidden = _EDGES.fullmatch(entity.name) if entity.type in _CODE else None
            scope = f"{entity.type} {hidden[1]} {hidden[2]}" if hidden else ""
            groups[scope, fold_name(usual or entity.name)].append(entity)
    pairs = []
    for group in groups.values():
        first, *others = sorted(group, key=lambda one: (-one.mentions, one.id))
        pairs += [(first, other) for other in others]
    return sorted(pairs, key=lambda pair: (-pair[0].mentions - pair[1].mentions, pair[0].id, pair[1].id))
