"""mcp-memory-service: SQLite with vectors and BM25. Without its extra `ml`, which downloads a model, vectors are hashes."""
# pip: mcp-memory-service==12.4.0

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Store (ref, text) pairs; return a search: question, k -> refs, best first."""
    os.environ |= {"HOME": folder, "MCP_MEMORY_BASE_DIR": folder, "HF_HUB_OFFLINE": "1"}
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

    loop = asyncio.new_event_loop()
    storage = SqliteVecMemoryStorage(f"{folder}/memory.db")
    loop.run_until_complete(storage.initialize())
    for ref, text in documents:
        loop.run_until_complete(
            storage.store(Memory(content=text, content_hash=ref, tags=[]), skip_semantic_dedup=True)
        )

    def search(query: str, k: int) -> list[str]:
        found = loop.run_until_complete(storage.retrieve_hybrid(query, n_results=k))
        return [one.memory.content_hash for one in found]

    return search
