"""Calls: maps arguments to parameters, and returns results. Calls of external functions are in `builtin_calls`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.cells import Cell, union
from graphmem.codegraph.python.kinds import (
    BOUND,
    CLASS,
    DECORATED,
    EMPTY,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    PARTIAL,
    Value,
    Values,
)
from graphmem.codegraph.python.machine import Machine, instances
from graphmem.codegraph.python.values import (
    Bound,
    Cls,
    Constant,
    Container,
    Decorated,
    External,
    Fn,
    Instance,
    Parameter,
    Partial,
)


@dataclass(slots=True)
class Arguments:
    """The arguments of a call: values with registers (-1: none), those of `*x` and `**x` separately."""

    positional: tuple[tuple[Values, int], ...] = ()
    keywords: tuple[tuple[str, Values, int], ...] = ()
    starred: tuple[Values, ...] = ()
    mappings: tuple[Values, ...] = ()

    @classmethod
    def of(cls, registers: list[Values], op: ir.Op) -> Arguments:
        """Return the arguments of a CALL operation."""
        plain = not op[2] or min(op[2]) >= 0
        if plain and not op[3]:
            return cls(tuple([(registers[a], a) for a in op[2]]))
        before = op[2] if plain else op[2][: next(n for n, a in enumerate(op[2]) if a < 0)]
        return cls(
            tuple([(registers[a], a) for a in before]),
            tuple([(k, registers[r], r) for k, r in op[3] if k is not None]) if op[3] else (),
            () if plain else tuple([registers[~a] if a < 0 else registers[a] for a in op[2][len(before) :]]),
            tuple([registers[r] for k, r in op[3] if k is None]) if op[3] else (),
        )

    def after(self, *first: tuple[Values, int]) -> Arguments:
        """Return these arguments after others."""
        return Arguments(first + self.positional, self.keywords, self.starred, self.mappings)


NO_ARGUMENTS = Arguments()


def data_type(value: Constant) -> str:
    """Return the type name of a constant."""
    return type(value.value).__name__


def call(machine: Machine, fn: Fn, index: int, callee: Value, args: Arguments) -> Values:
    """Return the result of calling a value in operation `index` of `fn`."""
    handler = _CALLS[callee.kind]
    return handler(machine, fn, index, callee, args) if handler is not None else EMPTY


def _call_instance(machine: Machine, fn: Fn, index: int, callee: Instance, args: Arguments) -> Values:
    return union(
        [call(machine, fn, index, m, args) for m in machine.dispatch.special_method(machine, fn, callee, "__call__")]
    )


def _call_partial(machine: Machine, fn: Fn, index: int, callee: Partial, args: Arguments) -> Values:
    return call(machine, fn, index, callee.target, args.after(*[(v, -1) for v in callee.args]))


def _call_external(machine: Machine, fn: Fn, index: int, callee: External, args: Arguments) -> Values:
    return machine.dispatch.call_external(machine, fn, index, callee, args)


def _call_bound(machine: Machine, fn: Fn, index: int, callee: Bound, args: Arguments) -> Values:
    target = callee.target
    if isinstance(target, Fn):
        return call_function(machine, fn, index, target, args, callee.receiver.only)
    if isinstance(target, Decorated):
        return _call_decorated(machine, fn, index, target, args, callee.receiver)
    if isinstance(target, External) and isinstance(callee.receiver, Container):
        return machine.dispatch.call_container(
            machine, fn, index, callee.receiver, target.name.rpartition(".")[2], args
        )
    if isinstance(target, External) and isinstance(callee.receiver, Instance):
        keys = args.positional[0][0] if args.positional else EMPTY
        return machine.dispatch.call_row_method(machine, fn, callee.receiver, target.name.rpartition(".")[2], keys)
    return EMPTY


def _call_decorated(
    machine: Machine, fn: Fn, index: int, callee: Decorated, args: Arguments, receiver: Value | None = None
) -> Values:
    """Run the wrapper. If it returns the result of the wrapped function, return that function's own result."""
    wrapper, original = callee.wrapper, callee.original
    given = args if receiver is None else args.after((receiver.only, -1))
    result = call(machine, fn, index, wrapper, given)
    forwards = not isinstance(wrapper, Fn) or wrapper.body.flags & (ir.FORWARDS | ir.WRAPS)
    if result and not forwards:
        return result
    own = call_function(machine, fn, -1, original, args, None if receiver is None else receiver.only)
    return own or result


