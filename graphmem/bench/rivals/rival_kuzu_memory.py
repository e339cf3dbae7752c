"""kuzu-memory: a graph memory for assistants that needs no model; each text is remembered, and recalled by a question."""
# pip: kuzu-memory==1.12.11

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kuzu_memory import KuzuMemory


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    memory = KuzuMemory(db_path=Path(folder) / "memory.db")
    refs: dict[str, str] = {}
    for ref, text in documents:
        refs[text] = ref
        memory.remember(text)
    return lambda query, k: [refs[one.content] for one in memory.recall(query, max_memories=k) if one.content in refs]
