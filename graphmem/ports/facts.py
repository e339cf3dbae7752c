"""A disposable cache of parse results, by content hash, so that an unchanged file is never parsed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class FactsCache(Protocol):
    """Bytes by key; losing them only costs time."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the entries that exist."""
        ...

    def put(self, facts: Iterable[tuple[str, bytes]]) -> None:
        """Store these entries."""
        ...

    def retain(self, keys: Iterable[str]) -> None:
        """Delete all other entries without trace. Raises StoreError while a reader holds old pages."""
        ...

    def empty(self) -> bool:
        """Return whether the cache is empty."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...
