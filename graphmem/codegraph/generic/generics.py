"""Type parameters: a member of a generic class has type `T`, which depends on the receiver. Replaces `T` by the type
argument of the receiver, one of its bases, or the call. Nothing is inferred from values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import members
from graphmem.codegraph.generic.entities import Def, Entity, Instance, Listed, Returns, Tupled, Variable

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_DEPTH = 6  # bases between a class and the one that declares the parameter
Given = Mapping[Variable, Entity | None]


def is_open(entity: Entity | None) -> bool:
    """Return whether it is, or contains, a type parameter."""
    if isinstance(entity, Variable):
        return True
    return any(map(is_open, _parts(entity)))


def seen_from(resolver: Resolver, entity: Entity | None, owner: Entity | None) -> Entity | None:
    """Return the type of a member or result for this receiver."""
    if not isinstance(owner, Instance) or not isinstance(owner.of, Def) or not is_open(entity):
        return entity
    given: dict[Variable, Entity | None] = {}
    for variable in variables(entity):
        given[variable] = _argument(resolver, owner, variable, _DEPTH)
    return replaced(entity, given)


def called_with(
    resolver: Resolver, entity: Entity | None, callee: Def, arguments: tuple[Entity | None, ...]
) -> Entity | None:
    """Return the result of a call with explicit type arguments: `Find<Order>(1)`."""
    names = parameters(resolver, callee.path, callee.scope)
    given = {
        variable: arguments[names.index(variable.name)]
        for variable in variables(entity)
        if (variable.path, variable.scope) == (callee.path, callee.scope) and variable.name in names[: len(arguments)]
    }
    return replaced(entity, given)


def _argument(resolver: Resolver, owner: Instance, variable: Variable, depth: int) -> Entity | None:
    """Return a receiver's argument for a type parameter of its class or a base; the parameter itself if unspecified."""
    of = owner.of
    if not isinstance(of, Def) or depth == 0:
        return variable
    here = (variable.path, variable.scope)
    if here == (of.path, of.scope) or here in members.extensions(resolver, of):
        names = parameters(resolver, *here)
        place = names.index(variable.name) if variable.name in names else len(owner.args)
        return owner.args[place] if place < len(owner.args) else variable
    for path, index in [(of.path, of.scope), *members.extensions(resolver, of)]:
        for _, base in resolver.program.scope(path, index).bases if index >= 0 else ():
            above = resolver.instance(path, index, base, _END)
            if isinstance(above, Instance) and above != owner:
                found = _argument(resolver, above, variable, depth - 1)
                if found != variable:
                    return seen_from(resolver, found, owner)
    return variable


def parameters(resolver: Resolver, path: str, scope: int) -> list[str]:
    """Return the type parameters of a class or function, in order."""
    if scope < 0:
        return []
    names = resolver.program.scope(path, scope).names
    return [name for name, bindings in names.items() if any(b.kind == "typevar" for b in bindings)]


def _parts(entity: Entity | None) -> tuple[Entity | None, ...]:
    if isinstance(entity, Instance):
        return entity.args
    if isinstance(entity, Listed):
        return (entity.element,)
    if isinstance(entity, Tupled):
        return entity.parts
    return (entity.result,) if isinstance(entity, Returns) else ()


def variables(entity: Entity | None) -> list[Variable]:
    """Return the type parameters in a type."""
    if isinstance(entity, Variable):
        return [entity]
    return [variable for part in _parts(entity) for variable in variables(part)]


def replaced(entity: Entity | None, given: Given) -> Entity | None:
    """Return a type with what is given for its type parameters."""
    if isinstance(entity, Variable):
        return given.get(entity, entity)
    if isinstance(entity, Instance):
        return entity._replace(args=tuple(replaced(part, given) for part in entity.args))
    if isinstance(entity, Listed):
        return entity._replace(element=replaced(entity.element, given))
    if isinstance(entity, Tupled):
        return entity._replace(parts=tuple(replaced(part, given) for part in entity.parts))
    return Returns(replaced(entity.result, given)) if isinstance(entity, Returns) else entity
