"""BM25 over posting lists read from FTS5 and kept by term: a turn is scored together with the turns around it, which
FTS5's own ranking could do only if every turn were indexed five times. Filters and scores are array operations."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from graphmem.backends.text.columns import NEAR, TURN, Columns, numbers
from graphmem.backends.text.statements import quoted
from graphmem.ports.text import ItemFilter, Match

K1, B = 1.2, 0.75  # BM25's saturation and length normalisation (Robertson and Zaragoza 2009)
TITLE = 1.0  # weight of a word in the title, besides its weight in the text
_ROUGH = 400  # rows that the first pass leaves to the second
_COMMON = 200  # a related word in more items, and in more than 2 % of all, is left out
_CACHED = 16_000_000  # postings kept in memory (64 MB)


class Postings:
    """Rows by term, ascending. Rows are never reused and never change, so a list kept is only ever extended."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lists: OrderedDict[str, tuple[int, np.ndarray]] = OrderedDict()
        self._held = 0

    def clear(self) -> None:
        """Forget all lists."""
        self._lists.clear()
        self._held = 0

    def rows(self, query: str, last: int) -> np.ndarray:
        """Rows up to `last` that match one FTS5 query."""
        known, rows = self._lists.pop(query, (0, np.empty(0, np.int32)))
        if known < last:
            found = self._db.execute(
                "SELECT group_concat(rowid) FROM words WHERE words MATCH ? AND rowid > ? AND rowid <= ?",
                (query, known, last),
            ).fetchone()[0]
            added = numbers(found).astype(np.int32)
            self._held += len(added)
            rows = np.concatenate((rows, added)) if len(rows) else added
        self._lists[query] = (last, rows)
        while self._held > _CACHED and len(self._lists) > 1:
            self._held -= len(self._lists.popitem(last=False)[1][1])
        return rows


def search(
    columns: Columns,
    postings: Postings,
    terms: Mapping[str, float],
    related: Mapping[str, float],
    where: ItemFilter,
    limit: int,
) -> list[Match]:
    """The best rows that the filter lets through, in two passes: items by their own words, then the best of those and
    the turns around them by the words of the whole window."""
    size = columns.size
    mask = columns.mask(where)
    total, average = columns.extent(where)
    lists = _lists(columns, postings, terms, related, mask, total)
    rough = np.zeros(size, np.float32)
    for found in lists:
        rough[found.rows] += found.idf
    chosen = _best(rough, mask, max(_ROUGH, 2 * limit))
    if not len(chosen):
        return []
    spread = where.kinds is None or TURN in where.kinds
    if spread:
        chosen = _window(columns, chosen)
        chosen = chosen[mask[chosen]]
    return _exact(columns, lists, chosen, average, limit)


def _exact(columns: Columns, lists: list[_List], rows: np.ndarray, average: float, limit: int) -> list[Match]:
    """BM25 of these rows with their windows."""
    around = [(weight, columns.step(rows, step))
              for distance, weight in enumerate(NEAR, 1) for step in (-distance, distance)]  # fmt: skip
    before = columns.before[rows]
    lengths, spans, earlier = (_norm(column, average) for column in
                               (columns.length[rows], columns.span[rows], columns.length[before]))  # fmt: skip
    score, own, led, share = (np.zeros(len(rows), np.float32) for _ in range(4))
    here = np.zeros(columns.size, np.float32)
    for found in lists:
        here[found.rows] = 1.0
        here[found.titled] += TITLE
        frequency = here[rows]
        own += found.idf * _saturated(frequency, lengths)
        led += found.idf * _saturated(here[before], earlier)
        for weight, near in around:
            frequency += weight * here[near]
        score += found.idf * _saturated(frequency, spans)
        if found.asked:
            share += found.idf * (frequency > 0)
        here[found.rows] = 0
    information = sum(found.idf for found in lists if found.asked) or 1.0
    for column in (score, own, led):
        column /= information * (K1 + 1)
    best = np.lexsort((rows, -score))[:limit]
    found_columns = (rows, score, own, led, np.minimum(share / information, 1.0))
    return [Match(*values) for values in zip(*(column[best].tolist() for column in found_columns), strict=True)]


def _window(columns: Columns, rows: np.ndarray) -> np.ndarray:
    """These rows and the turns that are scored with them, ascending."""
    steps = [columns.step(rows, step) for step in range(-len(NEAR), len(NEAR) + 1)]
    every = np.unique(np.concatenate(steps))
    return every[every > 0]


class _List(NamedTuple):
    """The rows of one term, those that have it in their title, and its weight."""

    rows: np.ndarray
    titled: np.ndarray
    idf: float
    asked: bool


def _lists(
    columns: Columns,
    postings: Postings,
    terms: Mapping[str, float],
    related: Mapping[str, float],
    mask: np.ndarray,
    total: int,
) -> list[_List]:
    """Each term with its rows; of two terms with one stem, the heavier. Related terms that are common say nothing."""
    last = columns.size - 1
    lists: list[_List] = []
    for term, weight in sorted({**related, **terms}.items(), key=lambda pair: -pair[1]):
        asked = term in terms
        rows = postings.rows(quoted(term), last)
        rows = columns.living(rows)
        if not asked and (not len(rows) or len(rows) > max(_COMMON, total // 50)):
            continue
        if len(rows) and any(len(other.rows) == len(rows) and np.array_equal(other.rows, rows) for other in lists):
            continue
        titled = postings.rows(f"title : {quoted(term)}", last) if asked and len(rows) else rows[:0]
        among = int(mask[rows].sum())
        idf = weight * float(np.log1p((total - among + 0.5) / (among + 0.5)))
        lists.append(_List(rows, columns.living(titled), idf, asked))
    return lists


def _norm(length: np.ndarray, average: float) -> np.ndarray:
    normal: np.ndarray = K1 * (1 - B + B * length / average)
    return normal


def _saturated(frequency: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """BM25's term weight without the inverse document frequency."""
    weight: np.ndarray = frequency * (K1 + 1) / (frequency + norm)
    return weight


def _best(score: np.ndarray, mask: np.ndarray, limit: int) -> np.ndarray:
    rows = np.flatnonzero((score > 0) & mask)
    if len(rows) > limit:
        rows = rows[np.argpartition(-score[rows], limit - 1)[:limit]]
    return rows[np.lexsort((rows, -score[rows]))]
