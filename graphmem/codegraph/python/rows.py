"""Instances of NamedTuple and TypedDict: what is found under a position or key of theirs, and what the methods that they
inherit give. Their fields are attributes; everything else about them is in `attributes`."""

from __future__ import annotations

from graphmem.codegraph.python.attributes import read_attribute
from graphmem.codegraph.python.cells import union
from graphmem.codegraph.python.kinds import EMPTY, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.values import Cls, Fn, Instance

_READING = frozenset(("get", "pop", "setdefault"))


def row_item(machine: Machine, fn: Fn, value: Value, key: str | int | None) -> Values:
    """Return the values at a position or key of a row (None: any); empty if the value is no row."""
    if not isinstance(value, Instance):
        return EMPTY
    names = _field_names(machine, value.cls)
    if not names:
        return EMPTY
    if isinstance(key, int):
        names = names[key : key + 1 or None]
    elif key is not None:
        names = [name for name in names if name == key]
    return union([read_attribute(machine, fn, value, name) for name in names])


def call_inherited_method(machine: Machine, fn: Fn, value: Instance, name: str, keys: list[str | int | None]) -> Values:
    """Return the result of a method that a row class inherits."""
    if name == "_replace" or name == "copy":
        return value.only
    return union([row_item(machine, fn, value, key) for key in keys]) if name in _READING else EMPTY


def _field_names(machine: Machine, cls: Cls) -> list[str]:
    """Return the names of the fields in order."""
    return [name for name, _ in machine.classes.annotated(cls)] if machine.classes.is_row(cls) else []
