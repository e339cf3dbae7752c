"""BM25 over posting lists read from FTS5 and cached by term. A turn is scored together with its neighbours, for which
FTS5's own ranking would need five copies of each turn. Filters and scores are array operations."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from graphmem.backends.text.columns import NEAR, TURN, Columns, context_share, distinct_values, parse_integers
from graphmem.backends.text.rows import BODY, SYMBOL
from graphmem.backends.text.statements import quote_term
from graphmem.ports.text import ItemFilter, Match, idf

K1, B = 1.2, 0.75  # BM25 parameters k1 and b (Robertson and Zaragoza 2009)
TITLE = 1.0  # additional weight of a word in the title
_MAX_CANDIDATES = 400  # rows that the first pass leaves to the second
_COMMON = 200  # a related word in more items, and in more than 2% of all, is ignored
_SAMPLE = 10_000  # rows of a term that are sampled to estimate its frequency
_CACHED = 16_000_000  # cached postings (64 MB)


class PostingsCache:
    """Cache of posting lists: ascending rows that match an FTS5 query, least recently used dropped first. Rows are never
    reused and never change, so a cached list is only ever extended."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lists: OrderedDict[str, tuple[int, np.ndarray]] = OrderedDict()
        self._held = 0

    def clear(self) -> None:
        """Drop all lists."""
        self._lists.clear()
        self._held = 0

    def rows(self, query: str, last: int) -> np.ndarray:
        """Return rows up to `last` that match one FTS5 query."""
        known, rows = self._lists.pop(query, (0, np.empty(0, np.int32)))
        if known < last:
            found = self._matching(query, known, last)
            added = parse_integers(found).astype(np.int32)
            self._held += len(added)
            rows = np.concatenate((rows, added)) if len(rows) else added
        self._lists[query] = (last, rows)
        while self._held > _CACHED and len(self._lists) > 1:
            self._held -= len(self._lists.popitem(last=False)[1][1])
        return rows

    def _matching(self, query: str, after: int, last: int) -> str | None:
        try:
            found: str | None = self._db.execute(
                "SELECT group_concat(rowid) FROM words WHERE words MATCH ? AND rowid > ? AND rowid <= ?",
                (query, after, last),
            ).fetchone()[0]
        except sqlite3.OperationalError as error:
            if "phrase queries" not in str(error):
                raise
            return None  # one word here, several for the engine, whose index has no positions
        return found


def search_terms(
    columns: Columns,
    postings: PostingsCache,
    terms: Mapping[str, float],
    related: Mapping[str, float],
    where: ItemFilter,
    limit: int,
) -> list[Match]:
    """Return the best rows that pass the filter, in two passes: items by their own words, then the best of those and
    their neighbours by the words of the whole window."""
    mask = columns.mask(where)
    total, average = columns.extent(where)
    lists = _read_postings(columns, postings, terms, related, mask, total, where.kinds is None or SYMBOL in where.kinds)
    chosen = _select_candidates(lists, mask, columns.size, max(_MAX_CANDIDATES, 2 * limit))
    if not len(chosen):
        return []
    if where.kinds is None or TURN in where.kinds:
        chosen = _window(columns, chosen)
        chosen = chosen[mask[chosen]]
    return _score_windows(columns, lists, chosen, average, limit)


def _select_candidates(lists: list[_TermPostings], mask: np.ndarray, size: int, limit: int) -> np.ndarray:
    """Return up to `limit` rows with the highest sum of term weights, ascending by row. Rare terms come first; when the
    remaining common terms cannot raise a new row above the existing ones, they only add to those (MaxScore, Turtle and
    Flood 1995)."""
    score = np.zeros(size, np.float32)
    candidates = np.empty(0, np.int64)
    ordered = sorted(lists, key=lambda one: len(one.rows))
    remaining_weight = sum(one.weight for one in ordered)
    for one in ordered:
        if len(candidates) > limit and np.partition(score[candidates], -limit)[-limit] > remaining_weight:
            candidates.sort()
            members = candidates[_isin_sorted(candidates, one.rows)]
            score[members] += one.weight
        else:
            rows = one.rows[mask[one.rows]]
            candidates = np.concatenate((candidates, rows[score[rows] == 0]))
            score[rows] += one.weight
        remaining_weight -= one.weight
    if len(candidates) > limit:
        scores = score[candidates]
        least = np.partition(scores, -limit)[-limit]
        ties = np.sort(candidates[scores == least])  # the oldest among equals
        above = candidates[scores > least]
        candidates = np.concatenate((above, ties[: limit - len(above)]))
    return np.sort(candidates)


