"""Type variables and overloads: what a call returns where that depends on what is given to it. `T` is what the arguments,
the receiver or a base class say it is; of the signatures that `@overload` declares, those count that take these arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphmem.codegraph.python import ir
from graphmem.codegraph.python.accepting import accepts
from graphmem.codegraph.python.calls import Arguments as Given
from graphmem.codegraph.python.calls import bind_arguments
from graphmem.codegraph.python.cells import union
from graphmem.codegraph.python.containers import elements, item_at
from graphmem.codegraph.python.kinds import CONTAINER, EMPTY, EXTERNAL, INSTANCE, Arguments, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.types import MAPPINGS, SEQUENCES, WRAPPERS, bare
from graphmem.codegraph.python.values import Bound, Cls, Container, External, Fn, Instance

Assigned = dict[int, tuple[Values, int]]  # position of a parameter -> what it gets, and in which register
_MANY = 4  # maximum values of one type variable; with more, calls are not distinguished
_INFORMATIVE = frozenset((INSTANCE, CONTAINER, EXTERNAL))


def infer_result(
    machine: Machine, caller: Fn, fn: Fn, given: Given, receiver: Values | None, assigned: Assigned
) -> Values:
    """Return the result of a call from the return annotation, with type variables bound by the arguments; empty if they
    determine nothing. `assigned` are the values of the parameters."""
    results = []
    for signature in _signatures(machine, fn, given):
        bound = assigned
        if signature is not fn:
            bound = bind_arguments(machine, caller, signature, given, receiver, passing=False)
        results.append(_infer_return(machine, caller, signature, receiver, bound))
    return union(results)


def infer_instance(machine: Machine, caller: Fn, cls: Cls, init: Fn, assigned: Assigned) -> Instance:
    """Return the instance of a generic class that is created with these arguments."""
    bindings: dict[str, list[Values]] = {}
    _match_parameters(machine, caller, init, assigned, bindings)
    names = [name for name in machine.types.variables_of(cls) if name in bindings]
    known = [(name, _without_nested_variables(union(bindings[name]))) for name in names]
    bound = tuple([(name, values) for name, values in known if values and len(values) <= _MANY])
    return machine.pool.instance(cls, bound) if bound else cls.instance


def _without_nested_variables(values: Values) -> Values:
    """Return the values without the type arguments of type arguments, which could nest without end."""
    return frozenset(
        [v.cls.instance if isinstance(v, Instance) and v.arguments else v for v in values if v.kind in _INFORMATIVE]
    )


def _infer_return(machine: Machine, caller: Fn, fn: Fn, receiver: Values | None, assigned: Assigned) -> Values:
    expression = fn.body.returns_type
    if expression is None or fn.parent is None:
        return EMPTY
    wanted = machine.types.variables_in(fn.parent, expression)
    if not wanted:
        return machine.types.values(fn.parent, expression, fn.cls)
    bindings: dict[str, list[Values]] = {}
    _match_parameters(machine, caller, fn, assigned, bindings)
    own = tuple([(name, _variable_values(bindings[name])) for name in wanted if name in bindings])
    results = [
        machine.types.values(fn.parent, expression, fn.cls, own + _receiver_variables(machine, fn, value))
        for value in receiver or (None,)
    ]
    return union(results) if any(values for _, values in own) or receiver else EMPTY


def _variable_values(parts: Sequence[Values]) -> Values:
    """Return the values bound to a type variable, without functions, whose calls are followed themselves."""
    values = union(parts)
    return values if all(v.kind in _INFORMATIVE for v in values) and len(values) <= _MANY else EMPTY


def _receiver_variables(machine: Machine, fn: Fn, receiver: Value | None) -> Arguments:
    """Return the bindings of `Self` and of the type variables of a method's class."""
    cls = receiver.cls if isinstance(receiver, Instance) else receiver
    if fn.cls is None or not isinstance(cls, Cls):
        return ()
    instance = receiver if isinstance(receiver, Instance) else cls.some
    assert isinstance(instance, Instance)
    return (*machine.types.seen_from(cls, instance.arguments, fn.cls), ("Self", instance.only))


def _match_parameters(
    machine: Machine, caller: Fn, fn: Fn, assigned: Assigned, bindings: dict[str, list[Values]]
) -> None:
    """Bind the type variables of the parameters by the values of the arguments; results are added to `bindings`."""
    scope = fn.parent or fn
    for position, (values, _) in assigned.items():
        annotation = fn.body.params[position].annotation
        if annotation is not None and values and machine.types.variables_in(scope, annotation):
            _bind(machine, caller, scope, annotation, values, bindings)


