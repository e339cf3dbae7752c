"""SQL helpers: lists of values, of which SQLite accepts only a limited number as parameters, and FTS5 query strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def split_parameters(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield parts small enough for one statement's parameters."""
    every = list(values)
    for start in range(0, len(every), 500):
        yield every[start : start + 500]


def placeholders(values: Sequence[Any]) -> str:
    """Return this many question marks."""
    return ",".join("?" * len(values))


def quote_term(term: str) -> str:
    """Return a term as an FTS5 string, never as syntax."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
