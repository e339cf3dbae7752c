"""LanceDB with its native full-text index (BM25, English stems). Its vector search needs an embedder, which it does not bring."""
# pip: lancedb==0.40.0

from __future__ import annotations

from collections.abc import Callable

import lancedb


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    table = lancedb.connect(folder).create_table("texts", [{"ref": ref, "text": text} for ref, text in documents])
    table.create_fts_index("text")
    return lambda query, k: [row["ref"] for row in table.search(query, query_type="fts").limit(k).to_list()]
