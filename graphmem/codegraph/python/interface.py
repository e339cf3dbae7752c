"""What other files can see of a file, name by name: what its functions take and give, its variables, its classes and their
attributes. Two interfaces are compared to learn which names mean something else since an edit; nothing is linked here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell
from graphmem.codegraph.python.kinds import Value, Values
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
)

Place = tuple[str, str]  # a name, and the key of the function or class that it names ("": a variable or attribute)
Interface = Mapping[Place, list[str]]
MODULE = "*"  # the name under which stands what concerns every user of the module

_DEPTH = 3  # of containers in containers


def interface(machine: Machine, module: Module) -> Interface:
    """Return the interface of a module whose scopes have run: descriptions that are the same in every run. They
    contain keys of functions and classes between delimiters that occur in no key."""
    found: defaultdict[Place, list[str]] = defaultdict(list)
    for fn in module.fns:
        for place, text in _function(machine, fn):
            found[place].append(text)
    for cls in module.classes:
        for place, text in _class(machine, cls):
            found[place].append(text)
    found[MODULE, ""].append(str((module.is_package, module.fns[0].body.stars if module.fns else ())))
    exports = module.exports
    found[MODULE, ""].append("" if exports is None else "listed")
    for name in exports or ():
        found[name, ""].append("exported")
    return found


def _function(machine: Machine, fn: Fn) -> Iterator[tuple[Place, str]]:
    body = fn.body
    values = _cell_labels([fn.result, fn.yields, fn.forwarded, *machine.params(fn)]), _labels(machine.declared(fn))
    yield (body.name, fn.key), str((fn.key, body.kind, body.flags, body.params, body.returns_type, values))
    if body.kind == "function":
        return  # what is in it others see by what it gives
    for name, bindings in body.bindings.items():
        yield (name, ""), str([_binding(machine, fn, binding) for binding in bindings])
    for name, cell in fn.variables.items():
        if cell.values:
            yield (name, ""), str(("variable", fn.key, _labels(cell.values)))


def _binding(machine: Machine, fn: Fn, binding: tuple[Any, ...]) -> object:
    kind, detail = binding[0], binding[1:]
    if kind == "def":
        return kind, fn.module.fns[detail[0]].key
    if kind == "class":
        return kind, fn.module.classes[detail[0]].key
    if kind == "import":
        found = machine.names.imported(fn.module, *detail)
        return kind, _labels(found.values), _cell_labels(found.cells), found.keys
    _, alias, annotation = detail
    types = machine.types.values(fn, annotation, fn.cls) if isinstance(annotation, tuple) else ()
    named = machine.names.class_of(fn, alias) if isinstance(alias, tuple) else ()
    return kind, alias, annotation, _labels(types), _labels(named)


def _class(machine: Machine, cls: Cls) -> Iterator[tuple[Place, str]]:
    order = [b.key for b in machine.classes.mro(cls)]
    again = sorted(m.body.name for m in cls.methods if _calls_overridden(m))
    shape = cls.key, order, cls.external_bases, cls.record.bases, cls.record.decorators, again
    yield (cls.record.name, cls.key), str(shape)
    for name, cell in cls.fields.items():
        if cell.values:
            yield (name, ""), str(("field", cls.key, _labels(cell.values)))
    for method in cls.methods:
        for name in method.body.fields:
            yield (name, ""), str(("stored", method.key))


def _calls_overridden(method: Fn) -> bool:
    """Return whether a method reads an attribute of its own name, as in `super().__init__(...)`."""
    return any(op[0] == ir.ATTRIBUTE and op[2] == method.body.name for op in method.body.ops)


def _cell_labels(cells: Iterable[Cell]) -> list[list[str]]:
    return [_labels(cell.values) for cell in cells]


def _labels(values: Values | tuple[()], depth: int = 0) -> list[str]:
    """Return labels of values that are the same in every run."""
    return sorted(_label(v, depth) for v in values)


def _label(value: Value, depth: int) -> str:
    if isinstance(value, Fn | Cls | Module):
        return value.key
    if isinstance(value, Instance):
        arguments = [(n, _labels(v, depth + 1)) for n, v in value.arguments if depth < _DEPTH]
        return f"{'some' if value.is_open else 'a'} {value.cls.key} {arguments}"
    if isinstance(value, Bound):
        return f"{_label(value.target, depth)} of {_label(value.receiver, depth)}"
    if isinstance(value, External):
        return f"{value.name} {value.is_instance}"
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Decorated):
        return f"{_label(value.wrapper, depth)} around {value.original.key}"
    if isinstance(value, Partial):
        return f"{_label(value.target, depth)} given {[_labels(v, depth + 1) for v in value.args if depth < _DEPTH]}"
    if isinstance(value, Container):
        if depth >= _DEPTH:
            return value.type
        inner = sorted((str(k), _labels(c.values, depth + 1)) for k, c in value.cells.items())
        return f"{value.type} {inner} {_labels(value.all.values, depth + 1)} {_labels(value.keys.values, depth + 1)}"
    parts = [getattr(value, name, None) for name in ("fn", "position", "instantiated", "cls", "target", "receiver")]
    return f"{type(value).__name__} {[_label(p, depth) if isinstance(p, Value) else p for p in parts]}"
