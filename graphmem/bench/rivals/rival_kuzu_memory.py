"""kuzu-memory: a graph memory for assistants that needs no model; each text is remembered, and recalled by a question."""
# pip: kuzu-memory==1.12.11

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kuzu_memory import KuzuMemory


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    memory = KuzuMemory(db_path=Path(folder) / "memory.db", enable_git_sync=False, auto_sync=False)
    refs: dict[str, str] = {}
    for ref, text in documents:
        refs[memory.remember(text)] = ref

    def search(query: str, k: int) -> list[str]:
        return [refs[one.id] for one in memory.attach_memories(query, max_memories=k).memories if one.id in refs]

    return search
