"""Encoders of two libraries that fetch their models at first use: fastembed and sentence-transformers. Both are options
for those who have them; neither is ever the default."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from graphmem.errors import UsageError


class _Library(ABC):
    """A model of an optional library, loaded at first use."""

    _module: str
    _extra: str

    _default: str

    def __init__(self, model: str = "") -> None:
        self._name = model or self._default

    @property
    def name(self) -> str:
        return f"{self._extra}-{self._name}"

    @cached_property
    def dimensions(self) -> int:
        return int(self.embed(["dimensions"]).shape[1])

    @cached_property
    def _model(self) -> Any:
        try:
            library = importlib.import_module(self._module)
        except ImportError as error:
            raise UsageError(f"{self._module} is missing: pip install 'graphmem[{self._extra}]'") from error
        return self._load(library)

    @abstractmethod
    def _load(self, library: Any) -> Any: ...

    @abstractmethod
    def _encode(self, texts: list[str]) -> Any: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """float32, rows of length 1."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors = np.asarray(self._encode(list(texts)), np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


class FastEmbedEmbedder(_Library):
    """Models of fastembed (ONNX)."""

    _module, _extra = "fastembed", "fastembed"
    _default = "BAAI/bge-small-en-v1.5"

    def _load(self, library: Any) -> Any:
        return library.TextEmbedding(self._name)

    def _encode(self, texts: list[str]) -> Any:
        return list(self._model.embed(texts))


class SentenceTransformerEmbedder(_Library):
    """Models of sentence-transformers (PyTorch)."""

    _module, _extra = "sentence_transformers", "sentence-transformers"
    _default = "sentence-transformers/all-MiniLM-L6-v2"

    def _load(self, library: Any) -> Any:
        return library.SentenceTransformer(self._name)

    def _encode(self, texts: list[str]) -> Any:
        return self._model.encode(texts, show_progress_bar=False)
