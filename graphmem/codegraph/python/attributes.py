"""Attribute access: on modules, instances, classes, `super()`, containers and external values, with methods bound to
their receivers and properties evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.calls import Arguments, call, call_function, data_type
from graphmem.codegraph.python.cells import union
from graphmem.codegraph.python.classes import Member
from graphmem.codegraph.python.kinds import CLASS, DECORATED, EMPTY, FUNCTION, INSTANCE, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.values import (
    Bound,
    Cls,
    Constant,
    Container,
    Decorated,
    External,
    Fn,
    Instance,
    Module,
    Partial,
    Super,
)

_OBJECT = frozenset(dir(object))
_DUNDER = re.compile(r"__\w+__$")  # the language looks for these on the class alone
_OF_ROWS = frozenset("_replace get pop setdefault copy".split())  # what instances of NamedTuple and TypedDict inherit
_NO_CLASS: Cls | None = None


def read_attribute(machine: Machine, fn: Fn, value: Value, name: str) -> Values:
    """Return the possible values of `value.name`, read by `fn`."""
    handler = _KINDS.get(type(value))
    return handler(machine, fn, value, name) if handler else EMPTY


def member_of(machine: Machine, value: Value, name: str) -> tuple[Member, Cls] | None:
    """Return the member of an instance, class or `super()`, and the class it was looked up in."""
    if isinstance(value, Instance):
        cls, after = value.cls, _NO_CLASS
    elif isinstance(value, Cls):
        cls, after = value, _NO_CLASS
    elif isinstance(value, Super):
        cls, after = _class_of(value.receiver) or value.cls, value.cls
        if not machine.classes.is_subclass(cls, value.cls):
            cls = value.cls
    else:
        return None
    return machine.classes.member(cls, name, after), cls


def _class_of(receiver: Value) -> Cls | None:
    if isinstance(receiver, Instance):
        return receiver.cls
    return receiver if isinstance(receiver, Cls) else None


def special_method(machine: Machine, fn: Fn, value: Value, name: str) -> Values:
    """Return the bound special method of an instance: `__iter__`, `__call__`, `__add__` ... Empty if it has none."""
    return (
        read_attribute(machine, fn, value, name)
        if isinstance(value, Instance) and _has_attribute(machine, value, name)
        else EMPTY
    )


def _has_attribute(machine: Machine, value: Instance, name: str) -> bool:
    return machine.classes.member(value.cls, name).home is not None


def _module(machine: Machine, fn: Fn, value: Module, name: str) -> Values:
    binding = machine.names.member(value, name)
    if not binding.cells:
        return binding.values
    return union([binding.values, *(machine.read(fn, c) for c in binding.cells)])


def _instance(machine: Machine, fn: Fn, value: Instance, name: str) -> Values:
    known: Values | None = value.fixed.get(name)
    if known is not None:
        return known
    if name == "__class__":
        return value.cls.only
    member = machine.classes.member(value.cls, name)
    found = _read_member(machine, fn, value, value.cls, member, name)
    if member.is_fixed and (member.declared or not machine.classes.member(value.cls, "__getattr__").values):
        value.fixed[name] = found
    return found


def _super(machine: Machine, fn: Fn, value: Super, name: str) -> Values:
    found = member_of(machine, value, name)
    if found is None:
        return EMPTY
    member, cls = found
    return _read_member(machine, fn, value.receiver, cls, member, name)


def _read_member(machine: Machine, fn: Fn, receiver: Value, cls: Cls, member: Member, name: str) -> Values:
    if _is_missing(machine, fn, member):
        if name in _OF_ROWS and receiver.kind == INSTANCE and machine.classes.is_row(cls):
            return machine.pool.bound(machine.pool.external(f"{cls.external_bases[0]}.{name}"), receiver).only
        return _read_through_getattr(machine, fn, receiver, name) or _inherited_from_outside(machine, cls, name)
    is_instance = receiver.kind == INSTANCE
    parts = [bind_member(machine, v, receiver, cls).only for v in member.values]
    for cell in member.cells:
        for v in machine.read(fn, cell):
            got = _call_descriptor(machine, fn, v, receiver) if is_instance and v.kind == INSTANCE else None
            parts.append(bind_member(machine, v, receiver, cls).only if got is None else got)
    for cell in member.fields:
        parts.append(machine.read(fn, cell))
    for scope, annotation in member.annotations:
        arguments = receiver.arguments if isinstance(receiver, Instance) else ()
        if member.home is not None:
            arguments = machine.types.seen_from(cls, arguments, member.home)
        parts.append(machine.types.values(scope, annotation, cls, arguments))
    if is_instance and member.getters:
        parts += [call_function(machine, fn, -1, g, None, receiver.only) for g in member.getters]
    if member.home is not None and member.cells and not is_instance and machine.classes.is_enum(cls):
        parts.append(cls.instance.only)
    return union(parts)


def _call_descriptor(machine: Machine, fn: Fn, value: Value, receiver: Value) -> Values | None:
    """Return the result of a descriptor's `__get__` for an object; None if the value is no descriptor."""
    getters = special_method(machine, fn, value, "__get__")
    args = Arguments(((receiver.only, -1),))
    return union([call(machine, fn, -1, getter, args) for getter in getters]) if getters else None


