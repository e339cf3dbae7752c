"""Members of object literals: written, spread from other objects, assigned later, and of their prototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance, Object
from graphmem.codegraph.generic.program import accessor
from graphmem.codegraph.generic.summary import Binding

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def member(resolver: Resolver, owner: Object, name: str) -> Found | None:
    """Return a member of an object. What its literal leaves open is as its type says: `const state: State = { user: null }`."""
    scope = resolver.program.scope(owner.path, owner.scope)
    bindings = readable(resolver, owner.path, scope.names.get(name, ()))
    said = resolver.settled(("said", owner, name), _said, resolver, owner, name) if scope.returns is not None else None
    if bindings:
        written = Found(owner.path, owner.scope, bindings[-1], how="type", sure=0.95)
        return written if said is None or bindings[-1].symbol >= 0 or _is_own(resolver.entity(written)) else said
    if said is not None:
        return said
    spread = ("spread", owner, name, resolver.fuel)  # may come back to the object itself: `o = { ...o, more }`
    found = resolver.once(spread, _spread, resolver, owner, name) if scope.bases else None
    return found or resolver.settled(("later", owner, name), _added_later, resolver, owner, name)


def _said(resolver: Resolver, owner: Object, name: str) -> Found | None:
    """Return a member of the type that is written for an object literal, if the tree has the type."""
    scope = resolver.program.scope(owner.path, owner.scope)
    type_ = resolver.instance(owner.path, scope.parent, scope.returns, 1 << 60)
    found = resolver.member(type_, name) if type_ != owner else None
    return found if found is not None and found.binding is not None else None


def _is_own(value: Entity | None) -> bool:
    """Return whether a value is of the tree."""
    return isinstance(value, (Def, Object)) or (isinstance(value, Instance) and isinstance(value.of, Def))


def _spread(resolver: Resolver, owner: Object, name: str) -> Found | None:
    """Return a member that the object gets from another one: `{ ...other }`."""
    scope = resolver.program.scope(owner.path, owner.scope)
    for _, expr in scope.bases:
        found = resolver.member(resolver.value(owner.path, scope.parent, expr, 1 << 60), name)
        if found is not None:
            return found
    return None


def _added_later(resolver: Resolver, owner: Object, name: str) -> Found | None:
    """Return a member that was assigned to the variable of the object, or that this got from another object."""
    for index in _lent(resolver, owner):
        scope = resolver.program.scope(owner.path, index)
        if name in scope.names:
            return Found(owner.path, index, scope.names[name][-1], how="type", sure=0.95)
    found = (resolver.member(above, name) for above in prototypes(resolver, owner, written=False))
    return next((each.via("inherited", 0.93) for each in found if each is not None), None)


def _lent(resolver: Resolver, owner: Object) -> list[int]:
    """Return the scopes of what the file adds to the variable of an object."""
    out = []
    for _, index in resolver.program.summaries[owner.path].extensions:
        scope = resolver.program.scope(owner.path, index)
        if scope.target and scope.target[0] == "name":
            found = names.lookup(resolver, owner.path, scope.parent, scope.target[1], 1 << 60)
            if found is not None and resolver.entity(found) == owner:
                out.append(index)
    return out


def prototypes(resolver: Resolver, owner: Object, *, written: bool = True) -> list[Entity]:
    """Return the objects of which an object has the members too, those that its literal names only if `written`."""
    indices = [owner.scope] if written else []
    out = []
    for index in (*indices, *_lent(resolver, owner)):
        scope = resolver.program.scope(owner.path, index)
        for _, expr in scope.bases:
            above = resolver.value(owner.path, scope.parent, expr, 1 << 60)
            if above is not None and above != owner:
                out.append(above)
    return out


def readable(resolver: Resolver, path: str, bindings: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """Return what reading a name may give: the getter rather than the setter."""
    if len(bindings) < 2 or not resolver.language(path).accessors:
        return bindings
    symbols = resolver.program.facts[path].symbols
    return tuple(b for b in bindings if b.symbol < 0 or accessor(symbols[b.symbol]) != "set") or bindings
