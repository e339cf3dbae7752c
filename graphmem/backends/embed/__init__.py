"""Embedders. The default is included in the package; the others need a library or a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.backends.embed.e5 import E5Embedder
from graphmem.backends.embed.local import FastEmbedEmbedder, SentenceTransformerEmbedder
from graphmem.backends.embed.onnx import OnnxEmbedder
from graphmem.backends.embed.openai import OpenAIEmbedder
from graphmem.backends.embed.wordllama import WordLlamaEmbedder

if TYPE_CHECKING:
    from graphmem.ports.embedder import Embedder
    from graphmem.settings import Embedding


def make_embedder(chosen: Embedding, key: str = "") -> Embedder | None:
    """Return the configured embedder, or None if embedding is disabled. `key` is the API key of an OpenAI-compatible
    server."""
    if chosen.provider == "wordllama":
        return WordLlamaEmbedder()
    if chosen.provider == "e5":
        return E5Embedder()
    if chosen.provider == "onnx":
        return OnnxEmbedder(chosen.model, chosen.tokenizer)
    if chosen.provider in ("fastembed", "sentence-transformers"):
        kinds = {"fastembed": FastEmbedEmbedder, "sentence-transformers": SentenceTransformerEmbedder}
        return kinds[chosen.provider](chosen.model)
    if chosen.provider == "openai":
        return OpenAIEmbedder(chosen.url, chosen.model, key, chosen.dimensions)
    return None