def _read_through_getattr(machine: Machine, fn: Fn, receiver: Value, name: str) -> Values:
    """Return an attribute that `__getattr__` reads from another object, as proxies do. A proxy may wrap another proxy."""
    if not isinstance(receiver, Instance) or _DUNDER.match(name):
        return EMPTY
    found, inherited = [], []
    seen: set[Value] = {receiver}
    pending = [receiver]
    while pending:
        for value in sorted(_proxied_objects(machine, fn, pending.pop()) - seen):
            seen.add(value)
            if not isinstance(value, Instance):
                found.append(read_attribute(machine, fn, value, name))
            elif _is_missing(machine, fn, machine.classes.member(value.cls, name)):
                pending.append(value)
                inherited.append(_inherited_from_outside(machine, value.cls, name))
            else:
                found.append(_instance(machine, fn, value, name))
    return union(found) or union(inherited)


def _proxied_objects(machine: Machine, fn: Fn, proxy: Instance) -> Values:
    """Return the objects in which `__getattr__` looks for attributes that the proxy lacks."""
    parts = []
    for getter in machine.classes.member(proxy.cls, "__getattr__").values:
        if isinstance(getter, Fn):
            machine.demand(getter)
            parts.append(
                frozenset(v for v in machine.read(fn, getter.forwarded) if getattr(v, "cls", None) is not proxy.cls)
            )
    return union(parts)


def _is_missing(machine: Machine, fn: Fn, member: Member) -> bool:
    if member.home is not None or member.keys:
        return False
    return not any(machine.read(fn, c) for c in member.fields)


def _inherited_from_outside(machine: Machine, cls: Cls, name: str) -> Values:
    """Return an attribute that only a class outside the project can have."""
    machine.classes.mro(cls)
    for base in cls.external_bases:
        if base != "<builtin>.object" and not base.startswith(("typing.", "abc.")):
            return machine.pool.external(f"{base}.{name}").only
    if name in _OBJECT:
        return machine.pool.external(f"<builtin>.object.{name}").only
    return EMPTY


def bind_member(machine: Machine, value: Value, receiver: Value, cls: Cls) -> Value:
    """Return a class attribute as read through an instance or the class."""
    if value.kind != FUNCTION and value.kind != DECORATED:
        return value
    flags = (value if isinstance(value, Fn) else value.original).body.flags  # type: ignore[attr-defined]
    if flags & ir.STATIC:
        return value
    if flags & ir.CLASSMETHOD:
        return machine.pool.bound(value, receiver if receiver.kind == CLASS else cls)
    return value if receiver.kind == CLASS else machine.pool.bound(value, receiver)


def _class(machine: Machine, fn: Fn, value: Cls, name: str) -> Values:
    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return machine.pool.builtin("str").only
    return _read_member(machine, fn, value, value, machine.classes.member(value, name), name)


def _external(machine: Machine, fn: Fn, value: External, name: str) -> Values:
    return machine.pool.external(value.attribute(name)).only


def _constant(machine: Machine, fn: Fn, value: Constant, name: str) -> Values:
    return machine.pool.external(f"<builtin>.{data_type(value)}.{name}").only


def _container(machine: Machine, fn: Fn, value: Container, name: str) -> Values:
    kind = "list" if value.type == "iterator" else value.type
    return machine.pool.bound(machine.pool.external(f"<builtin>.{kind}.{name}"), value).only


def _bound(machine: Machine, fn: Fn, value: Bound, name: str) -> Values:
    if name == "__func__":
        return value.target.only
    return value.receiver.only if name == "__self__" else EMPTY


def _decorated(machine: Machine, fn: Fn, value: Decorated, name: str) -> Values:
    if name == "__wrapped__":
        return value.original.only
    return read_attribute(machine, fn, value.wrapper, name) if value.wrapper.kind == INSTANCE else EMPTY


def _partial(machine: Machine, fn: Fn, value: Partial, name: str) -> Values:
    return value.target.only if name == "func" else EMPTY


_KINDS: dict[type, Callable[[Machine, Fn, Any, str], Values]] = {
    Module: _module, Instance: _instance, Cls: _class, Super: _super, External: _external, Constant: _constant,
    Container: _container, Bound: _bound, Decorated: _decorated, Partial: _partial,
}  # fmt: skip