def _bind(
    machine: Machine, caller: Fn, scope: Fn, expression: ir.TypeExpr, values: Values, bindings: dict[str, list[Values]]
) -> None:
    kind = expression[0]
    if kind in ("name", "typevar"):
        if machine.types.variables_in(scope, expression):
            bindings.setdefault(expression[1], []).append(values)
    elif kind == "union":
        for part in expression[1]:
            _bind(machine, caller, scope, part, values, bindings)
    elif kind == "index":
        for base in machine.names.class_of(scope, expression[1]):
            for item, inner in _type_arguments(machine, caller, base, expression[2], values):
                if inner:
                    _bind(machine, caller, scope, item, inner, bindings)


def _type_arguments(
    machine: Machine, caller: Fn, base: Value, items: Sequence[ir.TypeExpr], values: Values
) -> Iterator[tuple[ir.TypeExpr, Values]]:
    """Yield each type parameter with the values given for it."""
    if isinstance(base, Cls):
        for value in values:
            if isinstance(value, Instance) and machine.classes.is_subclass(value.cls, base):
                known = dict(machine.types.seen_from(value.cls, value.arguments, base))
                names = machine.types.variables_of(base)
                yield from [(item, known.get(name, EMPTY)) for name, item in zip(names, items, strict=False)]
        return
    name = bare(base.name) if isinstance(base, External) else ""
    if name in MAPPINGS:
        dicts = [v for v in values if isinstance(v, Container) and v.type == "dict"]
        yield items[0], union([machine.read(caller, v.keys) for v in dicts])
        yield items[-1], union([machine.read(caller, v.all) for v in dicts])
    elif name in ("tuple", "Tuple") and ("none",) not in items:
        for position, item in enumerate(items):
            yield item, union([item_at(machine, caller, v, position) for v in values if isinstance(v, Container)])
    elif name in SEQUENCES:
        yield items[0], union([elements(machine, caller, v) for v in values])
    elif name in WRAPPERS:
        yield from [(item, values) for item in items]
    elif name in ("type", "Type"):
        yield items[0], frozenset([v.instance for v in values if isinstance(v, Cls)])
    elif name == "Callable":
        yield items[-1], union([_call_result(machine, caller, v) for v in values])


def _call_result(machine: Machine, caller: Fn, value: Value) -> Values:
    """Return the result of calling a value, as far as it is known without arguments."""
    if isinstance(value, Cls):
        return value.instance.only
    target = value.target if isinstance(value, Bound) else value
    if not isinstance(target, Fn):
        return EMPTY
    machine.demand(target)
    return machine.declared(target) or frozenset(
        [v for v in machine.read(caller, target.result) if v.kind in _INFORMATIVE]
    )


def _signatures(machine: Machine, fn: Fn, given: Given) -> Sequence[Fn]:
    """Return the overloads that may match, up to the first certain match; the function itself if it has no overloads."""
    stubs = machine.overloads(fn)
    fitting = []
    for stub in stubs:
        verdict = _accepts_arguments(machine, stub, given)
        if verdict is not False:
            fitting.append(stub)
        if verdict:
            break
    return fitting or stubs or (fn,)


def _accepts_arguments(machine: Machine, stub: Fn, given: Given) -> bool | None:
    """Return whether a declaration accepts these arguments; None if unknown."""
    params = stub.body.params
    receives = int(stub.cls is not None and not stub.body.flags & ir.STATIC)
    places = sum(p.kind == ir.POSITIONAL for p in params)
    pairs: list[tuple[int, Values]] = []
    for n, (values, _) in enumerate(given.positional, receives):
        if n < places:
            pairs.append((n, values))
        elif stub.star < 0:
            return False
    for name, values, _ in given.keywords:
        if name in stub.places:
            pairs.append((stub.places[name], values))
        elif not params or params[-1].kind != ir.STARSTAR:
            return False
    is_open = bool(given.starred or given.mappings)
    if not is_open and _lacks_required(machine, stub, {n for n, _ in pairs} | set(range(receives))):
        return False
    verdicts = [_accepts_values(machine, stub, n, values) for n, values in pairs]
    return False if False in verdicts else None if is_open or None in verdicts else True


def _lacks_required(machine: Machine, stub: Fn, filled: set[int]) -> bool:
    """Return whether a required parameter has no argument."""
    optional = machine.optional_parameters(stub)
    needed = [n for n, p in enumerate(stub.body.params) if p.kind in (ir.POSITIONAL, ir.KEYWORD) and n not in optional]
    return any(n not in filled for n in needed)


def _accepts_values(machine: Machine, stub: Fn, position: int, values: Values) -> bool | None:
    annotation = stub.body.params[position].annotation
    if annotation is None:
        return True
    each = {accepts(machine, stub.parent or stub, annotation, value) for value in values}
    if each == {True}:
        return True
    return False if each == {False} else None
