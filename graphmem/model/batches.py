"""Splits a stream into lists, as `itertools.batched` does from Python 3.12 on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(source: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` elements; the last may be shorter."""
    iterator = iter(source)
    while batch := list(islice(iterator, size)):
        yield batch
