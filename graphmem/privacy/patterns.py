"""Compiles regular expressions and lists of words when they are first needed, and keeps them. `re` has a cache of its own,
but a small one that forgets. Holds no patterns: those stand next to the code that uses them."""

from __future__ import annotations

import re
from functools import cache

from ahocorasick_rs import AhoCorasick, Implementation


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled form of `pattern`."""
    return re.compile(pattern)


def find_words(text: str, words: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return where each of some words is in the text, in order, be it within another: found in one pass (Aho and
    Corasick 1975)."""
    automaton = _automaton(words)
    try:
        found = automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # a lone surrogate, such as a name of a file that is no UTF-8
        found = automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)
    return sorted((start, words[i]) for i, start, _ in found)


@cache
def _automaton(words: tuple[str, ...]) -> AhoCorasick:
    return AhoCorasick(
        words, implementation=Implementation.DFA
    )  # a quarter faster to search, and made in a millisecond