def call_function(
    machine: Machine, caller: Fn, index: int, fn: Fn, args: Arguments | None, receiver: Values | None = None
) -> Values:
    """Return what a function returns to this caller. With value flow, the arguments reach its parameters."""
    assigned: dict[int, tuple[Values, int]] | None = None
    if machine.flow and args is not None and _record_arguments(fn, args, receiver):
        assigned = bind_arguments(machine, caller, fn, args, receiver, passing=True)
        cells, keys = machine.params(fn), key_params(fn)
        for position, (values, _) in assigned.items():
            if values:
                values = values if position in keys else machine.pool.simplified(values)
                if fn.body.params[position].annotation is not None:
                    values = machine.matching_annotation(fn, position, values)
                machine.write(cells[position], values)
    if machine.has_varying_result(fn):
        if assigned is None:
            assigned = bind_arguments(machine, caller, fn, args or NO_ARGUMENTS, receiver, passing=False)
        if promised := _annotated_result(machine, caller, fn, args or NO_ARGUMENTS, receiver, assigned):
            return promised
    if fn.body.flags & ir.GENERATOR:
        return machine.pool.generator(fn).only
    declared = machine.declared(fn)
    if declared and not machine.flow:
        return declared
    if not fn.state:
        machine.demand(fn)
    result = machine.read(caller, fn.result)
    if fn.is_symbolic:
        if assigned is None:
            assigned = bind_arguments(machine, caller, fn, args or NO_ARGUMENTS, receiver, passing=False)
        result = _substitute(machine, caller, index, fn, result, assigned)
    return result if not declared else declared | result


def _annotated_result(
    machine: Machine,
    caller: Fn,
    fn: Fn,
    args: Arguments | None,
    receiver: Values | None,
    assigned: dict[int, tuple[Values, int]],
) -> Values:
    """Return the result type that the annotations declare for this call."""
    return machine.dispatch.infer_result(machine, caller, fn, args or NO_ARGUMENTS, receiver, assigned)


def _record_arguments(fn: Fn, args: Arguments, receiver: Values | None) -> bool:
    """Remember the values passed to a function; return whether they are new. With `*args` they always count as new, because
    the container may have grown."""
    if args.starred or args.mappings:
        return True
    given: tuple[object, ...] = (receiver, *[values for values, _ in args.positional])
    if args.keywords:
        given += tuple([(name, values) for name, values, _ in args.keywords])
    if given in fn.received:
        return False
    fn.received.add(given)
    return True


def key_params(fn: Fn) -> frozenset[int]:
    """Return the parameters used as keys or attribute names: for these, constants matter."""
    known: frozenset[int] | None = fn.__dict__.get("key_params")
    if known is None:
        ops = fn.body.ops
        registers = {op[2] for op in ops if op[0] in (ir.SUBSCRIPT, ir.STORE_ITEM)}
        registers |= {op[2][1] for op in ops if op[0] == ir.CALL and len(op[2]) > 1 and ops[op[1]][0] == ir.NAME}
        registers |= {r for register in registers if ops[register][0] == ir.PHI for r in ops[register][1]}
        known = frozenset(ops[r][1] for r in registers if ops[r][0] == ir.PARAM)
        fn.__dict__["key_params"] = known
    return known


def _substitute(
    machine: Machine, caller: Fn, index: int, fn: Fn, result: Values, assigned: dict[int, tuple[Values, int]]
) -> Values:
    """Return a result with its symbolic parameters replaced by this call's arguments, and a note for the caller's own
    summary of which registers it handed on."""
    plain: list[Values] = []
    sources: list[Values | int] = []
    handed: list[Values] = []
    for value in result:
        if not isinstance(value, Parameter):
            plain.append(value.only)
        elif value.fn is not fn or value.position not in assigned:
            plain.append(machine.resolve(caller, value.only))
        else:
            values, register = assigned[value.position]
            if value.instantiated:
                plain.append(instances(values))
            else:
                handed.append(values)
                sources.append(register if register >= 0 else values)
    if index >= 0 and sources:
        known = caller.passed_on.get(index, (EMPTY, ()))
        caller.passed_on[index] = (union([known[0], *plain]), tuple(dict.fromkeys((*known[1], *sources))))
    return union([*plain, *handed])


