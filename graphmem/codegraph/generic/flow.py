"""Value flow through calls: arguments passed for a parameter, and functions called through `call`, `apply` or `bind`.
Limited to calls in the function's own file, so that links depend only on a file and what it mentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Entity, External, Instance, Variable
from graphmem.codegraph.generic.summary import Binding, Expr

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

Passed = dict[tuple[int, str], tuple[Entity, ...]]  # (scope of a function, parameter) -> what is passed for it
_REBINDING = frozenset({"call", "apply", "bind"})


def rebound(resolver: Resolver, path: str, scope: int, callee: Expr | None, at: int) -> Entity | None:
    """Return the function of `f.call(...)`, `f.apply(...)` or `f.bind(...)`."""
    if not callee or callee[0] != "attr" or callee[2] not in _REBINDING or not resolver.language(path).arguments:
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
            entity = resolver.value(path, r.scope, argument, r.at) if argument else None
            if entity is not None and not _plain(entity):
                found.setdefault((callee.scope, name), {})[entity] = None
    return {key: tuple(entities) for key, entities in found.items()}


def _plain(entity: Entity) -> bool:
    """Return whether it is a literal such as a string or number, which says nothing about a parameter."""
    return isinstance(entity, Variable) or (
        isinstance(entity, Instance) and isinstance(entity.of, External) and entity.of.name.startswith("<builtin>")
    )
