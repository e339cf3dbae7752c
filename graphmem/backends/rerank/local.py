"""Cross-encoders of optional libraries, by name or model folder. The libraries may download a named model; a folder works
offline."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from graphmem.backends.models import LibraryModel


class _Reranker(LibraryModel):
    @abstractmethod
    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher is better."""


class FastEmbedReranker(_Reranker):
    """`TextCrossEncoder` of fastembed (ONNX)."""

    _module, _extra = "fastembed.rerank.cross_encoder", "fastembed"
    _default = "Xenova/ms-marco-MiniLM-L-6-v2"

    def _load(self, library: Any) -> Any:
        return library.TextCrossEncoder(self._name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(value) for value in self._model.rerank(query, list(texts))]


class SentenceTransformerReranker(_Reranker):
    """`CrossEncoder` of sentence-transformers (PyTorch)."""

    _module, _extra = "sentence_transformers", "sentence-transformers"
    _default = "cross-encoder/ms-marco-MiniLM-L6-v2"

    def _load(self, library: Any) -> Any:
        return library.CrossEncoder(self._name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(value) for value in self._model.predict([(query, text) for text in texts])]
