"""Rerankers: they read a question together with each of the best hits. None is the default, since no model of this kind comes
with a package; each is for those who have a server, a library or a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.backends.rerank.http import HttpReranker
from graphmem.backends.rerank.local import FastEmbedReranker, SentenceTransformerReranker
from graphmem.backends.rerank.onnx import OnnxReranker

if TYPE_CHECKING:
    from graphmem.ports.embedder import Reranker
    from graphmem.settings import Retrieval


def make_reranker(chosen: Retrieval, key: str = "") -> Reranker | None:
    """The reranker that the settings name, None where there is none. `key` is that of a server."""
    if chosen.reranker == "http":
        return HttpReranker(chosen.reranker_url, chosen.reranker_model, key, chosen.reranker_timeout_s)
    if chosen.reranker == "onnx":
        return OnnxReranker(chosen.reranker_model, chosen.reranker_tokenizer)
    if chosen.reranker in ("fastembed", "sentence-transformers"):
        kinds = {"fastembed": FastEmbedReranker, "sentence-transformers": SentenceTransformerReranker}
        return kinds[chosen.reranker](chosen.reranker_model)
    return None
