"""Calls of external code: built-in functions that inspect, call or pass on their arguments, and constructors of external
classes. Everything else returns an unknown value."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.codegraph.python import builtin_types as tables
from graphmem.codegraph.python import ir
from graphmem.codegraph.python.attributes import read_attribute
from graphmem.codegraph.python.calls import Arguments, call
from graphmem.codegraph.python.cells import union
from graphmem.codegraph.python.containers import elements, elements_of_iterator, item_at, new_container, put_item
from graphmem.codegraph.python.kinds import BOUND, CLASS, DECORATED, EMPTY, FUNCTION, PARTIAL, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.values import Cls, Constant, Container, External, Fn, Instance, Partial

_LONGEST = 300  # characters of a text that is taken apart
_CALLABLE = frozenset({FUNCTION, CLASS, BOUND, DECORATED, PARTIAL})


def call_external(machine: Machine, fn: Fn, index: int, callee: External, args: Arguments) -> Values:
    """Return the result of calling an external name."""
    name = callee.name
    if callee.is_instance:
        return EMPTY
    special = _SPECIAL.get(name)
    if special is not None:
        return special(machine, fn, index, args)
    given = [values for values, _ in args.positional]
    if name in tables.CALLS_ARGUMENTS:
        result = _higher_order(machine, fn, index, name, args)
        return machine.pool.external(tables.MAKES[name], True).only if name in tables.MAKES else result
    if name in tables.ONE_ELEMENT:
        return _next_element(machine, fn, given)
    if name in tables.CONTAINERS or name in tables.SAME_ELEMENTS:
        return _copy_collection(machine, fn, index, name, args)
    if name in tables.RETURNS:
        return _instance_of_builtin(machine, fn, index, tables.RETURNS[name])
    if name in tables.MAKES:
        return machine.pool.external(tables.MAKES[name], True).only
    last = name.rpartition(".")[2]
    return machine.pool.external(name, True).only if last[:1].isupper() or last[:2].strip("_")[:1].isupper() else EMPTY


def _instance_of_builtin(machine: Machine, fn: Fn, index: int, name: str) -> Values:
    if name in ("list", "tuple", "dict", "set"):
        return new_container(machine, fn, index, name).only
    return machine.pool.builtin(name).only


def is_callable(value: Value) -> bool:
    """Return whether this is a function or class of the project (bound, wrapped or not)."""
    return value.kind in _CALLABLE


def _higher_order(machine: Machine, fn: Fn, index: int, name: str, args: Arguments) -> Values:
    """Evaluate `map`, `filter`, `sorted(key=...)` …: call each callable argument with the elements of each iterable one."""
    given = [v for v, _ in args.positional] + [v for _, v, _ in args.keywords]
    items = union(elements(machine, fn, v) for values in given for v in values if not is_callable(v))
    passed = Arguments(((items, -1),))
    returned = union(call(machine, fn, -1, v, passed) for values in given for v in values if is_callable(v))
    if name in tables.ONE_ELEMENT:
        return items
    container = new_container(machine, fn, index, "list")
    put_item(machine, fn, container, None, returned if tables.CALLS_ARGUMENTS[name] else items)
    return returned | container.only if name == "functools.reduce" else container.only


def _next_element(machine: Machine, fn: Fn, given: list[Values]) -> Values:
    if not given:
        return EMPTY
    return union([*(elements_of_iterator(machine, fn, v) for v in given[0]), *given[1:2]])


def _copy_collection(machine: Machine, fn: Fn, index: int, name: str, args: Arguments) -> Values:
    given = [values for values, _ in args.positional]
    if name.startswith("copy.") and given:
        return given[0]
    kind = tables.CONTAINERS.get(name, "list")
    container = new_container(machine, fn, index, kind)
    if name == "collections.defaultdict" and given:
        made = union(call(machine, fn, index, v, Arguments()) for v in given[0])
        put_item(machine, fn, container, None, made)
        return container.only
    for keyword, values, _ in args.keywords if kind == "dict" else ():
        put_item(machine, fn, container, keyword, values)
    found = [container.only]
    for values in given if name == "itertools.chain" else given[:1]:
        for value in values:
            if kind != "dict":
                put_item(machine, fn, container, None, elements(machine, fn, value))
            elif isinstance(value, Container) and value.type == "dict":
                found.append(value.only)
            else:
                _store_pairs(machine, fn, container, elements(machine, fn, value))
    return union(found)


def _store_pairs(machine: Machine, fn: Fn, container: Container, pairs: Values) -> None:
    """Store the (key, value) pairs from which a dict is made."""
    for pair in pairs:
        if isinstance(pair, Container) and pair.type in ("tuple", "list"):
            machine.write(container.keys, item_at(machine, fn, pair, 0))
            put_item(machine, fn, container, None, item_at(machine, fn, pair, 1))


def _super(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    """Evaluate `super()` and `super(C, self)`."""
    if len(args.positional) >= 2:
        classes, receivers = args.positional[0][0], args.positional[1][0]
    else:
        method: Fn | None = fn
        while method is not None and not (method.cls is not None and method.body.kind == "function"):
            method = method.parent
        if method is None or not method.body.params or method.cls is None:
            return EMPTY
        classes, receivers = method.cls.only, machine.read(fn, machine.params(method)[0])
    starts = [cls for cls in classes if isinstance(cls, Cls)]
    objects = [receiver for receiver in receivers if isinstance(receiver, Instance | Cls)]
    return frozenset(machine.pool.super(cls, receiver) for cls in starts for receiver in objects)


def _type(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    if len(args.positional) != 1:
        return EMPTY
    return union(v.cls.only for v in args.positional[0][0] if isinstance(v, Instance))


def _getattr(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    if len(args.positional) < 2:
        return EMPTY
    names = [v.value for v in args.positional[1][0] if isinstance(v, Constant) and isinstance(v.value, str)]
    found = [read_attribute(machine, fn, v, n) for v in args.positional[0][0] for n in names]
    return union([*found, *(values for values, _ in args.positional[2:])])


def _partial(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    if not args.positional:
        return EMPTY
    given = tuple(v for v, _ in args.positional[1:])
    return frozenset(v if isinstance(v, Partial) else machine.pool.partial(v, given) for v in args.positional[0][0])


def _enumerate(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    pair = new_container(machine, fn, index, "tuple", 1)
    put_item(machine, fn, pair, 0, machine.pool.builtin("int").only)
    for values, _ in args.positional[:1]:
        put_item(machine, fn, pair, 1, union(elements(machine, fn, v) for v in values))
    return _list_of(machine, fn, index, pair)


def _zip(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    row = new_container(machine, fn, index, "tuple", 1)
    for n, (values, _) in enumerate(args.positional):
        put_item(machine, fn, row, n, union(elements(machine, fn, v) for v in values))
    return _list_of(machine, fn, index, row)


def _list_of(machine: Machine, fn: Fn, index: int, element: Container) -> Values:
    container = new_container(machine, fn, index, "list")
    put_item(machine, fn, container, None, element.only)
    return container.only


def _cast(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    if len(args.positional) < 2:
        return EMPTY
    named = union(v.instance.only for v in args.positional[0][0] if v.kind == CLASS)  # type: ignore[attr-defined]
    return named or args.positional[1][0]


def _import(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    """Evaluate `importlib.import_module("name")` and similar functions."""
    names = [v.value for v in args.positional[0][0] if isinstance(v, Constant)] if args.positional else []
    found = [machine.names.imported(fn.module, n, 0, "").values for n in names if isinstance(n, str) and n[:1] != "."]
    return union(found)


def _partition_text(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    """Evaluate `"module:name".partition(":")` and similar methods, for constant texts."""
    container = new_container(machine, fn, index, "list")
    ops = fn.body.ops
    if (
        index < 0
        or ops[index][0] != ir.CALL
        or ops[ops[index][1]][0] != ir.ATTRIBUTE
        or not 0 < len(args.positional) < 3
    ):
        return container.only
    _, receiver, method = ops[ops[index][1]][:3]
    marks = [v.value for v in args.positional[0][0] if isinstance(v, Constant) and isinstance(v.value, str)]
    most = [v.value for values, _ in args.positional[1:] for v in values if isinstance(v, Constant)]
    if len(marks) != 1 or not marks[0] or (most and (not isinstance(most[0], int) or method.endswith("partition"))):
        return container.only
    for value in fn.registers[receiver]:
        if isinstance(value, Constant) and isinstance(value.value, str) and len(value.value) <= _LONGEST:
            for n, part in enumerate(getattr(value.value, method)(marks[0], *most[:1])):
                put_item(machine, fn, container, n, machine.pool.constant(part).only)
    return container.only


def _first_argument(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    return args.positional[0][0] if args.positional else EMPTY


def _all_arguments(machine: Machine, fn: Fn, index: int, args: Arguments) -> Values:
    container = new_container(machine, fn, index, "list")
    for n, (values, _) in enumerate(args.positional):
        put_item(machine, fn, container, n, values)
    return container.only


_SPECIAL: dict[str, Callable[[Machine, Fn, int, Arguments], Values]] = {
    "<builtin>.super": _super, "<builtin>.type": _type, "<builtin>.getattr": _getattr, "functools.partial": _partial,
    "functools.partialmethod": _partial, "<builtin>.enumerate": _enumerate, "<builtin>.zip": _zip, "typing.cast": _cast,
    "importlib.import_module": _import, "<builtin>.__import__": _import, "pytest.importorskip": _import,
    "asyncio.gather": _all_arguments,
    **dict.fromkeys(
        ("<builtin>.staticmethod", "<builtin>.classmethod", "asyncio.run", "asyncio.create_task", "asyncio.ensure_future",
         "asyncio.wait_for", "asyncio.shield", "functools.lru_cache", "functools.cache", "functools.total_ordering",
         "dataclasses.replace", "attr.evolve", "attrs.evolve", "contextlib.closing", "weakref.proxy"),
        _first_argument,
    ),
    **{f"<builtin>.str.{method}": _partition_text for method in ("partition", "rpartition", "split", "rsplit")},
}  # fmt: skip
