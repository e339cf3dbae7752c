"""C#: whether a call can mean the function of the tree that has its name: extension methods, and methods of classes with bases
from outside, often share it with one that is not in the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import members, overloads, suitability
from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Listed
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


def receiver_of(resolver: Resolver, path: str, scope: int, callee: Expr | None, at: int) -> Entity | None:
    """Return what a method is called on, in languages where that tells extension methods apart."""
    target = callee[1] if callee and callee[0] == "gen" else callee
    known = target is not None and target[0] == "attr" and resolver.language(path).partial
    return resolver.value(path, scope, target[1], at) if target and known else None


def taken_inside(
    resolver: Resolver, found: Found | None, arguments: overloads.Arguments, receiver: Entity | None
) -> Found | None:
    """Return what a call's name was resolved to if that takes these arguments. Otherwise it is the function of another type
    from outside: an extension method of the tree can have the name of one, and a class add overloads to what it inherits."""
    if found is None or found.binding is None or found.binding.kind != "def" or found.binding.scope < 0:
        return found
    if resolver.language(found.path).labels:
        return found if _has_labels(resolver, found, arguments) else None
    if not resolver.language(found.path).partial:
        return found
    lent, owner = overloads.is_lent(resolver, found), overloads.owner_of(resolver, found)
    outside = _outside_base(resolver, owner) if owner is not None and not lent else None
    if not lent and outside is None:
        return found
    given = (None, *arguments) if lent else arguments
    for one in (one for level in overloads.all_levels(resolver, found) for one in level):
        if overloads.takes(overloads.scope_of(resolver, one), given) and not (
            lent and _is_of_others(resolver, one, receiver)
        ):
            return found
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    return Found(
        entity=External(f"{outside.name if outside is not None else '<builtin>'}.{name}"), how="inherited", sure=0.6
    )


def _has_labels(resolver: Resolver, found: Found, arguments: overloads.Arguments) -> bool:
    """Swift: return whether what an extension adds to a type from outside takes arguments with these labels; the type may have
    a function of the same name itself."""
    kind = resolver.program.facts[found.path].symbols[found.binding.symbol].kind if found.binding is not None else ""
    if kind not in ("function", "method") or resolver.program.scope(found.path, found.scope).kind != "extension":
        return True
    extended = resolver.this(found.path, found.scope)[0]
    if not isinstance(extended, Instance) or not isinstance(extended.of, External):
        return True
    symbols = resolver.program.facts[found.path].symbols
    name = symbols[found.binding.symbol].name if found.binding is not None else ""
    mark = (resolver.language(found.path).family, extended.of.name.rpartition(".")[2])
    for path, index in resolver.program.extensions.get(mark, ()):
        for binding in resolver.program.scope(path, index).names.get(name, ()):
            if binding.kind != "def" or binding.scope < 0:
                return True
            signature = resolver.program.facts[path].symbols[binding.symbol].signature
            if "..." in signature or overloads.fits_labels(resolver.program.scope(path, binding.scope), arguments):
                return True
    return False


def _is_of_others(resolver: Resolver, function: Found, receiver: Entity | None) -> bool:
    """Return whether an extension method is for lists of another type."""
    wanted = (overloads.types_of(resolver, function) or (None,))[0]
    if not isinstance(wanted, Listed) or not isinstance(receiver, Listed):
        return False
    return suitability.suits(resolver, receiver.element, wanted.element) < 0


def _outside_base(resolver: Resolver, owner: Def) -> External | None:
    """Return the first type from outside among the bases of a class and their bases."""
    for one in (owner, *members.ancestors(resolver, owner)):
        for kind, base, _ in members.bases(resolver, one):
            if isinstance(base, External) and kind == "extends":
                return base
    return None
