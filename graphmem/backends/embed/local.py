"""Encoders of two libraries that download models on first use: fastembed and sentence-transformers. Optional, never the
default."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from graphmem.backends.models import LibraryModel


class _Embedder(LibraryModel):
    @cached_property
    def dimensions(self) -> int:
        return int(self.embed(["dimensions"]).shape[1])

    @abstractmethod
    def _encode(self, texts: list[str]) -> Any: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 vectors, rows of length 1."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors = np.asarray(self._encode(list(texts)), np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


class FastEmbedEmbedder(_Embedder):
    """Models of fastembed (ONNX)."""

    _module, _extra = "fastembed", "fastembed"
    _default = "BAAI/bge-small-en-v1.5"

    def _load(self, library: Any) -> Any:
        return library.TextEmbedding(self._name)

    def _encode(self, texts: list[str]) -> Any:
        return list(self._model.embed(texts))


class SentenceTransformerEmbedder(_Embedder):
    """Models of sentence-transformers (PyTorch)."""

    _module, _extra = "sentence_transformers", "sentence-transformers"
    _default = "sentence-transformers/all-MiniLM-L6-v2"

    def _load(self, library: Any) -> Any:
        return library.SentenceTransformer(self._name)

    def _encode(self, texts: list[str]) -> Any:
        return self._model.encode(texts, show_progress_bar=False)
