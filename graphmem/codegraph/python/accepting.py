"""Decides whether a value matches an annotation: yes, no, or unknown. Used to select among `@overload`s."""

from __future__ import annotations

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.kinds import CLASS, Value
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.types import MAPPINGS, SEQUENCES, WRAPPERS, bare
from graphmem.codegraph.python.values import Cls, Constant, Container, External, Fn, Instance

_WIDER = {"bool": ("int", "float", "complex"), "int": ("float", "complex"), "float": ("complex",)}
_ITERABLE = frozenset("str bytes bytearray range memoryview".split())
_DEPTH = 8
_ANYTHING = frozenset(("object", "Any", "Hashable"))


def accepts(machine: Machine, scope: Fn, expression: ir.TypeExpr, value: Value, depth: int = 0) -> bool | None:
    """Return whether this annotation accepts this value; None if unknown."""
    kind = expression[0]
    if depth > _DEPTH:
        return None  # aliases that go round in a circle
    if kind == "none":
        return False
    if kind == "literal":
        return _accepts_literal(expression[1], value)
    if kind == "union":
        return _any_verdict([accepts(machine, scope, part, value, depth + 1) for part in expression[1]])
    if kind == "typevar":
        return accepts(machine, scope, expression[2], value, depth + 1) if expression[2] else True
    base = expression[1] if kind == "index" else expression
    aliases = machine.names.visible(scope, base[1]).aliases if base[0] == "name" else ()
    if aliases:
        return _any_verdict([accepts(machine, fn, alias, value, depth + 1) for fn, alias in aliases])
    classes = machine.names.class_of(scope, base)
    return (
        _any_verdict([_accepts_class(machine, scope, expression, one, value, depth) for one in classes])
        if classes
        else None
    )


def _any_verdict(verdicts: list[bool | None]) -> bool | None:
    return True if True in verdicts else None if None in verdicts else False


def _accepts_literal(known: tuple[tuple[str, object], ...], value: Value) -> bool | None:
    if isinstance(value, Constant):
        return (type(value.value).__name__, value.value) in known
    if isinstance(value, External) and value.is_instance:
        return None if any(value.name == f"<builtin>.{name}" for name, _ in known) else False
    return False


def _accepts_class(
    machine: Machine, scope: Fn, expression: ir.TypeExpr, wanted: Value, value: Value, depth: int
) -> bool | None:
    """Return whether a class, of the project or another, accepts a value; None if unknown."""
    if isinstance(wanted, Cls):
        return _accepts_project_class(machine, wanted, value)
    if not isinstance(wanted, External):
        return None
    name = bare(wanted.name)
    if name in _ANYTHING:
        return True
    if name in WRAPPERS and expression[0] == "index":
        return _any_verdict([accepts(machine, scope, part, value, depth + 1) for part in expression[2]])
    if name in ("type", "Type"):
        return value.kind == CLASS
    if isinstance(value, Instance):
        return None if value.cls.external_bases or name in SEQUENCES or name in MAPPINGS else False
    if isinstance(value, Container):
        return _accepts_container(name, value)
    own = _builtin_type_name(value)
    if not own:
        return None
    if name in SEQUENCES or name in MAPPINGS:
        return None if own in _ITERABLE and name not in ("list", "tuple", "set", "dict") else False
    return name == own or name in _WIDER.get(own, ()) if wanted.name.startswith("<builtin>.") else None


def _accepts_project_class(machine: Machine, wanted: Cls, value: Value) -> bool | None:
    if isinstance(value, Instance):
        if machine.classes.is_subclass(value.cls, wanted):
            return True
        machine.classes.mro(wanted)
        open_ = value.is_open and machine.classes.is_subclass(wanted, value.cls)
        return None if open_ or any(b.endswith(".Protocol") for b in wanted.external_bases) else False
    if isinstance(value, Constant | Container) or _builtin_type_name(value):
        return False
    return None


def _accepts_container(name: str, value: Container) -> bool | None:
    if value.type == "dict":
        return name in MAPPINGS or (name in SEQUENCES and name not in ("list", "List", "tuple", "Tuple", "set", "Set"))
    if name in MAPPINGS:
        return False
    if name in SEQUENCES:
        kind = value.type if value.type in ("tuple", "set") else "list"
        return SEQUENCES[name] == kind or name not in ("list", "List", "tuple", "Tuple", "set", "Set", "frozenset")
    return False


def _builtin_type_name(value: Value) -> str:
    """Return the name of the built-in type of a value, "" if it is no instance of one."""
    if isinstance(value, Constant):
        return type(value.value).__name__
    if isinstance(value, External) and value.is_instance and value.name.startswith("<builtin>."):
        return value.name.removeprefix("<builtin>.")
    return ""
