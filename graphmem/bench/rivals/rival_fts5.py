"""SQLite FTS5: BM25 with the Porter stemmer; any word of the question may match."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(ref UNINDEXED, text, tokenize = 'porter unicode61')")
    db.executemany("INSERT INTO texts VALUES (?, ?)", documents)

    def search(query: str, k: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", query.lower())))
        rows = (
            db.execute("SELECT ref FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (words, k)) if words else ()
        )
        return [ref for (ref,) in rows]

    return search
