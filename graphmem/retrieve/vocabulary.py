"""Synonyms in software development, English and Korean (`data/software_words.txt`). Questions rarely use the words of
the code: "thrown out" means a commit "Delete benchmarks", and a Korean question refers to English code. Each word of a
question becomes a `Concept`: the word with its synonyms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from graphmem.retrieve.stems import stem
from graphmem.text.hangul import base_verbs, is_ending, strip_endings

SYNONYM_WEIGHT = 0.55  # what a word of the same group says, beside the word itself
TRANSLATION_WEIGHT = 0.9  # what the translation of a Korean word says: the word itself is hardly in the text
_MAX_SYNONYMS = 14  # words that may stand for one
_HANGUL = re.compile(r"[가-힣]+")
_DOES = (
    "하",
    "한",
    "할",
    "함",
    "합",
    "해",
    "했",
)  # makes a verb of the noun before it, which is no form of a verb: "보관하나"
_MAX_SYLLABLES = 6  # syllables of a Korean word in the table


class Concept(NamedTuple):
    """A word of a question, and the stems that say it with what each counts, in [0, 1]."""

    word: str
    forms: Mapping[str, float]
    words: tuple[str, ...]  # other words to look for, unstemmed


@cache
def _table() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the English words of the groups of each stem, and those of each Korean word."""
    english: dict[str, dict[str, None]] = {}
    korean: dict[str, dict[str, None]] = {}
    for line in (Path(__file__).parent / "data" / "software_words.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        words, _, others = line.partition("|")
        group = words.removeprefix(">").split()
        for word in group if not line.startswith(">") else ():
            english.setdefault(stem(word), {}).update(dict.fromkeys(group))
        for word in others.split():
            korean.setdefault(word, {}).update(dict.fromkeys(group))
    return {key: tuple(found) for key, found in english.items()}, {key: tuple(found) for key, found in korean.items()}


@cache
def _korean_of() -> dict[str, tuple[str, ...]]:
    """Return the Korean words of the groups of each stem; those of groups that it stands first in come first."""
    placed: dict[str, list[tuple[int, str]]] = {}
    for korean, group in _table()[1].items():
        for at, word in enumerate(group):
            placed.setdefault(stem(word), []).append((at, korean))
    return {key: tuple(dict.fromkeys(korean for _, korean in sorted(found))) for key, found in placed.items()}


def korean_words(word: str) -> tuple[str, ...]:
    """Return Korean words, of two syllables or more, that an English one may be in a Korean text, the likeliest first.

    >>> "업로드" in korean_words("uploads")
    True
    """
    return tuple(each for each in _korean_of().get(stem(word.lower()), ()) if len(each) > 1)[:_MAX_SYNONYMS]


def _no_originals(_word: str) -> Sequence[str]:
    return ()


def find_concepts(words: Sequence[str], originals: Callable[[str], Sequence[str]] = _no_originals) -> list[Concept]:
    """Return the concepts of content words, one for each stem; several for a Korean compound, none for a Korean word that is
    nothing but endings. `originals` returns the English words that a loanword may stand for, where the table lacks it.

    >>> [sorted(one.words)[:2] for one in find_concepts(["파일을"])]
    [['document', 'file']]
    >>> find_concepts(["보관하나"])[0].word
    '보관'
    """
    found: dict[str, Concept] = {}
    for word in words:
        if _HANGUL.match(word):
            for part, others in _translations(word, originals):
                forms = {
                    stem(other): TRANSLATION_WEIGHT if at == 0 else SYNONYM_WEIGHT
                    for at, other in reversed([*enumerate(others)])
                }
                found.setdefault(part, Concept(part, {stem(part): 1.0, **forms}, others))
            continue
        key = stem(word)
        others = tuple(other for other in _table()[0].get(key, ()) if stem(other) != key)[:_MAX_SYNONYMS]
        found.setdefault(key, Concept(word, {**{stem(other): SYNONYM_WEIGHT for other in others}, key: 1.0}, others))
    return list(found.values())


def _translations(word: str, originals: Callable[[str], Sequence[str]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the parts of a Korean word that the table knows, each with its English words; the word alone if none is known.
    Particles and endings follow what is known; after a single syllable nothing else may."""
    korean, found, at = _table()[1], [], 0
    while at < len(word) and not (at and is_ending(word[at:])):
        known = _longest_known(word, at)
        if known:
            found.append((known, korean[known][:_MAX_SYNONYMS]))
        at += max(1, len(known))
    if found:
        return found
    base = strip_endings(word)
    tried = [base, word] if len(word) == len(base) + 1 else [base]  # the last syllable may only look like an ending
    return [(base, next((tuple(others) for one in tried if (others := originals(one))), ()))] if base else []


def _longest_known(word: str, at: int) -> str:
    """Return the longest Korean word of the table that a word has at a place, or whose form it has there; "" if none. A single
    syllable counts only at the beginning and before endings."""
    korean = _table()[1]
    for end in range(min(len(word), at + _MAX_SYLLABLES), at, -1):
        part = word[at:end]
        if len(part) > 1 or not at:
            ends = is_ending(word[end:])
            if part in korean and (len(part) > 1 or ends):
                return part
            if (
                ends
                and not word[end:].startswith(_DOES)
                and (base := next((one for one in base_verbs(part) if len(one) > 1 and one in korean), ""))
            ):
                return base
    return ""
