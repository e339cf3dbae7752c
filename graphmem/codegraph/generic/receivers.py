"""Resolves `this` in a scope, the type that an extension extends, and members in expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import (
    arities,
    companions,
    crates,
    elements,
    extension_methods,
    generics,
    members,
    mixins,
    names,
    traits,
    values,
    visible,
)
from graphmem.codegraph.generic.entities import (
    Def,
    Entity,
    External,
    Found,
    Instance,
    Listed,
    Module,
    Namespace,
    Object,
    Tupled,
)
from graphmem.codegraph.generic.summary import Expr

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


_ANY: Expr = ("name", "*")  # the target of what extends every type


def this(resolver: Resolver, path: str, scope: int) -> tuple[Entity | None, bool]:
    """Return `this` in a scope, and whether the code is in a static member."""
    index, has_own = scope, resolver.language(path).family != "javascript"
    while index >= 0:
        s = resolver.program.scope(path, index)
        if s.kind == "class":
            return Instance(Def(path, s.symbol, index)), False
        if s.kind == "namespace":  # Ruby: of a module within a class
            break
        if s.kind == "extension" or (s.kind == "function" and s.target is not None):
            return extended(resolver, path, index), False
        if s.kind == "object" and has_own:
            return Object(path, index), False
        # the values of an object literal, and arrow functions among them, have the `this` around it
        has_own = has_own or (s.kind == "function" and not _is_arrow_function(resolver, path, s.symbol))
        if s.kind == "function" and s.bases:
            return resolver.value(path, s.parent, s.bases[0][1], 1 << 60), False
        plain = (
            s.kind == "function"
            and resolver.language(path).lambdas
            and resolver.program.scope(path, s.parent).kind != "class"
        )
        if plain and not _is_arrow(resolver, path, s.symbol):
            own = members.own_scope(resolver, path, index)
            if own is not None:
                return own, False
        index = s.parent
    return (Module(path), True) if resolver.language(path).super_means == "module" else (None, False)


def extended(resolver: Resolver, path: str, index: int) -> Entity | None:
    """Return an instance of the type that an extension extends."""
    s = resolver.program.scope(path, index)
    if s.target == _ANY:  # Rust: `impl<T: Bound> Trait for T`
        name = next((n for n, bindings in s.names.items() if bindings[0].kind == "typevar"), "")
        return resolver.instance(path, index, ("name", name), 1 << 60)
    found = resolver.resolve(path, s.parent, s.target, 1 << 60)
    entity = resolver.entity(found) if found else None
    entity = arities.of_arity(resolver, entity, arities.count_arguments(s.target))
    if isinstance(entity, Def) and resolver.program.facts[entity.path].symbols[entity.symbol].kind == "namespace":
        return entity  # C++: a function of a namespace, defined outside of it
    if isinstance(entity, (Def, External)):
        return Instance(entity)
    return values.outside_type(resolver, path, s.target) if entity is None and s.target else entity


def attribute(resolver: Resolver, path: str, scope: int, expr: Expr, at: int, called: bool = False) -> Found | None:
    """Return the target of a member expression; `called`: in a call."""
    found = _attribute(resolver, path, scope, expr, at, called)
    return companions.meant(resolver, found, expr[3:] == ("type",)) if resolver.language(path).types_apart else found


def _attribute(resolver: Resolver, path: str, scope: int, expr: Expr, at: int, called: bool) -> Found | None:
    owner, name = expr[1], expr[2]
    if owner is None:
        return None
    if name == "this" and not resolver.language(path).value_flow:  # Java: `Outer.this`
        outer = resolver.value(path, scope, owner, at)
        return Found(entity=Instance(outer), how="type") if isinstance(outer, Def) else None
    if name == "prototype":
        base = resolver.value(path, scope, owner, at)
        return Found(entity=Instance(base)) if isinstance(base, (Def, External)) else None
    place = resolver.resolve(path, scope, owner, at)
    if place is None and name[:1] == "@" and owner == ("this",):
        bindings = resolver.program.scope(path, 0).names.get(name)
        return Found(path, 0, bindings[-1], how="scope", sure=0.9) if bindings else None
    is_unknown = place is None or (isinstance(place.entity, External) and place.binding is None)
    if is_unknown and (added := mixins.added_outside(resolver, path, owner, name)) is not None:
        return added
    if place is None:
        if owner[0] == "name" and owner[1][:1].isupper():  # a class
            outside = values.outside_type(resolver, path, owner)
            swift = outside is not None and resolver.language(path).labels
            return extension_methods.lent(resolver, path, outside, name) if swift else None
        return (
            visible.extension(resolver, path, name)
            or extension_methods.by_name(resolver, path, name)
            or (traits.by_method(resolver, path, scope, name) if called else None)
        )
    if place.binding is not None:
        own = members.added(resolver, place, name)
        if own is not None:
            return own
    entity = values.of_bare_name(resolver, path, owner, resolver.entity(place))
    if owner[0] == "name":
        entity = arities.of_arity(resolver, entity, 0)
    if expr[3:] == ("key",) and elements.is_collection(
        whole := elements.listed(resolver, entity)
    ):  # m["id"]: whatever its key
        held = elements.element(whole)
        return Found(entity=held, how="type", sure=0.95) if held is not None else None
    found = _near(resolver, path, entity, name) or resolver.member(entity, name, called=called)
    if found is not None and resolver.language(path).root_module:
        found = crates.seen_by(resolver, path, entity, found, name)
    if found is None or isinstance(found.entity, External):
        other = _from_elsewhere(resolver, path, scope, entity, name, called)
        if other is not None:
            return other
    if found is None and resolver.language(path).using:
        found = _pointed_to(resolver, entity, name)
    if found is None:
        return None
    value = resolver.entity(found) if isinstance(entity, Instance) and not called else None
    if generics.is_open(value):
        found = found._replace(entity=generics.seen_from(resolver, value, entity))
    if place.how in ("import", "include") and isinstance(entity, (Module, Object, Def, External)):
        return found.via(place.how, place.sure)
    if place.passed:
        return found.via("flow", 0.8)
    if isinstance(entity, Instance):
        return found.via(found.how if found.how in ("inherited",) else "type", min(place.sure, 0.95))
    return found._replace(sure=min(found.sure, place.sure))


def _from_elsewhere(
    resolver: Resolver, path: str, scope: int, entity: Entity | None, name: str, called: bool
) -> Found | None:
    """Return a member of a type from outside, or that a type of the tree lacks: what extends it, or what it contains."""
    if resolver.language(path).extension_methods:
        lent = extension_methods.lent(resolver, path, entity, name)
        if lent is not None:
            return lent
    if (named := visible.extension(resolver, path, name, entity)) is not None:
        return named
    if called and (meant := traits.by_method(resolver, path, scope, name)) is not None:
        return meant
    holds = name in resolver.language(path).property_accessors and isinstance(entity, Instance | Listed | Tupled)
    held = values.unwrapped(resolver.language(path), entity, name) if holds else None
    return Found(entity=held, how="type", sure=0.8) if held is not None else None


def _near(resolver: Resolver, path: str, entity: Entity | None, name: str) -> Found | None:
    """C++: return a member of a namespace, of several definitions the one that the file includes."""
    if not isinstance(entity, Namespace) or not resolver.language(path).using:
        return None
    return names.in_namespace(resolver, entity.family, entity.name, name, path)


def _is_arrow_function(resolver: Resolver, path: str, symbol: int) -> bool:
    """Return whether a function is an arrow function itself, not just one with an arrow in its types."""
    return resolver.program.facts[path].symbols[symbol].signature.rstrip().endswith("=>")


def _pointed_to(resolver: Resolver, entity: Entity | None, name: str) -> Found | None:
    """C++: return a member of what a smart pointer of the tree points to, by its `operator->`."""
    arrow = (
        resolver.member(entity, "operator->") if isinstance(entity, Instance) and isinstance(entity.of, Def) else None
    )
    to = values.result(resolver, resolver.entity(arrow)) if arrow is not None else None
    to = generics.seen_from(resolver, to, entity)
    return resolver.member(to, name) if isinstance(to, Instance) and to.of != getattr(entity, "of", None) else None


def _is_arrow(resolver: Resolver, path: str, symbol: int) -> bool:
    signature = resolver.program.facts[path].symbols[symbol].signature
    return "=>" in signature and "function" not in signature