def _isin_sorted(wanted: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return a mask: which of `wanted` occur in `rows`. Both are ascending."""
    if len(rows) < len(wanted):
        places = np.searchsorted(wanted, rows)
        places[places == len(wanted)] = 0
        mask = np.zeros(len(wanted), bool)
        mask[places[wanted[places] == rows]] = True
        return mask
    places = np.searchsorted(rows, wanted)
    places[places == len(rows)] = 0
    found: np.ndarray = rows[places] == wanted
    return found


def _score_windows(
    columns: Columns, lists: list[_TermPostings], rows: np.ndarray, average: float, limit: int
) -> list[Match]:
    """Return BM25 of these rows with their windows: a matrix of terms by turns, summed over each window."""
    steps = [columns.step(rows, step) for step in range(-len(NEAR), len(NEAR) + 1)]
    read = distinct_values(np.concatenate(steps))
    here = np.zeros((len(lists), len(read)), np.float32)
    for line, one in zip(here, lists, strict=True):
        line[_isin_sorted(read, one.rows)] = 1.0
        line[_isin_sorted(read, one.body_rows)] = BODY
        line[_isin_sorted(read, one.title_rows)] += TITLE
    here[:, read == 0] = 0
    around = np.searchsorted(read, steps)
    middle = len(NEAR)
    frequency: np.ndarray = here[:, around[middle]]
    share: np.ndarray = context_share(columns.length[rows])
    for distance, weight in enumerate(NEAR, 1):
        for near in (around[middle - distance], around[middle + distance]):
            frequency = frequency + weight * share * here[:, near]
    weights = np.array([one.weight for one in lists], np.float32)
    query_weights = np.array([one.weight if one.is_query_term else 0.0 for one in lists], np.float32)
    information = float(query_weights.sum()) or 1.0
    norm = information * (K1 + 1)
    score = weights @ _saturated(frequency, _norm(columns.span[rows], average)) / norm
    best = np.lexsort((rows, -score))[:limit]
    covered = np.minimum(query_weights @ (frequency[:, best] > 0) / information, 1.0)
    own, previous = (
        weights @ _saturated(here[:, around[place][best]], _norm(columns.length[steps[place][best]], average)) / norm
        for place in (middle, middle - 1)
    )
    found = (rows[best], score[best], own, previous, covered)
    return [Match(*values) for values in zip(*(column.tolist() for column in found), strict=True)]


def _window(columns: Columns, rows: np.ndarray) -> np.ndarray:
    """Return these rows and the turns that are scored with them, ascending."""
    steps = [columns.step(rows, step) for step in range(-len(NEAR), len(NEAR) + 1)]
    every = distinct_values(np.concatenate(steps))
    return every[every > 0]


class _TermPostings(NamedTuple):
    """PostingsCache of one term: rows that contain it anywhere, in the title, and in the body; `weight` is its query weight
    times idf."""

    rows: np.ndarray
    title_rows: np.ndarray
    body_rows: np.ndarray
    weight: float
    is_query_term: bool  # otherwise a related word


def _read_postings(
    columns: Columns,
    postings: PostingsCache,
    terms: Mapping[str, float],
    related: Mapping[str, float],
    mask: np.ndarray,
    total: int,
    has_bodies: bool,
) -> list[_TermPostings]:
    """Return each term with its rows; of two terms with one stem, the heavier. Common related terms are uninformative and
    skipped."""
    last = columns.size - 1
    lists: list[_TermPostings] = []
    known: dict[int, list[np.ndarray]] = {}  # ordered by number
    for term, weight in sorted({**related, **terms}.items(), key=lambda pair: -pair[1]):
        is_query_term = term in terms
        rows = postings.rows(quote_term(term), last)
        rows = columns.living(rows)
        if not is_query_term and (not len(rows) or len(rows) > max(_COMMON, total // 50)):
            continue
        alike = known.setdefault(len(rows), [])
        if len(rows) and any(np.array_equal(other, rows) for other in alike):
            continue
        alike.append(rows)
        in_title = postings.rows(f"title : {quote_term(term)}", last) if is_query_term and len(rows) else rows[:0]
        in_body = postings.rows(f"body : {quote_term(term)}", last) if has_bodies and len(rows) else rows[:0]
        weighted = weight * idf(total, _count_passing(mask, rows))
        lists.append(_TermPostings(rows, columns.living(in_title), columns.living(in_body), weighted, is_query_term))
    return lists


def document_frequencies(
    columns: Columns, postings: PostingsCache, words: Sequence[str], where: ItemFilter
) -> tuple[int, list[int]]:
    """Return the number of items that pass the filter, and for each word the number that contain it."""
    mask, last = columns.mask(where), columns.size - 1
    lists = [columns.living(postings.rows(quote_term(word), last)) for word in words]
    return columns.extent(where)[0], [_count_passing(mask, rows) for rows in lists]


def _count_passing(mask: np.ndarray, rows: np.ndarray) -> int:
    """Return how many of these rows pass the filter; for many rows, estimated from an even sample."""
    step = len(rows) // _SAMPLE + 1
    return int(mask[rows[::step]].sum()) * step if step > 1 else int(mask[rows].sum())


def _norm(length: np.ndarray, average: float) -> np.ndarray:
    normal: np.ndarray = K1 * (1 - B + B * length / average)
    return normal


def _saturated(frequency: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Return BM25's term weight without the inverse document frequency."""
    weight: np.ndarray = frequency * (K1 + 1) / (frequency + norm)
    return weight
