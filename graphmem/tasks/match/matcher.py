"""The task matcher: exact names first, then weighted and calibrated evidence. It keeps its index in memory and never
writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphmem.model.tasks import Candidate, Confidence, MatchResult
from graphmem.tasks.blockers import mentioned_blockers
from graphmem.tasks.book import TaskBook
from graphmem.tasks.match import weights
from graphmem.text.keys import canonical_key

if TYPE_CHECKING:
    from graphmem.ports.embedder import Embedder
    from graphmem.tasks.match.index import Floats, TaskIndex

_MAX_EMBEDDED_CHARS = 600  # characters of a description that are embedded
_PASSAGE_TERMS = 40  # a longer text is not a sentence


class Matcher:
    """Matches texts to the tasks of one book. Thread-safe."""

    def __init__(self, embedder: Callable[[], Embedder | None] | None = None) -> None:
        self._embedder = embedder
        self._index: TaskIndex | None = None
        self._vectors: dict[str, tuple[str, Any]] = {}  # id -> (text, vector)
        self._lock = threading.Lock()

    def match(self, book: TaskBook, text: str, k: int, exclude: Sequence[str]) -> MatchResult:
        """Return the first `k` candidates with confidence. `exclude`: names of tasks that contain the text."""
        excluded = {found for name in exclude if (found := book.find(name))}
        named = self._named(book, text, excluded)
        if k <= 0 or not book.tasks or not text.strip():
            return MatchResult("none")
        with self._lock:
            ranked, confidence = self._rank(book, text, excluded)
        if named:
            confidence = "high" if len(named) == 1 or named[0].score - named[1].score >= 0.01 else "suggested"
            ids = {each.task.id for each in named}
            ranked = [*named, *(each for each in ranked if each.task.id not in ids)]
        return MatchResult(confidence, tuple(ranked[:k]))

    def _named(self, book: TaskBook, text: str, excluded: set[str]) -> list[Candidate]:
        """Return tasks whose title, alias or id equals the text, or whose id occurs in a short text. An ambiguous name is
        not certain."""
        key = canonical_key(text)
        found: dict[str, tuple[float, str]] = {}
        for id_ in book.names.get(key, ()) if key else ():
            exact = canonical_key(book.tasks[id_].title) == key
            found[id_] = (weights.EXACT, "exact") if exact else (weights.ALIAS, "alias")
        if len(text.split()) <= _PASSAGE_TERMS:
            for id_ in mentioned_blockers(book, text):
                found.setdefault(id_, (weights.EXACT, "id"))
        return sorted(
            (Candidate(book.tasks[id_], score, how) for id_, (score, how) in found.items() if id_ not in excluded),
            key=lambda each: (-each.score, not each.task.open, each.task.id),
        )

    def _rank(self, book: TaskBook, text: str, excluded: set[str]) -> tuple[list[Candidate], Confidence]:
        import numpy as np

        from graphmem.tasks.match import evidence

        index = self._index = evidence.refresh_index(self._index, book)
        source = next((index.rows[id_] for id_ in sorted(excluded)), None)
        if source is None:
            source = self._itself(index, book, text)
        found = evidence.gather_evidence(index, book, text, source, lambda words: self._cosine(index, book, words))
        column = {name: found[:, number] for number, name in enumerate(evidence.COLUMNS)}
        query = set(index.query(text))
        own = set(index.words[index.ids[source]].title_terms) if source is not None else set()
        whole = len(query) > _PASSAGE_TERMS or (bool(own) and own < query)
        odds = weights.score_candidate(found, evidence.COLUMNS, weights.WHOLE if whole else weights.PASSAGE)
        odds += [weights.prior_weight(book.tasks[id_]) for id_ in index.ids]
        odds[[index.rows[id_] for id_ in excluded]] = -np.inf
        has_evidence = any(column[name].any() for name in ("words", "said", "context", "before", "sibling"))
        if not np.isfinite(odds).any() or not has_evidence:
            return [], "none"
        if source is not None and index.ids[source] not in excluded:
            odds[source] = odds.max() + 10  # the text is this very task
        shares = np.exp(odds - odds.max())
        shares /= shares.sum()
        order = [int(row) for row in np.lexsort((index.ids, -shares))[:200] if np.isfinite(odds[row])]
        agreement = column["agreement"]
        sure = not whole and self._sure(shares, agreement, order)
        scores = np.minimum(shares, weights.UNSURE_SCORE)
        if sure:
            scores[order[0]] = weights.SURE_SCORE + 0.05 * min(float(agreement[order[0]]), 1.0)
        ranked = [Candidate(book.tasks[index.ids[row]], round(float(scores[row]), 4), "text") for row in order]
        return ranked, "high" if sure else self._hint(index, text, shares[order[0]], order[0], source)

    @staticmethod
    def _sure(shares: Floats, agreement: Floats, order: Sequence[int]) -> bool:
        best, rest = order[0], order[1:]
        others = max((float(agreement[row]) for row in rest), default=0.0)
        return bool(shares[best] >= weights.SURE and agreement[best] >= weights.AGREES
                    and agreement[best] - others >= weights.CLEAR)  # fmt: skip

    @staticmethod
    def _hint(index: TaskIndex, text: str, share: float, best: int, source: int | None) -> Confidence:
        query = index.query(text)
        total = float(index.idf[query].sum()) if query else 0.0
        heard = float(index.idf[[term for term in query if term in set(index.words[index.ids[best]].terms)]].sum())
        is_known = heard >= weights.HEARD * total > 0
        return "suggested" if share >= weights.LIKELY and (is_known or source is not None) else "none"

    @staticmethod
    def _itself(index: TaskIndex, book: TaskBook, text: str) -> int | None:
        """Return the task with whose title the text starts, if more text follows."""
        start = " ".join(text.lower().split())
        found = [
            row
            for row, id_ in enumerate(index.ids)
            if start.startswith(" ".join(book.tasks[id_].title.lower().split()))
        ]
        found = [row for row in found if len(index.words[index.ids[row]].title_terms) > 1]
        if not found:
            return None
        words = index.bm25(text)
        return max(found, key=lambda row: (words[row], -row))

    def _cosine(self, index: TaskIndex, book: TaskBook, text: str) -> Floats | None:
        """Return the cosine of the text with every task; None without an embedder."""
        import numpy as np

        embedder = self._embedder() if self._embedder else None
        if embedder is None:
            return None
        texts = {
            id_: f"{book.tasks[id_].title}\n{book.tasks[id_].description[:_MAX_EMBEDDED_CHARS]}" for id_ in index.ids
        }
        new = [id_ for id_, words in texts.items() if self._vectors.get(id_, ("",))[0] != words]
        for start in range(0, len(new), 512):
            part = new[start : start + 512]
            for id_, vector in zip(part, embedder.embed([texts[id_] for id_ in part]), strict=True):
                self._vectors[id_] = (texts[id_], vector)
        matrix = np.stack([self._vectors[id_][1] for id_ in index.ids])
        cosines: Floats = matrix @ embedder.embed([text])[0]
        return cosines
