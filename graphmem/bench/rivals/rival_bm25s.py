"""bm25s: BM25 (Lucene's variant) over words, with its English stop words."""
# pip: bm25s==0.3.16

from __future__ import annotations

from collections.abc import Callable

import bm25s


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    index = bm25s.BM25()
    index.index(bm25s.tokenize([text for _, text in documents], show_progress=False), show_progress=False)

    def search(query: str, k: int) -> list[str]:
        words = bm25s.tokenize([query], show_progress=False)
        places, scores = index.retrieve(words, k=min(k, len(documents)), show_progress=False)
        return [documents[place][0] for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    return search
