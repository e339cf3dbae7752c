"""MemPalace: texts word for word as "drawers". Its default embedder (all-MiniLM-L6-v2) is downloaded at the first use."""
# pip: mempalace==3.11.0

from __future__ import annotations

import os
from collections.abc import Callable


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Store (ref, text) pairs; return a search: question, k -> refs, best first."""
    palace = f"{folder}/palace"
    os.environ |= {"HOME": folder, "MEMPALACE_PALACE_PATH": palace}
    from mempalace import mcp_server
    from mempalace.searcher import search_memories

    refs = {text: ref for ref, text in documents}
    for text in refs:
        stored = mcp_server.tool_add_drawer(wing="bench", room="texts", content=text)
        if not stored.get("success"):
            raise RuntimeError(stored.get("error"))

    def search(query: str, k: int) -> list[str]:
        return [
            refs[one["text"]] for one in search_memories(query, palace, n_results=k)["results"] if one["text"] in refs
        ]

    return search
