"""Chroma with the static word vectors of WordLlama, which its wheel contains (cosine); Chroma's own embedder is downloaded."""
# pip: chromadb==1.5.9 wordllama==0.4.0.post1

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import chromadb
import wordllama


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    encoder = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    settings = {"hnsw": {"space": "cosine"}}
    texts = chromadb.PersistentClient(path=folder).create_collection(
        "t-texts", configuration=settings, embedding_function=None
    )
    for begin in range(0, len(documents), 1_000):
        part = documents[begin : begin + 1_000]
        vectors = encoder.embed([text for _, text in part], norm=True)
        texts.add(ids=[ref for ref, _ in part], embeddings=vectors)

    def search(query: str, k: int) -> list[str]:
        found = texts.query(query_embeddings=encoder.embed([query], norm=True), n_results=min(k, len(documents)))
        return list(found["ids"][0])

    return search
