"""Collections: whether a value is a list or map, the one behind a class of the tree, and what its elements are."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from graphmem.codegraph.generic import generics
from graphmem.codegraph.generic.entities import Def, Entity, External, Instance, Listed, Tupled

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_UNTYPED = frozenset(External(f"<builtin>.{name}") for name in ("Array", "Hash", "array"))  # written, nothing known
_COLLECTIONS = ("<builtin>.", "java.util.", "com.google.common.collect.", "kotlin.collections.", "scala.collection.", "std.",
                "System.Collections.")  # fmt: skip
_CLASSES = frozenset({"class", "interface", "struct", "trait", "enum"})


def is_collection(owner: Entity | None) -> bool:
    """Return whether it is a list or map: a literal, or of a generic library type."""
    if isinstance(owner, Instance):
        given = isinstance(owner.of, External) and bool(owner.args) and owner.of.name.startswith(_COLLECTIONS)
        return given or owner.of in _UNTYPED
    return isinstance(owner, Listed) or (isinstance(owner, Tupled) and owner.listed)


def listed(resolver: Resolver, owner: Entity | None) -> Entity | None:
    """Return the list behind a named type that only renames one (Go's `type Trees []Tree`), or behind a class that inherits from
    one (`class Elements extends ArrayList<Element>`)."""
    if not isinstance(owner, Instance) or not isinstance(owner.of, Def):
        return owner
    path, index = owner.of.path, owner.of.symbol
    symbol = resolver.program.facts[path].symbols[index]
    if symbol.kind in _CLASSES and resolver.language(path).outside_bases and owner.of.scope >= 0:
        behind = resolver.settled(("collection", owner.of), _inherited_collection, resolver, owner.of)
        return owner if behind is None else generics.seen_from(resolver, cast("Entity", behind), owner)
    if symbol.kind == "type" and not owner.args:
        for binding in resolver.program.scope(path, 0).names.get(symbol.name, ()):
            if binding.symbol == index and binding.type and binding.type[0] == "list":
                return resolver.instance(path, 0, binding.type, _END)
    return owner


def _inherited_collection(resolver: Resolver, owner: Def) -> Entity | None:
    """Return the collection from outside that a class inherits from, with its own type parameters."""
    for _, base in resolver.program.scope(owner.path, owner.scope).bases:
        above = resolver.instance(owner.path, owner.scope, base, _END)
        behind = listed(resolver, above)
        if is_collection(behind):
            return behind
    return None


def element_of(resolver: Resolver, owner: Entity | None) -> Entity | None:
    """Return an element of a list, also of a named type that only renames one."""
    return element(listed(resolver, owner))


def element(owner: Entity | None) -> Entity | None:
    """Return an element of it."""
    if isinstance(owner, Listed):
        return owner.element
    if isinstance(owner, Tupled) and owner.listed:
        kinds = {part for part in owner.parts if part is not None}
        return kinds.pop() if len(kinds) == 1 else None
    if isinstance(owner, Instance) and owner.args:
        return owner.args[-1]
    return None
