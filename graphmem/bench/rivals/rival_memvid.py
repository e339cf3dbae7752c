"""memvid: one file with a full-text index, asked with `ask` and no model (`find` wants every word of a question)."""
# pip: memvid-sdk==2.0.160

from __future__ import annotations

import os
from collections.abc import Callable


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Store (ref, text) pairs; return a search: question, k -> refs, best first."""
    os.environ["MEMVID_TELEMETRY"] = "0"
    import memvid_sdk

    memory = memvid_sdk.create(f"{folder}/memory.mv2")
    for ref, text in documents:
        memory.put(text=text, title=ref, uri=f"mv2://texts/{ref}", enable_embedding=False)

    def search(query: str, k: int) -> list[str]:
        return [hit["title"] for hit in memory.ask(query, k=k, context_only=True)["hits"]]

    return search
