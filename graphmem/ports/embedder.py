"""Encoders that convert texts to vectors. The default is included in the package and works offline. An optional reranker
reads query and text together, which is better but much slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np


class Embedder(Protocol):
    """A deterministic text encoder. `name` includes its version: vectors of different names are never compared."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return a float32 array of shape (len(texts), dimensions) with rows of length 1 (zeros for a text without
        words). Raises StoreError, with `retry=True` in its data if a retry may succeed."""
        ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder with a separate encoding for queries, which it reads as sentences."""

    @property
    def unrelated(self) -> float:
        """Return the typical cosine of a query with an unrelated text."""
        ...

    def embed_query(self, query: str) -> np.ndarray:
        """Return float32 of shape (dimensions,), length 1."""
        ...


@runtime_checkable
class Thesaurus(Protocol):
    """Words with similar meaning; offered by word-based embedders."""

    def related(self, words: Sequence[str], limit: int, least: float) -> dict[str, list[tuple[str, float]]]:
        """Return for each word at most `limit` others with similarity of at least `least`, most similar first; unknown
        words are omitted."""
        ...

    def likeness(self, words: Sequence[str], texts: Sequence[Sequence[str]]) -> np.ndarray:
        """Return for each word (lower case) the cosine of the nearest word in each text, 1 if the text contains it;
        float32 of shape (words, texts), 0 if nothing is near."""
        ...


class Reranker(Protocol):
    """Scores how well texts answer a query."""

    @property
    def name(self) -> str: ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher is better; comparable within one call. Raises a GraphmemError on failure."""
        ...
