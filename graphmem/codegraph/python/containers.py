"""Lists, tuples, sets and dicts: what goes in and comes out, per key where the key is known."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.codegraph.python import builtin_types as tables
from graphmem.codegraph.python import rows
from graphmem.codegraph.python.calls import Arguments, call_function
from graphmem.codegraph.python.cells import Cell, union
from graphmem.codegraph.python.kinds import CONSTANT, CONTAINER, EMPTY, Value, Values
from graphmem.codegraph.python.machine import Machine
from graphmem.codegraph.python.values import Cls, Constant, Container, External, Fn, Generator, Instance

_MAX_KEYS = 200


def put_item(machine: Machine, fn: Fn, container: Container, key: str | int | None, values: Values) -> None:
    """Store values under a key (None: any). Others' containers change only while value flow is on, and those that stand
    for an annotation never."""
    if container.owner is None or not (machine.flow or container.owner is fn):
        return
    cell = container.cells.get(key) if key is not None else None
    if cell is not None and values <= cell.values and values <= container.all.values:
        return
    machine.write(container.all, values)
    if key is None or (key not in container.cells and len(container.cells) >= _MAX_KEYS):
        machine.write(container.rest, values)
        return
    if cell is None:
        cell = container.cells[key] = Cell()
        if container.type == "dict":
            machine.write(container.keys, machine.pool.constant(key).only)
        machine.changed(container.rest)  # who found nothing under this key looked there
    machine.write(cell, values)


def item_at(machine: Machine, fn: Fn, container: Container, key: str | int | None) -> Values:
    """Return the possible values under a key (None: any)."""
    if key is None:
        return machine.read(fn, container.all)
    rest = machine.read(fn, container.rest)
    if isinstance(key, int) and key < 0 and container.type in ("list", "tuple"):
        known = [k for k in container.cells if isinstance(k, int)]
        key = max(known, default=-1) + 1 + key
    cell = container.cells.get(key)
    return rest if cell is None else union([machine.read(fn, cell), rest])


def elements(machine: Machine, fn: Fn, value: Value) -> Values:
    """Return the elements of an iteration over a value."""
    if isinstance(value, Container):
        return machine.read(fn, value.keys if value.type == "dict" else value.all)
    if isinstance(value, Generator):
        machine.demand(value.fn)
        declared = [v for v in machine.declared(value.fn) if isinstance(v, Container)]
        found = machine.resolve(fn, machine.read(fn, value.fn.yields))
        return union([found, *[machine.read(fn, v.all) for v in declared]])
    if isinstance(value, Instance):
        found = union([elements_of_iterator(machine, fn, v) for v in iterators(machine, fn, value)])
        return found or rows.row_item(machine, fn, value, None)
    if isinstance(value, Cls) and machine.classes.is_enum(value):
        return value.instance.only
    return EMPTY


def iterators(machine: Machine, fn: Fn, value: Instance) -> Values:
    """Return what `__iter__` of an instance returns."""
    return _method(machine, fn, value, "__iter__") | _method(machine, fn, value, "__aiter__")


def elements_of_iterator(machine: Machine, fn: Fn, value: Value) -> Values:
    """Return the results of `next` on an iterator."""
    if isinstance(value, Instance):
        return _method(machine, fn, value, "__next__") | _method(machine, fn, value, "__anext__")
    return elements(machine, fn, value)


def _method(machine: Machine, fn: Fn, value: Instance, name: str) -> Values:
    found = machine.classes.member(value.cls, name).values
    return union([call_function(machine, fn, -1, m, None, value.only) for m in found if isinstance(m, Fn)])


def new_container(machine: Machine, fn: Fn, index: int, kind: str, part: int = 0) -> Container:
    """Return the container that operation `index` of `fn` creates."""
    return machine.pool.container(kind, (fn, index, part), fn)


def collect_elements(machine: Machine, fn: Fn, index: int, kind: str, items: tuple[int, ...]) -> Values:
    """Return the value of a list, tuple or set display, or of a generator expression."""
    container = new_container(machine, fn, index, kind)
    made_of = [fn.registers[item] if item >= 0 else None for item in items]
    if None not in made_of and container.made_of == made_of:
        return container.only
    is_new, container.made_of = container.made_of is None, made_of
    aligned = kind in ("list", "tuple") and len(items) <= _MAX_KEYS
    container.is_plain = bool(items) and all(map(_is_plain, made_of))
    if is_new and aligned and None not in made_of:
        _fill_items(container, made_of)
        return container.only
    for position, item in enumerate(items):
        if item < 0:
            aligned = False
            for value in fn.registers[~item]:
                put_item(machine, fn, container, None, elements(machine, fn, value))
        elif fn.registers[item]:
            put_item(machine, fn, container, position if aligned else None, fn.registers[item])
        elif aligned and position not in container.cells:
            container.cells[position] = Cell()
    return container.only


def _fill_items(container: Container, items: Sequence[Values | None]) -> None:
    """Store the first items of a new list or tuple, which has no readers yet."""
    for position, values in enumerate(items):
        cell = container.cells[position] = Cell()
        if values:
            container.all.add(values)
            cell.add(values)


def _is_plain(values: Values | None) -> bool:
    return values is not None and all(
        v.is_plain if isinstance(v, Container) else is_builtin_instance(v) for v in values
    )


def slice_container(machine: Machine, fn: Fn, index: int, source: Container, begin: int, end: int | None) -> Values:
    """Return `source[begin:end]`."""
    if source.is_part or source.type not in ("list", "tuple") or begin < 0 or (end or 0) < 0:
        return source.only
    container = new_container(machine, fn, index, source.type, int(source))
    container.is_part = True  # a part of a part is not told apart from it, or a loop could continue making them
    for key in list(source.cells):
        if isinstance(key, int) and key >= begin and (end is None or key < end):
            put_item(machine, fn, container, key - begin, machine.read(fn, source.cells[key]))
    put_item(machine, fn, container, None, machine.read(fn, source.rest))
    return container.only


def concatenate(machine: Machine, fn: Fn, index: int, method: str, left: Container, right: Values) -> Values:
    """Return `a + b` and `a += b`."""
    target = left if method.startswith("__i") else new_container(machine, fn, index, left.type)
    if target is not left:
        put_item(machine, fn, target, None, item_at(machine, fn, left, None))
    for other in right:
        if isinstance(other, Container):
            put_item(machine, fn, target, None, item_at(machine, fn, other, None))
    return target.only


def call_method(machine: Machine, fn: Fn, index: int, container: Container, name: str, args: Arguments) -> Values:
    """Return a built-in method of a container."""
    given = [values for values, _ in args.positional]
    key = _constant(given[0]) if given else None
    if name in tables.STORES_ARGUMENT and len(given) > tables.STORES_ARGUMENT[name]:
        stored = given[tables.STORES_ARGUMENT[name]]
        put_item(machine, fn, container, key if name == "setdefault" else None, stored)
    elif name in tables.STORES_ELEMENTS:
        _extend(machine, fn, container, given)
        for keyword, values, _ in args.keywords:
            put_item(machine, fn, container, keyword, values)
    if name in tables.RETURNS_ELEMENT:
        default = given[1] if len(given) > 1 else EMPTY
        return union([item_at(machine, fn, container, key if container.type == "dict" else None), default])
    if container.type == "dict" and name in ("items", "keys", "values"):
        return _view(machine, fn, index, container, name)
    return container.only if name in tables.RETURNS_SELF else EMPTY


def _extend(machine: Machine, fn: Fn, container: Container, given: list[Values]) -> None:
    for values in given[:1]:
        for value in values:
            if isinstance(value, Container) and value.type == "dict" and container.type == "dict":
                for key in list(value.cells):
                    put_item(machine, fn, container, key, machine.read(fn, value.cells[key]))
                put_item(machine, fn, container, None, machine.read(fn, value.rest))
            elif container.type != "dict":
                put_item(machine, fn, container, None, elements(machine, fn, value))


def _view(machine: Machine, fn: Fn, index: int, source: Container, name: str) -> Values:
    """`items`, `keys` and `values` of a dict."""
    view = new_container(machine, fn, index, "list", int(source))
    keys, values = machine.read(fn, source.keys), item_at(machine, fn, source, None)
    if name == "items":
        pair = new_container(machine, fn, index, "tuple", -int(source))
        put_item(machine, fn, pair, 0, keys)
        put_item(machine, fn, pair, 1, values)
        put_item(machine, fn, view, None, pair.only)
    else:
        put_item(machine, fn, view, None, keys if name == "keys" else values)
    return view.only


def keys_of(values: Values) -> list[str | int | None]:
    """Return the constant keys among values; [None] if the key is not known."""
    constants = [v.value for v in values if isinstance(v, Constant)]
    unknown = not constants or any(not isinstance(v, Constant) for v in values)
    return [None] if unknown else list(constants)


def _constant(values: Values) -> str | int | None:
    keys = keys_of(values)
    return keys[0] if len(keys) == 1 else None


def is_builtin_instance(value: Value) -> bool:
    """Return whether a value is an instance of a built-in type."""
    if isinstance(value, External):
        return value.is_instance and value.name.startswith("<builtin>.")
    return value.kind == CONSTANT or value.kind == CONTAINER


def call_row_method(machine: Machine, fn: Fn, value: Instance, name: str, keys: Values) -> Values:
    """Return the result of a method that a row class inherits, under these keys."""
    return rows.call_inherited_method(machine, fn, value, name, keys_of(keys))
