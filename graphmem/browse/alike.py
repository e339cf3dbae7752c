"""Finds texts that say nearly the same, so that a person can decide whether they do. Texts with the same words are united by
maintenance (`memify.duplicates`)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

_COMMON = 40  # texts: a word that more of them contain leads to no pair
_ALIKE = 0.6  # share of common words from which two texts are alike
_LEAST_WORDS = 4
_WORD = re.compile(r"\w+")


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
