"""BM25 over posting lists read from FTS5 and kept by term: a turn is scored together with the turns around it, which
FTS5's own ranking could do only if every turn were indexed five times. Filters and scores are array operations."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from graphmem.backends.text.columns import NEAR, TURN, Columns, numbers
from graphmem.ports.text import ItemFilter, Match

K1, B = 1.2, 0.75  # BM25's saturation and length normalisation (Robertson and Zaragoza 2009)
TITLE = 1.0  # weight of a word in the title, besides its weight in the text
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


def quoted(term: str) -> str:
    """A term as an FTS5 string."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def search(
    columns: Columns,
    postings: Postings,
    terms: Mapping[str, float],
    related: Mapping[str, float],
    where: ItemFilter,
    limit: int,
) -> list[Match]:
    """The best rows that the filter lets through."""
    size = columns.size
    spread = where.kinds is None or TURN in where.kinds
    total = int(columns.alive[:size].sum())
    score, own, found, scratch = (np.zeros(size, np.float32) for _ in range(4))
    average = columns.average_span()
    information = 0.0
    for term, weight, rows in _lists(columns, postings, {**related, **terms}):
        idf = weight * float(np.log1p((total - len(rows) + 0.5) / (len(rows) + 0.5)))
        if term in terms:
            information += idf
        if not len(rows):
            continue
        titled = postings.rows(f"title : {quoted(term)}", size - 1)
        titled = titled[columns.alive[titled]]
        scratch[rows] = 1.0
        scratch[titled] += TITLE
        own[rows] += idf * _saturated(scratch[rows], columns.length[rows], average)
        touched = _spread(columns, rows, scratch) if spread else rows
        score[touched] += idf * _saturated(scratch[touched], columns.span[touched], average)
        scratch[touched] = 0
        if term in terms:
            found[touched] += idf
    best = _best(score, columns.mask(where), limit)
    before = own[columns.before[best]]
    shares = np.minimum(found[best] / (information or 1.0), 1.0)
    return list(map(Match._make, zip(*(part.tolist() for part in (best, score[best], own[best], before, shares)),
                                     strict=True)))  # fmt: skip


def _lists(columns: Columns, postings: Postings, terms: Mapping[str, float]) -> list[tuple[str, float, np.ndarray]]:
    """Each term with its rows; of two terms with one stem, the heavier."""
    lists: list[tuple[str, float, np.ndarray]] = []
    for term, weight in sorted(terms.items(), key=lambda pair: -pair[1]):
        rows = postings.rows(quoted(term), columns.size - 1)
        rows = rows[columns.alive[rows]]
        if len(rows) and any(len(other) == len(rows) and np.array_equal(other, rows) for _, _, other in lists):
            continue
        lists.append((term, weight, rows))
    return lists


def _saturated(frequency: np.ndarray, length: np.ndarray, average: float) -> np.ndarray:
    """BM25's term weight without the inverse document frequency."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / average))


def _spread(columns: Columns, rows: np.ndarray, scratch: np.ndarray) -> np.ndarray:
    """Add what the turns around have of the term to `scratch`; returns which rows have any."""
    reached = [rows]
    for distance, weight in enumerate(NEAR, 1):
        for step in (-distance, distance):
            near = columns.step(rows, step)
            near = near[near > 0]
            scratch[near] += weight
            reached.append(near)
    if sum(map(len, reached)) > len(scratch) // 20:
        return np.flatnonzero(scratch)
    return np.unique(np.concatenate(reached))


def _best(score: np.ndarray, mask: np.ndarray, limit: int) -> np.ndarray:
    rows = np.flatnonzero((score > 0) & mask)
    if len(rows) > limit:
        rows = rows[np.argpartition(-score[rows], limit - 1)[:limit]]
    return rows[np.lexsort((rows, -score[rows]))]
