"""Rescores the best candidates by reading their texts: whether they contain the identifiers of the query as written,
and in a conversation how similar they are to the best one, and how similar their words are to each word of the query.
Expensive, so it looks at few candidates."""

from __future__ import annotations

import re

import numpy as np

from graphmem.ports.text import idf
from graphmem.retrieve.analyse import content_words
from graphmem.retrieve.state import State

_FIRST = 5  # that say what else to look for (Rocchio 1971)
_READ = 40  # whose words are read
_LONGEST = 2_000  # characters of each
_WORDS = 40  # of a query
_COMPARED = 120  # that are looked through for identifiers, up to so many characters of each
_FAR = 20_000
_MOST = 8  # identifiers of a query
_JOINED = re.compile(r"\w+(?:[-./:@#]+\w+)+|\w*[^\W_]_\w+")
_CODED = re.compile(  # it may be part of code, or a version; dates and numbers begin with a digit
    r"(?!\d)(?=.*[\d_]|.*[./:@#]\w{2,}.*[./:@#]|.*\w{2}\.\w)|\d+(?:\.\d+){2,}\Z"
)
_WORDED = re.compile(r"\w{2,}(?:-\w{2,}){2,}")  # it may as well be said by people: `father-in-law`
_SAID = 0.2  # what that counts


def similarity_to_best(state: State, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return the cosine similarity of each row to the query vector plus the vectors of the best rows (Rocchio 1971),
    scaled to [0, 1]."""
    if state.ports.vectors is None or state.vector is None:
        return np.zeros(len(rows))
    vectors = state.ports.vectors.vectors(np.array(rows))
    first = np.argsort(-total, kind="stable")[:_FIRST]
    weights = total[first] / max(float(total[first].sum()), 1e-9)
    return _scaled(np.maximum(vectors @ (state.vector + weights @ vectors[first]), 0))


def soft_term_match(state: State, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return how many of the query words the best rows contain, literally or as similar words, in [0, 1]. For each
    query word the cosine of the nearest word in the text counts, weighted by inverse document frequency (MaxSim,
    Khattab and Zaharia 2020, over static vectors)."""
    found = np.zeros(len(rows))
    asked = list(dict.fromkeys(content_words(state.query)))[:_WORDS]
    if state.ports.thesaurus is None or not asked:
        return found
    head = np.lexsort((np.array(rows), -total))[:_READ]
    texts = {one.row: content_words(one.item.text[:_LONGEST]) for one in state.load(rows[place] for place in head)}
    near = state.ports.thesaurus.likeness(asked, [texts.get(rows[place], []) for place in head])
    items, having = state.ports.text.frequencies(asked, state.where)
    weights = np.array([idf(items, count) for count in having])
    found[head] = _scaled(weights @ near / max(float(weights.sum()), 1e-9))
    return found


def exact_identifier_match(state: State, rows: list[int], total: np.ndarray) -> np.ndarray:
    """Return the share of the identifiers in the query that each of the best rows contains exactly as written. The
    index only knows the parts of an identifier, not their order."""
    found = np.zeros(len(rows))
    asked = {one: worth for one in _JOINED.findall(state.query[:_LONGEST]) if (worth := _worth(one))}
    if not asked:
        return found
    forms = {
        re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])", re.IGNORECASE): asked[one] for one in list(asked)[:_MOST]
    }
    head = np.lexsort((np.array(rows), -total))[:_COMPARED]
    texts = {
        one.row: f"{one.item.title}\n{one.item.ref}\n{one.item.text[:_FAR]}"
        for one in state.load(rows[place] for place in head)
    }
    for place in head:
        text = texts.get(rows[place], "")
        found[place] = sum(worth for form, worth in forms.items() if form.search(text)) / len(forms)
    return found


def _worth(joined: str) -> float:
    """Return how surely words that are joined name one thing that only this order names."""
    return 1.0 if _CODED.match(joined) else _SAID if _WORDED.fullmatch(joined) else 0.0


def _scaled(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    scaled: np.ndarray = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return scaled
