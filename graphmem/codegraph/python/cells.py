"""Cells: the places that values flow into."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphmem.codegraph.python.kinds import CONSTANT, CONTAINER, EMPTY, INSTANCE, MAX_VALUES, Values

_MAX_OF_A_KIND = 8  # constants, containers: more of them in one place tell nothing apart
Function = Any  # a scope that can run: `values.Fn`, whose own type needs cells


class Cell:
    """A place that values flow into: a variable, parameter, attribute, element or result. `producers` are the functions
    that must have run before its content means anything; `readers` have to run again when it changes, of each function the
    operations that stand as bits in a number."""

    __slots__ = ("closed", "floor", "producers", "readers", "values", "wide")

    def __init__(self, values: Values = EMPTY, producers: tuple[Function, ...] = ()) -> None:
        self.values = self.floor = (
            values  # floor: what is declared, and stays when the rest is too much to mean anything
        )
        self.producers = producers
        self.readers: dict[Function, int] = {}
        self.closed: tuple[int, ...] = ()  # kinds of which there were too many
        self.wide = False

    def add(self, values: Values) -> bool:
        """Add values; return whether that changed anything."""
        if self.wide or values <= self.values:
            return False
        if self.closed:
            values = frozenset([v for v in values if v.kind not in self.closed])
            if values <= self.values:
                return False
        merged = self.values | values if self.values else values
        if len(merged) > 1:
            merged = _without_subsumed(merged)
            if merged == self.values:
                return False
        self.values = merged
        if len(merged) > _MAX_OF_A_KIND:
            self._thin_out()
        return True

    def _thin_out(self) -> None:
        for kind in (CONSTANT, CONTAINER):
            some = [v for v in self.values if v.kind == kind]
            if len(some) > _MAX_OF_A_KIND:
                self.closed += (kind,)
                self.values = self.values.difference(some) | self.floor
        if len(self.values) > MAX_VALUES:
            self.wide = True
            self.values = self.floor


def _without_subsumed(values: Values) -> Values:
    """Return the values without instances of a class that "some instance of it or of a subclass" includes."""
    exact = [v for v in values if v.kind == INSTANCE and not v.is_open and v.cls.some in values]  # type: ignore[attr-defined]
    return values.difference(exact) if exact else values


def union(parts: Iterable[Values]) -> Values:
    """Return the union. Usually one part contains all others; it is then returned without a copy."""
    first, others = EMPTY, []
    for part in parts:
        if part and part is not first:
            if first:
                others.append(part)
            else:
                first = part
    return first.union(*others) if others else first
