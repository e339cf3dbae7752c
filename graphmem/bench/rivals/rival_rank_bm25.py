"""rank-bm25: BM25Okapi over lower-case words."""
# pip: rank-bm25==0.2.2

from __future__ import annotations

import re
from collections.abc import Callable

from rank_bm25 import BM25Okapi


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    index = BM25Okapi([re.findall(r"\w+", text.lower()) for _, text in documents])

    def search(query: str, k: int) -> list[str]:
        scores = index.get_scores(re.findall(r"\w+", query.lower()))
        best = sorted(range(len(documents)), key=lambda place: -scores[place])[:k]
        return [documents[place][0] for place in best if scores[place] > 0]

    return search
