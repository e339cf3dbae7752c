"""Signals that are read from the texts of the best candidates: identifiers of the query, similarity to the best ones, and
similar words. Expensive, so few candidates are read."""

from __future__ import annotations

import re

import numpy as np

from graphmem.ports.text import idf
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Analysis, Request
from graphmem.text.words import content_words

_MAX_FEEDBACK_ROWS = 5  # that say what else to look for (Rocchio 1971)
_MAX_SOFT_MATCH_ROWS = 40  # whose words are read
_MAX_SOFT_MATCH_CHARS = 2_000  # characters of each
_MAX_QUERY_WORDS = 40  # of a query
_MAX_IDENTIFIER_ROWS = 120  # that are looked through for identifiers, up to so many characters of each
_MAX_IDENTIFIER_CHARS = 20_000
_MAX_IDENTIFIERS = 8  # identifiers of a query
# The index knows the parts of an identifier, not their order.
_JOINED = re.compile(r"\w+(?:[-./:@#]+\w+)+|\w*[^\W_]_\w+")
_CODE_NAME = re.compile(  # it may be part of code, or a version; dates and numbers begin with a digit
    r"(?!\d)(?=.*[\d_]|.*[./:@#]\w{2,}.*[./:@#]|.*\w{2}\.\w)|\d+(?:\.\d+){2,}\Z"
)
_HYPHENATED = re.compile(r"\w{2,}(?:-\w{2,}){2,}")  # it may as well be said by people: `father-in-law`
_HYPHENATED_WEIGHT = 0.2  # what that counts


def similarity_to_best(ports: Ports, analysis: Analysis, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return the similarity of each row to the query vector plus the vectors of the best rows (Rocchio 1971), in [0, 1]."""
    if ports.vectors is None or analysis.vector is None:
        return np.zeros(len(rows))
    vectors = ports.vectors.vectors(np.array(rows))
    first = np.argsort(-total, kind="stable")[:_MAX_FEEDBACK_ROWS]
    weights = total[first] / max(float(total[first].sum()), 1e-9)
    return _scaled(np.maximum(vectors @ (analysis.vector + weights @ vectors[first]), 0))


def soft_term_match(reader: Reader, request: Request, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return how many of the query words the best rows contain, literally or as similar words, in [0, 1]."""
    # For each query word, the cosine of the nearest word in the text, weighted by inverse document frequency (MaxSim,
    # Khattab and Zaharia 2020, over static vectors).
    found, thesaurus = np.zeros(len(rows)), reader.ports.thesaurus
    asked = list(dict.fromkeys(content_words(request.query)))[:_MAX_QUERY_WORDS]
    if thesaurus is None or not asked:
        return found
    head = np.lexsort((np.array(rows), -total))[:_MAX_SOFT_MATCH_ROWS]
    texts = {
        one.row: content_words(one.item.text[:_MAX_SOFT_MATCH_CHARS])
        for one in reader.load(rows[place] for place in head)
    }
    near = thesaurus.likeness(asked, [texts.get(rows[place], []) for place in head])
    items, having = reader.ports.text.frequencies(asked, request.where)
    weights = np.array([idf(items, count) for count in having])
    found[head] = _scaled(weights @ near / max(float(weights.sum()), 1e-9))
    return found


def exact_identifier_match(reader: Reader, query: str, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return the share of the identifiers in the query that each of the best rows contains exactly as written."""
    found = np.zeros(len(rows))
    asked = {one: worth for one in _JOINED.findall(query[:_MAX_SOFT_MATCH_CHARS]) if (worth := _identifier_weight(one))}
    if not asked:
        return found
    forms = {
        re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])", re.IGNORECASE): asked[one]
        for one in list(asked)[:_MAX_IDENTIFIERS]
    }
    head = np.lexsort((np.array(rows), -total))[:_MAX_IDENTIFIER_ROWS]
    texts = {
        one.row: f"{one.item.title}\n{one.item.ref}\n{one.item.text[:_MAX_IDENTIFIER_CHARS]}"
        for one in reader.load(rows[place] for place in head)
    }
    for place in head:
        text = texts.get(rows[place], "")
        found[place] = sum(worth for form, worth in forms.items() if form.search(text)) / len(forms)
    return found


def _identifier_weight(joined: str) -> float:
    """Return how surely words that are joined name one thing that only this order names."""
    return 1.0 if _CODE_NAME.match(joined) else _HYPHENATED_WEIGHT if _HYPHENATED.fullmatch(joined) else 0.0


def _scaled(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    scaled: np.ndarray = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return scaled
