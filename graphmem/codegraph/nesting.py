"""Finds the nested parts of a source file around a place, in logarithmic time: climbing a syntax tree from each place is
quadratic for a file that somebody made deep or wide."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")
_DEEPEST = 64  # innermost parts that are returned


class Nesting(Generic[T]):
    """Parts of a text, given as (start, end, value); two parts are disjoint, or one is inside the other."""

    def __init__(self, parts: Iterable[tuple[int, int, T]]) -> None:
        self._parts = sorted(parts, key=lambda part: (part[0], -part[1]))
        self._starts = [part[0] for part in self._parts]
        self._outer: list[int] = []  # the part around each, -1 if there is none
        open_parts: list[int] = []
        for number, (start, _, _) in enumerate(self._parts):
            while open_parts and self._parts[open_parts[-1]][1] <= start:
                open_parts.pop()
            self._outer.append(open_parts[-1] if open_parts else -1)
            open_parts.append(number)

    def around(self, place: int) -> list[T]:
        """Return the values of the parts that contain a place, the innermost first, at most 64."""
        found: list[T] = []
        number = bisect_right(self._starts, place) - 1
        while number >= 0 and len(found) < _DEEPEST:
            _, end, value = self._parts[number]
            if place < end:
                found.append(value)
            number = self._outer[number]
        return found
