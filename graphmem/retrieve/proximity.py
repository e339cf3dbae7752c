"""Scores how close together the words of the query occur in the best candidates. The index does not know the places of
words, so the texts are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from graphmem.ports.text import idf
from graphmem.retrieve.ports import Index, Reader
from graphmem.retrieve.records import Request
from graphmem.retrieve.stems import stem
from graphmem.text.words import stopwords

MAX_CANDIDATES = 60  # candidates that are looked at
_MAX_CHARS = 4_000  # characters of each
_MAX_QUERY_WORDS = 60  # of a query
_MIN_QUOTE_WORDS = 4  # words of a query that can be a quotation
_BODY_WEIGHT = 0.7  # of what text and body say together, beside what one sentence says
_MAX_PAIR_DISTANCE = 3  # places from one word of a pair to the other
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s|\n+")
_WORD = re.compile(r"[^\W_]+")


def proximity_signals(
    reader: Reader, request: Request, rows: Sequence[int], total: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the signals `quote` (the whole query verbatim), `phrase` (adjacent words) and `one_sentence` (the share in one
    sentence) of these rows, each in [0, 1]; 0 for those that are not among the best by `total`."""
    signals = {name: np.zeros(len(rows)) for name in ("quote", "phrase", "one_sentence")}
    asked = [stem(word) for word in _WORD.findall(request.query.lower())[:_MAX_QUERY_WORDS]]
    weights = weigh_words(reader.ports.text, request)
    if not weights:
        return signals
    telling = [word for word in dict.fromkeys(asked) if word in weights]
    pairs = list(dict.fromkeys(_pairs([word for word in asked if word in weights])))
    whole = sum(weights[word] for word in telling) or 1.0
    worth = sum(min(weights[one], weights[other]) for one, other in pairs) or 1.0
    head = np.lexsort((np.array(rows), -total))[:MAX_CANDIDATES]
    items = {one.row: one.item for one in reader.load(rows[at] for at in head)}
    texts = {row: f"{item.title}\n{item.text[:_MAX_CHARS]}" for row, item in items.items()}
    for at in head:
        parts = _SENTENCE.split(texts.get(rows[at], "").lower())
        sentences = [list(map(stem, _WORD.findall(part))) for part in parts]
        found = set(telling).intersection(chain.from_iterable(sentences))
        if found:
            signals["one_sentence"][at] = (
                max(sum(weights[word] for word in found.intersection(one)) for one in sentences) / whole
            )
        if len(found) > 1:
            words = [word for one in sentences for word in one]
            places = _places(words, found)
            signals["phrase"][at] = (
                sum(min(weights[one], weights[other]) for one, other in pairs if _are_adjacent(places, one, other))
                / worth
            )
            signals["quote"][at] = len(asked) >= _MIN_QUOTE_WORDS and _contains_query(asked, words)
        if rows[at] in items and (body := items[rows[at]].body):
            body = f" {body}"
            done = sum(weights[word] for word in telling if word in found or f" {word}" in body)
            signals["one_sentence"][at] = max(signals["one_sentence"][at], _BODY_WEIGHT * done / whole)
    return signals


def weigh_words(text: Index, request: Request) -> dict[str, float]:
    """Return the inverse document frequency of each word of the query but stopwords, by its stem."""
    words = [
        word
        for word in dict.fromkeys(_WORD.findall(request.query.lower())[:_MAX_QUERY_WORDS])
        if word not in stopwords()
    ]
    items, having = text.frequencies(words, request.where)
    found: dict[str, float] = {}
    for word, count in zip(words, having, strict=True):
        key = stem(word)
        found[key] = max(found.get(key, 0.0), idf(items, count) if count else 0.5 * idf(items, 1))
    return found


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    return [(one, other) for one, other in pairwise(words) if one != other]


def _places(words: Sequence[str], wanted: set[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        if word in wanted:
            places.setdefault(word, []).append(at)
    return places


def _are_adjacent(places: Mapping[str, Sequence[int]], one: str, other: str) -> bool:
    """Return whether one word follows the other within some places, in the order asked."""
    return any(0 < b - a <= _MAX_PAIR_DISTANCE for a in places.get(one, ()) for b in places.get(other, ()))


def _contains_query(asked: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the text contains the whole query verbatim."""
    return f" {' '.join(asked)} " in f" {' '.join(words)} "
