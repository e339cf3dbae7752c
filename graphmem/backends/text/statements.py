"""Small helpers for SQL: lists of values, of which SQLite takes each as a parameter of its own and only so many at once,
and strings of FTS5 queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def split_parameters(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Parts small enough for one statement's parameters."""
    every = list(values)
    for start in range(0, len(every), 500):
        yield every[start : start + 500]


def placeholders(values: Sequence[Any]) -> str:
    """As many question marks."""
    return ",".join("?" * len(values))


def quote_term(term: str) -> str:
    """A term as an FTS5 string: never syntax."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
