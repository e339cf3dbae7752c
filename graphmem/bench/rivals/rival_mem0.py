"""Mem0 without a model: texts are stored as they are (`infer=False`), with the static word vectors of WordLlama as embedder."""
# pip: mem0ai==2.2.1 wordllama==0.4.0.post1

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Store (ref, text) pairs; return a search: question, k -> refs, best first."""
    os.environ |= {"HOME": folder, "MEM0_DIR": folder, "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
    import wordllama
    from mem0 import Memory
    from mem0.embeddings.base import EmbeddingBase

    encoder = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

    class Vectors(EmbeddingBase):  # type: ignore[misc]
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return list(map(float, encoder.embed([text], norm=True)[0]))

    store = {"path": f"{folder}/vectors", "on_disk": True, "embedding_model_dims": 256, "collection_name": "texts"}
    settings = {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": f"{folder}/history.db"}
    memory = Memory.from_config(settings)
    memory.embedding_model = Vectors()
    for ref, text in documents:
        memory.add(text, user_id="bench", infer=False, metadata={"ref": ref})

    def search(query: str, k: int) -> list[str]:
        found = memory.search(query, filters={"user_id": "bench"}, top_k=k)
        return [one["metadata"]["ref"] for one in found["results"]]

    return search
