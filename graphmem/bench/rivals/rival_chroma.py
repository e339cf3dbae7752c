"""Chroma with its default embedder (all-MiniLM-L6-v2), which it downloads at the first use: without a network it fails."""
# pip: chromadb==1.5.9

from __future__ import annotations

from collections.abc import Callable

import chromadb


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Index (ref, text) pairs; return a search: question, k -> refs, best first."""
    collection = chromadb.PersistentClient(path=folder).create_collection("texts")
    for begin in range(0, len(documents), 1_000):
        part = documents[begin : begin + 1_000]
        collection.add(ids=[ref for ref, _ in part], documents=[text for _, text in part])
    return lambda query, k: list(collection.query(query_texts=[query], n_results=min(k, len(documents)))["ids"][0])
