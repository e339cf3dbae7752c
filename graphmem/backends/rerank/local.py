"""Cross-encoders of optional libraries, by name or by the folder of a model. The libraries may fetch a model that they are
given by name; a folder works offline."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

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
        """The library and the model."""
        return f"{self._extra}-{self._name}"

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
    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number a text, higher is better."""


class FastEmbedReranker(_Library):
    """`TextCrossEncoder` of fastembed (ONNX)."""

    _module, _extra = "fastembed.rerank.cross_encoder", "fastembed"
    _default = "Xenova/ms-marco-MiniLM-L-6-v2"

    def _load(self, library: Any) -> Any:
        return library.TextCrossEncoder(self._name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(value) for value in self._model.rerank(query, list(texts))]


class SentenceTransformerReranker(_Library):
    """`CrossEncoder` of sentence-transformers (PyTorch)."""

    _module, _extra = "sentence_transformers", "sentence-transformers"
    _default = "cross-encoder/ms-marco-MiniLM-L6-v2"

    def _load(self, library: Any) -> Any:
        return library.CrossEncoder(self._name)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float(value) for value in self._model.predict([(query, text) for text in texts])]
