"""Demotes repetitions: of turns and facts with the same content, only the best keeps its place. The others move to the end,
because a caller may ask for all hits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphmem.model.kinds import names_where
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.records import Candidate, Request
from graphmem.text.words import content_words, is_echo, is_question

# Of documents, tasks and reports with the same content, the second one is often the right one.
_REPEATABLE_KINDS = frozenset(names_where(has_repeats=True))
_MIN_SAME_SHARE = 0.9  # share of words in common (Jaccard) at which two texts say the same
_MIN_COMPARED_WORDS = 8  # words; shorter texts must be equal
_DEPTH_FACTOR = 2  # times the head: how far down repetitions are looked for


def demote_repetitions(reader: Reader, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with repetitions, and questions that only repeat the query, at the end."""
    head = ranked[: _DEPTH_FACTOR * request.head_size]
    seen: dict[str, list[frozenset[str]]] = {}  # by each word of their prefix
    repeated: set[int] = set()
    asked = set(content_words(request.query)) if is_question(request.query) else set()
    for stored in reader.load(one.row for one in head):
        if stored.item.kind not in _REPEATABLE_KINDS:
            continue
        words = frozenset(stored.item.text.lower().split())
        prefix = _prefix(words)
        if any(_says_the_same(words, other) for word in prefix for other in seen.get(word, ())) or (
            asked and is_question(stored.item.text) and is_echo(asked, stored.item.text)
        ):
            repeated.add(stored.row)
            continue
        for word in prefix:
            seen.setdefault(word, []).append(words)
    return [one for one in ranked if one.row not in repeated] + [one for one in head if one.row in repeated]


def _prefix(words: frozenset[str]) -> list[str]:
    """Return the first words in an order that is the same for all texts: two that say the same have one of these in
    common, since the others alone are too few (Chaudhuri, Ganti and Kaushik 2006). Long words are rare, so few texts
    share one."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return ordered[: len(words) - math.ceil(_MIN_SAME_SHARE * len(words)) + 1] or [""]


def _says_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if one == other:
        return True
    small, large = sorted((len(one), len(other)))
    return (
        small >= _MIN_COMPARED_WORDS
        and small >= _MIN_SAME_SHARE * large
        and len(one & other) >= _MIN_SAME_SHARE * len(one | other)
    )
