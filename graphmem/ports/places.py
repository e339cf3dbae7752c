"""Which items speak of which places of the code: the look-up behind what is recalled before an edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Spoken(NamedTuple):
    """An item that names a place by `key`: its row (that of its first passage, where it is found by passages), kind and
    time in microseconds."""

    key: str
    row: int
    kind: str
    at: int


class Places(Protocol):
    """Places by key (see `text.placenames`)."""

    def naming(self, keys: Sequence[str], limit: int) -> list[Spoken]:
        """Return the items that name one of these places, at most the `limit` newest of each key."""
        ...

    def counts(self, keys: Sequence[str]) -> dict[str, int]:
        """Return how many items name each of these places; those that none names are left out."""
        ...

    def symbols(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return of these names, in lower case, those that symbols of the code bear, each with the paths of at most
        some files that define it."""
        ...
