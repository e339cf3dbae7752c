"""C#: types and functions of one name that differ by the number of their type parameters: `Result` and `Result<T>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Entity, Found
from graphmem.codegraph.generic.program import count_type_parameters
from graphmem.codegraph.generic.summary import Expr, names_in

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def count_arguments(type_: Expr | None) -> int:
    """Return the number of type arguments that are written behind a name."""
    return len(type_[2]) if type_ and type_[0] == "gen" else 0


def of_arity(resolver: Resolver, entity: Entity | None, count: int) -> Entity | None:
    """Return of the types with the name of `entity` the one with so many type parameters; `entity` if there is none."""
    if not isinstance(entity, Def) or not resolver.language(entity.path).partial:
        return entity
    name = resolver.program.facts[entity.path].symbols[entity.symbol].qualified_name
    alike = resolver.program.generic_types.get(name, {}).get(count, ())
    return entity if not alike or entity in alike else alike[0]


def found_of_arity(resolver: Resolver, found: Found | None, count: int) -> Found | None:
    """Return the same for what a name was found to mean."""
    entity = resolver.entity(found) if found is not None else None
    meant = of_arity(resolver, entity, count)
    return found if found is None or meant is entity else Found(entity=meant, how=found.how, sure=found.sure)


def with_type_parameters(resolver: Resolver, levels: Sequence[list[Found]], count: int) -> tuple[list[Found], ...]:
    """Return the functions with so many type parameters, or for none those whose type arguments follow from what they are
    given; all of them if there is none."""
    kept = tuple([one for one in level if _has_type_parameters(resolver, one, count)] for level in levels)
    return kept if any(kept) else tuple(levels)


def _has_type_parameters(resolver: Resolver, function: Found, count: int) -> bool:
    if count:
        return type_parameters(resolver, function) == count
    if function.binding is None or function.binding.scope < 0:
        return True
    mark = ("inferred", function.path, function.binding.scope)
    return bool(resolver.settled(mark, _is_inferred, resolver, function.path, function.binding.scope))


def _is_inferred(resolver: Resolver, path: str, scope: int) -> bool:
    names = resolver.program.scope(path, scope).names
    wanted = {name for name, bindings in names.items() if any(b.kind == "typevar" for b in bindings)}
    given = (name for bindings in names.values() for b in bindings if b.kind == "param" for name in names_in(b.type))
    return not wanted or wanted <= set(given)


def type_parameters(resolver: Resolver, function: Found) -> int:
    """Return the number of type parameters of a function."""
    scope = resolver.program.scope(function.path, function.binding.scope) if function.binding is not None else None
    return count_type_parameters(scope) if scope is not None else 0
