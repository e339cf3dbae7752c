"""The definitions that run when a value is called: the function, a class's constructor, a wrapper and possibly the
function behind it, an instance's `__call__`, or an external name."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.kinds import Value
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.values import Bound, Cls, Decorated, External, Fn, Instance, Partial

Target = Fn | Cls | str


def targets(machine: Machine, callee: Value) -> Iterator[Target]:
    """Yield the project functions and classes that calling a value runs; external names as strings."""
    if isinstance(callee, Fn):
        yield callee
    elif isinstance(callee, Bound | Partial):
        yield from targets(machine, callee.target)
    elif isinstance(callee, Cls):
        yield callee
        yield from _constructors(machine, callee)
    elif isinstance(callee, Decorated):
        yield from targets(machine, callee.wrapper)
        if not isinstance(callee.wrapper, Fn) or _replaces_wrapped(callee.wrapper):
            yield callee.original
    elif isinstance(callee, Instance):
        for value in machine.classes.member(callee.cls, "__call__").values:
            if isinstance(value, Fn):
                yield value
    elif isinstance(callee, External) and not callee.is_instance:
        yield callee.name


def _constructors(machine: Machine, cls: Cls) -> Iterator[Target]:
    found = False
    for name in ("__init__", "__new__"):
        for value in machine.classes.member(cls, name).values:
            if isinstance(value, Fn):
                found = True
                yield value
    if not found:
        machine.classes.mro(cls)
        for base in cls.external_bases[:1]:
            if not base.startswith(("<builtin>.", "typing.", "abc.", "enum.", "collections.")):
                yield f"{base}.__init__"


def _replaces_wrapped(wrapper: Fn) -> bool:
    """Return whether the wrapper replaces the wrapped function, or may call it in ways that cannot be followed."""
    return bool(wrapper.body.flags & ir.WRAPS or not wrapper.body.flags & ir.CALLS_OUTER)
