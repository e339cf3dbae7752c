"""Puts a question in the other language as well, where the store knows its words there: what was said in Korean is asked for in
English, and the other way round. Code, documents and commits have ways of their own (`concepts`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphmem.retrieve.concepts import FRAME_WORDS
from graphmem.retrieve.ports import Index, Reader
from graphmem.retrieve.records import Candidate, Request, scale_scores
from graphmem.retrieve.stems import stem
from graphmem.retrieve.vocabulary import find_concepts, korean_words
from graphmem.text.words import content_words

_MAX_WORDS = 20  # content words of a question that is put in the other language
_MIN_SHARE = 0.5  # share of its words that the store must know there
_MOST = 2  # words of the other language that stand for one
_MAX_KOREAN = 5  # Korean words that may stand for an English one
_TRANSLATED_FACTOR = 0.9  # of score and probability: a word has several translations, and one of them is meant
_HANGUL = re.compile(r"[가-힣]")


def translate_request(reader: Reader, request: Request) -> Request | None:
    """Return a request with the words of the other language, of those that the store knows; None if it knows few."""
    words = [word for word in content_words(request.query) if stem(word) not in FRAME_WORDS]
    if not 0 < len(words) <= _MAX_WORDS:
        return None
    others = [(word, _known(reader.ports.text, _translations(reader, word))[:_MOST]) for word in words]
    others = [(word, found) for word, found in others if found or not _HANGUL.search(word)]
    put = [found for _, found in others if found]
    if not put or len(put) < _MIN_SHARE * len(words):
        return None
    said = [other for word, found in others for other in (found or (word,))]
    return replace(request, query=" ".join(dict.fromkeys(said)))


def _translations(reader: Reader, word: str) -> Sequence[str]:
    if not _HANGUL.search(word):
        return korean_words(word)[:_MAX_KOREAN]
    return [other for one in find_concepts([word], reader.find_originals) for other in one.words]


def _known(text: Index, words: Sequence[str]) -> list[str]:
    """Return the words that the store has; of Korean ones, whose forms are many, those whose pairs of syllables it has."""
    parts = {
        word: [word[at : at + 2] for at in range(len(word) - 1)] if _HANGUL.match(word) else [word] for word in words
    }
    unknown = set(text.unknown(list(dict.fromkeys(part for found in parts.values() for part in found))))
    return [word for word, found in parts.items() if found and unknown.isdisjoint(found)]


def join_rankings(own: Sequence[Candidate], other: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates of a question and of its translation in one order: each as the language finds it that it matches
    better."""
    best: Mapping[int, Candidate] = {one.row: one for one in own}
    joined = dict(best)
    for one in other:
        lowered = one._replace(score=_TRANSLATED_FACTOR * one.score, probability=_TRANSLATED_FACTOR * one.probability)
        known = best.get(one.row)
        if known is None or (lowered.probability, lowered.score) > (known.probability, known.score):
            joined[one.row] = lowered
    return scale_scores(sorted(joined.values(), key=lambda one: (-one.probability, -one.score)))
