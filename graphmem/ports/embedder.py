"""Turns texts into vectors. The default ships with the package and works offline. An optional reranker reads query and
text together, which is better and far slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np


class Embedder(Protocol):
    """A deterministic text encoder. `name` includes its version: vectors of two names are never compared."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """float32 array of shape (len(texts), dimensions), rows of length 1 (zeros for a text without words).
        Raises StoreError, with `retry=True` in its data where a later try may succeed."""
        ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder that encodes questions differently from what they are compared with, and reads them as sentences."""

    @property
    def unrelated(self) -> float:
        """The cosine of a question with a text that has nothing to do with it."""
        ...

    def embed_query(self, query: str) -> np.ndarray:
        """float32 of shape (dimensions,), length 1."""
        ...


@runtime_checkable
class Thesaurus(Protocol):
    """Words of like meaning; an embedder of single words may have it."""

    def related(self, words: Sequence[str], limit: int, least: float) -> dict[str, list[tuple[str, float]]]:
        """For each word at most `limit` others with a similarity of at least `least`, closest first; words that it does
        not know are left out."""
        ...

    def likeness(self, words: Sequence[str], texts: Sequence[Sequence[str]]) -> np.ndarray:
        """Of each word (in small letters) the cosine of the nearest word of each text, 1 where the text has it; float32 of
        shape (words, texts), 0 where nothing is near."""
        ...


class Reranker(Protocol):
    """Judges how well texts answer a query."""

    @property
    def name(self) -> str: ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number a text, higher is better; comparable within one call. Raises a GraphmemError where it cannot."""
        ...
