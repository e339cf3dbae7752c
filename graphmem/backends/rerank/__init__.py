"""Rerankers score the best hits again, each together with the query. None is the default, because no package includes
such a model; they need a server, a library or a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.backends.rerank.http import HttpReranker
from graphmem.backends.rerank.local import FastEmbedReranker, SentenceTransformerReranker
from graphmem.backends.rerank.onnx import OnnxReranker

if TYPE_CHECKING:
    from graphmem.ports.embedder import Reranker
    from graphmem.settings import Retrieval


def make_reranker(chosen: Retrieval, key: str = "") -> Reranker | None:
    """Return the configured reranker, or None. `key` is the API key of a server."""
    if chosen.reranker == "http":
        return HttpReranker(chosen.reranker_url, chosen.reranker_model, key, chosen.reranker_timeout_s)
    if chosen.reranker == "onnx":
        return OnnxReranker(chosen.reranker_model, chosen.reranker_tokenizer)
    if chosen.reranker in ("fastembed", "sentence-transformers"):
        kinds = {"fastembed": FastEmbedReranker, "sentence-transformers": SentenceTransformerReranker}
        return kinds[chosen.reranker](chosen.reranker_model)
    return None
