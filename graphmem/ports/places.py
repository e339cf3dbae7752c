"""Lookup of items by the code places they mention; used for recall before an edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Spoken(NamedTuple):
    """An item that mentions a place by `key`: its row (of its first passage, if it is indexed by passages), kind and time
    in microseconds."""

    key: str
    row: int
    kind: str
    at: int


class Places(Protocol):
    """Items by place key (see `text.placenames`)."""

    def naming(self, keys: Sequence[str], limit: int) -> list[Spoken]:
        """Return the items that mention one of these places, at most the `limit` newest per key."""
        ...

    def counts(self, keys: Sequence[str]) -> dict[str, int]:
        """Return how many items mention each of these places; zero counts are omitted."""
        ...

    def symbols(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return those of these lower-case names that are names of code symbols, with the paths of some files that define
        them."""
        ...
