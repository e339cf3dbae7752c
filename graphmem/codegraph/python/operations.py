"""One function per operation of the intermediate form: from its input registers to its values."""

from __future__ import annotations

from graphmem.codegraph.python import attributes, containers, ir, rows
from graphmem.codegraph.python.calls import NO_ARGUMENTS, Arguments, call, instantiate
from graphmem.codegraph.python.cells import Cell, union
from graphmem.codegraph.python.kinds import CLASS, EMPTY, EXTERNAL, FUNCTION, MAX_VALUES, Value, Values
from graphmem.codegraph.python.machine import Handler, Machine
from graphmem.codegraph.python.values import Cls, Constant, Container, External, Fn, Generator, Instance


def _unknown(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return EMPTY


def _const(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return machine.pool.constant(op[1]).only


def _instance(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return machine.pool.builtin(op[1]).only


def _name(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    if op[4] >= 0:
        return fn.registers[op[4]]
    binding = machine.names.lookup(fn.module.fns[op[1]], op[2])
    if not binding.cells:
        return binding.values
    return union([binding.values, *[machine.read(fn, c) for c in binding.cells]])


def _param(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return machine.argument(fn, op[1])


def _attribute(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    if op[4] >= 0:
        return fn.registers[op[4]]
    values = fn.registers[op[1]]
    if len(values) == 1:
        (value,) = values
        return attributes.read_attribute(machine, fn, value, op[2])
    if len(values) > MAX_VALUES:  # outside names made from so many would be many more, and mean nothing
        values = frozenset([v for v in values if v.kind != EXTERNAL])
    return union([attributes.read_attribute(machine, fn, value, op[2]) for value in values])


def _call(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    callees = fn.registers[op[1]]
    if not callees:
        return EMPTY
    args = Arguments.of(fn.registers, op)
    if len(callees) == 1:
        (callee,) = callees
        return call(machine, fn, index, callee, args)
    return union([call(machine, fn, index, callee, args) for callee in callees])


def _subscript(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    if op[4] >= 0:
        return fn.registers[op[4]]
    parts = []
    for value in fn.registers[op[1]]:
        if isinstance(value, Container):
            parts += [containers.item_at(machine, fn, value, k) for k in containers.keys_of(fn.registers[op[2]])]
        elif isinstance(value, Instance):
            args = Arguments(((fn.registers[op[2]], op[2]),))
            methods = attributes.special_method(machine, fn, value, "__getitem__")
            parts += [call(machine, fn, index, m, args) for m in methods]
            if not methods:
                parts += [rows.row_item(machine, fn, value, k) for k in containers.keys_of(fn.registers[op[2]])]
        elif isinstance(value, Cls):
            parts.append(value.instance.only if machine.classes.is_enum(value) else value.only)
        elif isinstance(value, External) and not value.is_instance:
            parts.append(value.only)
        elif isinstance(value, Constant) and isinstance(value.value, str):
            parts.append(machine.pool.builtin("str").only)
    return union(parts)


def _slice(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    parts = []
    for value in fn.registers[op[1]]:
        if isinstance(value, Container):
            parts.append(containers.slice_container(machine, fn, index, value, op[2] or 0, op[3]))
        elif isinstance(value, Instance):
            parts += [
                call(machine, fn, index, m, Arguments(((machine.pool.builtin("slice").only, -1),)))
                for m in attributes.special_method(machine, fn, value, "__getitem__")
            ]
        elif isinstance(value, Constant):
            parts.append(machine.pool.builtin("str").only)
        elif containers.is_builtin_instance(value):
            parts.append(value.only)
    return union(parts)


def _iterate(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return union([containers.elements(machine, fn, value) for value in fn.registers[op[1]]])


def _unpack(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    parts = []
    for value in fn.registers[op[1]]:
        if isinstance(value, Container) and value.type != "dict":
            parts.append(containers.item_at(machine, fn, value, op[2]))
        else:
            parts.append(rows.row_item(machine, fn, value, op[2]) or containers.elements(machine, fn, value))
    return union(parts)


def _unpack_rest(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    rest = containers.new_container(machine, fn, index, "list")
    for value in fn.registers[op[1]]:
        if isinstance(value, Container) and value.type in ("list", "tuple") and value.cells:
            last = max((k for k in value.cells if isinstance(k, int)), default=-1) - op[3]
            for key in range(op[2], last + 1):
                containers.put_item(machine, fn, rest, key - op[2], containers.item_at(machine, fn, value, key))
        else:
            containers.put_item(machine, fn, rest, None, containers.elements(machine, fn, value))
    return rest.only


def _enter(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    parts = []
    for value in fn.registers[op[1]]:
        if isinstance(value, Instance):
            entered = [
                call(machine, fn, index, m, NO_ARGUMENTS)
                for name in ("__enter__", "__aenter__")
                for m in attributes.special_method(machine, fn, value, name)
            ]
            parts += entered or [value.only]
        elif isinstance(value, Generator):
            parts.append(containers.elements(machine, fn, value))
        else:
            parts.append(value.only)
    return union(parts)


def _collect(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return containers.collect_elements(machine, fn, index, op[1], op[2])


def _dict(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    registers = fn.registers
    container = containers.new_container(machine, fn, index, "dict")
    for key, item in zip(op[1], op[2], strict=True):
        if key < 0:
            for value in registers[item]:
                if isinstance(value, Container):
                    for name in list(value.cells):
                        containers.put_item(machine, fn, container, name, machine.read(fn, value.cells[name]))
                    containers.put_item(machine, fn, container, None, machine.read(fn, value.rest))
            continue
        for constant in containers.keys_of(registers[key]):
            containers.put_item(machine, fn, container, constant, registers[item])
            if constant is None:
                machine.write(container.keys, registers[key])
    return container.only


def _store_name(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    machine.write(machine.names.variable(fn.module.fns[op[1]], op[2]), fn.registers[op[3]])
    return EMPTY


def _store_attribute(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    values = fn.registers[op[3]]
    if op[5]:
        if fn.cls is not None:
            machine.write(machine.classes.field(fn.cls, op[2]), values)
    elif machine.flow and values:
        for target in fn.registers[op[1]]:
            cls = target.cls if isinstance(target, Instance) else target
            if isinstance(cls, Cls) and (cls is target or not _is_method(machine, cls, op[2])):
                machine.write(machine.classes.field(cls, op[2]), values)
    return EMPTY


def _is_method(machine: Machine, cls: Cls, name: str) -> bool:
    """Return whether the class declares a name as a method. What replaces it in one object is not what the others have."""
    return any(isinstance(value, Fn) for value in machine.classes.member(cls, name).values)


def _store_item(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    values = fn.registers[op[3]]
    for target in fn.registers[op[1]]:
        if isinstance(target, Container):
            for key in containers.keys_of(fn.registers[op[2]]):
                containers.put_item(machine, fn, target, key, values)
                if key is None and target.owner is not None and (machine.flow or target.owner is fn):
                    machine.write(target.keys, fn.registers[op[2]])
        elif isinstance(target, Instance) and machine.flow:
            args = Arguments(((fn.registers[op[2]], op[2]), (values, op[3])))
            for method in attributes.special_method(machine, fn, target, "__setitem__"):
                call(machine, fn, -1, method, args)
    return EMPTY


def _phi(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    return union([fn.registers[r] for r in op[1]])


def _function(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    made = fn.module.fns[op[1]]
    if op[2]:
        cells = machine.params(made)
        for position, register in op[2]:
            machine.write(made.defaults.setdefault(position, Cell()), fn.registers[register])
            machine.write(cells[position], fn.registers[register])
    return made.only


def _class(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    cls = fn.module.classes[op[1]]
    machine.demand(cls.body_fn)
    return cls.only


def _decorate(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    """Call the decorator. What it leaves in place of a function is the function itself, a wrapper of the project, or
    (where we cannot know) taken to be the function."""
    decorated = fn.registers[op[1]]
    args = Arguments(((decorated, -1),))
    returned = union([call(machine, fn, -1, d, args) for d in decorator_values(fn, op)])
    originals = {_innermost(v): v for v in decorated}
    if len(originals) != 1 or None in originals:
        return decorated
    original = next(iter(originals))
    wrappers = [v for v in returned if v not in decorated and _wraps(machine, v)]
    if not wrappers or original is None:
        return decorated
    return frozenset(machine.pool.decorated(w, original) for w in wrappers) | (returned & decorated)


def decorator_values(fn: Fn, op: ir.Op) -> Values:
    """Return the values that may stand as a decorator. A factory that also decorates by itself, `@attr.s` and
    `@attr.s()`, gives the wrapper and every class it was ever given; with parentheses the wrapper is meant."""
    values = fn.registers[op[2]]
    if len(values) > 1 and fn.body.ops[op[2]][0] == ir.CALL and any(v.kind == FUNCTION for v in values):
        return frozenset([v for v in values if v.kind != CLASS])
    return values


def _innermost(value: Value) -> Fn | None:
    return value if isinstance(value, Fn) else getattr(value, "original", None)


def _wraps(machine: Machine, value: Value) -> bool:
    if isinstance(value, Fn):
        return True
    return isinstance(value, Instance) and machine.classes.member(value.cls, "__call__").home is not None


def _import(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    binding = machine.names.imported(fn.module, op[1], op[2], op[3])
    if not binding.cells:
        return binding.values
    return union([binding.values, *[machine.read(fn, c) for c in binding.cells]])


def _narrow(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    """Evaluate the narrowing by `isinstance`: the values that match, and any instance of the class itself."""
    values = fn.registers[op[1]]
    classes = {v for r in op[2] for v in fn.registers[r]}
    ours = [c for c in classes if isinstance(c, Cls)]
    outside = {c.name for c in classes if isinstance(c, External)}
    kept = [v for v in values if _matches_class(machine, v, ours, outside) == op[3]]
    if not op[3]:
        return frozenset(kept)
    added = [c.some for c in ours] + [machine.pool.external(n, True) for n in outside if "." in n]
    return frozenset([*kept, *added]) if ours or kept else frozenset(kept)


def _matches_class(machine: Machine, value: Value, ours: list[Cls], outside: set[str]) -> bool:
    if isinstance(value, Instance):
        return any(machine.classes.is_subclass(value.cls, c) for c in ours)
    if isinstance(value, Constant):
        return f"<builtin>.{type(value.value).__name__}" in outside
    if isinstance(value, Container):
        return f"<builtin>.{value.type}" in outside
    return isinstance(value, External) and value.is_instance and value.name in outside


def _binary(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    left, right = fn.registers[op[1]], fn.registers[op[2]] if op[2] >= 0 else EMPTY
    if not left:
        return EMPTY
    parts = []
    for value in left:
        if isinstance(value, Instance):
            methods = attributes.special_method(machine, fn, value, op[3])
            if not methods and op[3].startswith("__i"):
                methods = attributes.special_method(machine, fn, value, f"__{op[3][3:]}")
            parts += [call(machine, fn, index, m, Arguments(((right, op[2]),))) for m in methods]
        elif isinstance(value, Constant):
            parts.append(machine.pool.builtin(type(value.value).__name__).only)
        elif isinstance(value, Container):
            parts.append(containers.concatenate(machine, fn, index, op[3], value, right))
        elif containers.is_builtin_instance(value):
            parts.append(value.only)
    return union(parts)


def _raise(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    for value in fn.registers[op[1]]:
        if isinstance(value, Cls):
            instantiate(machine, fn, -1, value, NO_ARGUMENTS)
    return EMPTY


def _declared_type(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    declared = machine.types.values(fn, op[1], fn.cls)
    if op[2] < 0 or (op[3] and declared):
        return declared
    return union([declared, fn.registers[op[2]]])


def _caught_exception(machine: Machine, fn: Fn, op: ir.Op, index: int) -> Values:
    found = []
    for value in fn.registers[op[1]]:
        for cls in containers.item_at(machine, fn, value, None) if isinstance(value, Container) else value.only:
            if isinstance(cls, Cls):
                found.append(cls.instance.only)
            elif isinstance(cls, External):
                found.append(machine.pool.external(cls.name, True).only)
    return union(found)


_TABLE: dict[int, Handler] = {
    ir.UNKNOWN: _unknown, ir.CONST: _const, ir.INSTANCE: _instance, ir.NAME: _name, ir.PARAM: _param,
    ir.ATTRIBUTE: _attribute, ir.CALL: _call, ir.SUBSCRIPT: _subscript, ir.SLICE: _slice, ir.ITERATE: _iterate,
    ir.UNPACK: _unpack, ir.UNPACK_REST: _unpack_rest, ir.ENTER: _enter, ir.COLLECT: _collect, ir.DICT: _dict,
    ir.STORE_NAME: _store_name, ir.STORE_ATTRIBUTE: _store_attribute, ir.STORE_ITEM: _store_item, ir.PHI: _phi,
    ir.FUNCTION: _function, ir.CLASS: _class, ir.DECORATE: _decorate, ir.IMPORT: _import, ir.NARROW: _narrow,
    ir.BINARY: _binary, ir.RAISE: _raise, ir.TYPED: _declared_type, ir.CAUGHT: _caught_exception,
}  # fmt: skip
HANDLERS: tuple[Handler, ...] = tuple(_TABLE[code] for code in range(len(_TABLE)))