def bind_arguments(
    machine: Machine, caller: Fn, fn: Fn, args: Arguments, receiver: Values | None, *, passing: bool
) -> dict[int, tuple[Values, int]]:
    """Return position of each parameter with an argument -> values and register. When `passing`, what `*args` and
    `**kwargs` collect is stored in their containers immediately."""
    params = fn.body.params
    assigned: dict[int, tuple[Values, int]] = {}
    if fn.is_simple and not args.starred and not args.mappings:
        given = args.positional if receiver is None else ((receiver, -1), *args.positional)
        assigned.update(enumerate(given[: len(params)]))
        assigned.update((fn.places[name], (values, r)) for name, values, r in args.keywords if name in fn.places)
        return assigned
    collects = machine.params(fn) if passing else ()
    for position, one in _positional_arguments(machine, caller, fn, args, receiver):
        if position < len(params) and params[position].kind == ir.POSITIONAL:
            if position in assigned:
                one = (assigned[position][0] | one[0], -1)
            assigned[position] = one
        elif collects and fn.star >= 0:
            _collect_variadic(machine, collects[fn.star], position - fn.star, one[0])
    for name, values, register in _keyword_arguments(machine, caller, args):
        if name in fn.places:
            assigned[fn.places[name]] = (values, register)
        elif collects and params[-1].kind == ir.STARSTAR:
            _collect_variadic(machine, collects[-1], name, values)
    return assigned


def _positional_arguments(
    machine: Machine, caller: Fn, fn: Fn, args: Arguments, receiver: Values | None
) -> list[tuple[int, tuple[Values, int]]]:
    """Return the positional arguments."""
    given = args.positional if receiver is None else ((receiver, -1), *args.positional)
    found = list(enumerate(given))
    for values in args.starred:
        for value in values:
            if isinstance(value, Container):
                for key in list(value.cells):
                    if isinstance(key, int) and key >= 0:
                        found.append((len(given) + key, (machine.read(caller, value.cells[key]), -1)))
                rest = machine.read(caller, value.rest)
                if rest:
                    for n in range(len(given), len(fn.body.params)):
                        if fn.body.params[n].kind == ir.POSITIONAL:
                            found.append((n, (rest, -1)))
    return found


def _keyword_arguments(machine: Machine, caller: Fn, args: Arguments) -> Sequence[tuple[str, Values, int]]:
    """Return the keyword arguments."""
    found = list(args.keywords)
    for values in args.mappings:
        for value in values:
            if isinstance(value, Container):
                machine.read(caller, value.rest)  # for keys that are yet to come
                for key in list(value.cells):
                    if isinstance(key, str):
                        found.append((key, machine.read(caller, value.cells[key]), -1))
    return found


def _collect_variadic(machine: Machine, param: Cell, key: int | str, values: Values) -> None:
    """Add an argument to the container of `*args` or `**kwargs`."""
    for value in param.values:
        if isinstance(value, Container):
            if key not in value.cells:
                value.cells[key] = Cell()
                machine.changed(value.rest)
            machine.write(value.cells[key], values)
            machine.write(value.all, values)


def instantiate(machine: Machine, fn: Fn, index: int, cls: Cls, args: Arguments) -> Values:
    """Return the result of calling a class: its constructor runs, including generated ones."""
    instance = cls.instance.only
    for name, receiver in (("__init__", instance), ("__new__", cls.only)):
        for value in machine.classes.member(cls, name).values:
            if isinstance(value, Fn):
                call_function(machine, fn, -1, value, args, receiver)
                if name == "__init__" and machine.types.variables_of(cls):
                    instance = _generic_instance(machine, fn, cls, value, args).only
    if machine.flow and (fields := machine.classes.dataclass_fields(cls)):
        by_name = {name: values for name, values, _ in args.keywords}
        for (name, _), (values, _) in zip(fields, args.positional, strict=False):
            by_name.setdefault(name, values)
        for name, binding in fields:
            for cell in binding.cells:
                machine.write(cell, by_name.get(name, EMPTY))
    return instance


def _generic_instance(machine: Machine, fn: Fn, cls: Cls, init: Fn, args: Arguments) -> Instance:
    """Return the instance of a generic class, with its type variables bound by these arguments."""
    return machine.dispatch.infer_instance(
        machine, fn, cls, init, bind_arguments(machine, fn, init, args, cls.instance.only, passing=False)
    )


_TABLE: dict[int, Callable[[Machine, Fn, int, Any, Arguments], Values]] = {
    FUNCTION: call_function, BOUND: _call_bound, CLASS: instantiate,
    DECORATED: _call_decorated, INSTANCE: _call_instance, PARTIAL: _call_partial,
    EXTERNAL: _call_external,
}  # fmt: skip
_CALLS = tuple(_TABLE.get(kind) for kind in range(13))
