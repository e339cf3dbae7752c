"""Two helpers for SQL with lists of values: SQLite takes each as a parameter of its own, and only so many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def parts(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Parts small enough for one statement's parameters."""
    every = list(values)
    for start in range(0, len(every), 500):
        yield every[start : start + 500]


def marks(values: Sequence[Any]) -> str:
    """As many question marks."""
    return ",".join("?" * len(values))
