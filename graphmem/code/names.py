"""Decides what a bare name means where several symbols have it."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.codegraph.view import CLASSES, FUNCTIONS, View
from graphmem.model.code import Symbol

_MOST = 50  # meanings of a name that a path may begin or end with


def prefer_one(found: list[Symbol]) -> list[Symbol]:
    """Return a class with its constructors, or the only class or function where the others are fields; otherwise all, as
    given. A field has to be named with its class."""
    classes = [symbol for symbol in found if symbol.kind in CLASSES]
    if len(classes) == 1:
        if all(symbol.kind == "field" for symbol in found if symbol is not classes[0]):
            return classes
        return sorted(found, key=lambda symbol: symbol is not classes[0])
    called = [symbol for symbol in found if symbol.kind in FUNCTIONS]
    is_one = len({symbol.qualified_name for symbol in called}) == 1
    return called if is_one and all(symbol.kind in (*FUNCTIONS, "field") for symbol in found) else found


def is_class_with_constructors(found: Sequence[Symbol]) -> bool:
    """Return whether these are a class, and methods of its own name in it."""
    cls, constructors = found[0], {symbol.qualified_name for symbol in found[1:]}
    return cls.kind in CLASSES and constructors == {f"{cls.qualified_name}.{cls.name}"}


def meanings_of(view: View, name: str) -> list[Symbol]:
    """Return all functions and classes with a name, those of tests only if there are no others."""
    found = [symbol for symbol in view.find(name) if symbol.kind in (*FUNCTIONS, *CLASSES) and not symbol.external]
    sources = [symbol for symbol in found if symbol.key not in view.tests]
    return (sources or found)[:_MOST]
