"""A disposable cache of what parsing a file gave, by content, so that an unchanged file is never parsed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class FactsCache(Protocol):
    """Bytes by key; losing them costs time alone."""

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Those that are there."""
        ...

    def put(self, facts: Iterable[tuple[str, bytes]]) -> None:
        """Keep these."""
        ...

    def retain(self, keys: Iterable[str]) -> None:
        """Drop all others, and leave no trace of them. Raises StoreError while a reader holds old pages."""
        ...

    def empty(self) -> bool:
        """Whether nothing is there at all."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...
