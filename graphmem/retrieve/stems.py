"""The stem of a word: what its forms have in common."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.text.hangul import strip_endings

_HANGUL = re.compile(r"[가-힣]")
_ENDINGS = (
    "ations",
    "ation",
    "ingly",
    "edly",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "es",
    "ed",
    "er",
    "ly",
    "s",
    "e",
    "y",
)
_DOUBLING = frozenset(("edly", "ing", "ings", "ers", "ed", "er"))  # endings before which a letter is doubled
_SHORT_PLURAL = re.compile(r"(?:id|ip|os|db|ui|pr|fd|vm|pc|op|ci)s$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the common part of the forms of a word; for Korean its first two syllables, without particles and endings.
    Cuts more than `tasks.match.terms.stem_for_tasks`, which replaces endings ("ization" by "ize"), and than
    `tree.words.stem_for_topics`, which leaves Korean words whole.

    >>> stem("removed"), stem("removes"), stem("stripped"), stem("배포를")
    ('remov', 'remov', 'strip', '배포')
    """
    if not word.isascii():
        return (strip_endings(word) or word)[:2] if _HANGUL.match(word) else word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            found = word[: -len(ending)]
            return found[:-1] if len(found) > 3 and ending in _DOUBLING and _DOUBLED.search(found) else found
    return word[:-1] if len(word) == 3 and _SHORT_PLURAL.match(word) else word
