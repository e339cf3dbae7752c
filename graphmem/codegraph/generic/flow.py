"""Value flow through calls: arguments passed for a parameter, and functions called through `call`, `apply` or `bind`.
Limited to calls in the function's own file, so that links depend only on a file and what it mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Object, Tupled, Variable
from graphmem.codegraph.generic.summary import Binding, Expr, Reference

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

Passed = dict[tuple[int, str], tuple[Entity, ...]]  # (scope of a function, parameter) -> what is passed for it
_END = 1 << 60
_CALL_BACK = {  # functions, and methods of arrays, maps, promises and texts
    "name": frozenset("setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback".split()),
    "attr": frozenset("forEach map filter reduce reduceRight some every find findIndex findLast findLastIndex flatMap sort "
                      "toSorted then catch finally nextTick replace replaceAll".split()),
}  # fmt: skip
REBINDING = frozenset({"call", "apply", "bind"})


def rebound(resolver: Resolver, path: str, scope: int, callee: Expr | None, at: int) -> Entity | None:
    """Return the function of `f.call(...)`, `f.apply(...)` or `f.bind(...)`."""
    if not callee or callee[0] != "attr" or callee[2] not in REBINDING or not resolver.language(path).arguments:
        return None
    owner = resolver.value(path, scope, callee[1], at)
    if isinstance(owner, Def) and resolver.program.facts[owner.path].symbols[owner.symbol].kind in (
        "function",
        "method",
    ):
        return owner
    return None


def passed(resolver: Resolver, path: str, scope: int, binding: Binding) -> tuple[Entity, ...]:
    """Return everything that calls in the file pass for a parameter."""
    table = resolver.settled(("passed", path), _table, resolver, path)
    if not table:
        return ()
    for name, bindings in resolver.program.scope(path, scope).names.items():
        if binding in bindings:
            return table.get((scope, name), ())
    return ()


def _table(resolver: Resolver, path: str) -> Passed:
    summary = resolver.program.summaries[path]
    found: dict[tuple[int, str], dict[Entity, None]] = {}
    for r in summary.references:
        if r.kind != "call" or r.expr[0] != "call" or not any(r.expr[2]):
            continue
        callee = resolver.value(path, r.scope, r.expr[1], r.at)
        if not isinstance(callee, Def) or callee.path != path or callee.scope < 0:
            continue
        names = summary.scopes[callee.scope].parameters
        for name, argument in zip(names, r.expr[2], strict=False):
            if argument and argument[0] == "spread":
                break
            entity = resolver.value(path, r.scope, argument, r.at) if argument else None
            if entity is not None and not _plain(entity):
                found.setdefault((callee.scope, name), {})[entity] = None
    return {key: tuple(entities) for key, entities in found.items()}


def alternatives(resolver: Resolver, path: str, r: Reference, callee: Expr, found: Found | None) -> tuple[Def, ...]:
    """Return the functions that a call may run where its callee has several values: a variable that is assigned to
    again, or an element of a list or an object under a key that is not known. Nothing if it has one, or is no such
    callee."""
    if not resolver.flow or not resolver.language(path).arguments:
        return ()
    held: tuple[Entity | None, ...] = ()
    if callee[0] == "index":
        held = _elements(resolver, resolver.value(path, r.scope, callee[1], r.at))
    elif found is not None and found.binding is not None and found.binding.kind == "var":
        values = _values(found.binding.value)
        if len(values) > 1:
            at = r.at if found.path == path else _END
            held = tuple(resolver.value(found.path, found.scope, value, at) for value in values)
    several = tuple(
        entity for entity in dict.fromkeys(held) if isinstance(entity, Def) and _is_function(resolver, entity)
    )
    return several if len(several) > 1 or callee[0] == "index" else ()


def callbacks(
    resolver: Resolver, path: str, r: Reference, callee: Expr, arguments: tuple[Expr | None, ...]
) -> list[Def]:
    """Return the functions of the tree that the language's own functions and methods call: `list.forEach(f)`,
    `setTimeout(f)`."""
    if (
        not resolver.language(path).arguments
        or callee[0] not in ("name", "attr")
        or callee[-1] not in _CALL_BACK[callee[0]]
    ):
        return []
    given = (resolver.value(path, r.scope, argument, r.at) for argument in arguments if argument)
    return [entity for entity in dict.fromkeys(given) if isinstance(entity, Def) and _is_function(resolver, entity)]


def _is_function(resolver: Resolver, entity: Def) -> bool:
    return resolver.program.facts[entity.path].symbols[entity.symbol].kind in ("function", "method")


def _values(value: Expr | None) -> tuple[Expr, ...]:
    """Return all that a variable may be."""
    if not value or value[0] != "either":
        return (value,) if value else ()
    return (*_values(value[1]), *_values(value[2]))


def _elements(resolver: Resolver, whole: Entity | None) -> tuple[Entity | None, ...]:
    """Return what a list or an object holds that is written out."""
    if isinstance(whole, Tupled):
        return whole.parts
    if not isinstance(whole, Object):
        return ()
    members = resolver.program.scope(whole.path, whole.scope).names.values()
    return tuple(resolver.entity(Found(whole.path, whole.scope, bindings[-1])) for bindings in members)


def _plain(entity: Entity) -> bool:
    """Return whether it is a literal such as a string or number, which says nothing about a parameter."""
    return isinstance(entity, Variable) or (
        isinstance(entity, Instance) and isinstance(entity.of, External) and entity.of.name.startswith("<builtin>")
    )
