"""Member lookup: in classes with their extensions and bases, modules, namespaces, objects and external types."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import arities, mixins, names, objects
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
    Returns,
    Tupled,
    Variable,
)
from graphmem.codegraph.generic.program import accessor, count_type_parameters, whole_name
from graphmem.codegraph.generic.summary import Binding, Expr, Scope, Summary, last_name, written_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver


_ANCESTORS = 256


def member(resolver: Resolver, owner: Entity, name: str, *, called: bool = False) -> Found | None:
    """Return the member with that name, or None."""
    if isinstance(owner, Variable):
        return member(resolver, owner.bound, name, called=called) if owner.bound is not None else None
    if isinstance(owner, Instance):
        if isinstance(owner.of, External):
            return Found(entity=External(f"{owner.of.name}.{name}"), how="type", sure=0.8)
        found = of_class(resolver, owner.of, name, called=called)
        if found is None or not resolver.language(owner.of.path).module_members:
            return found
        found = mixins.twin(resolver, found, name, of_class=False)
        if found is not None and mixins.is_of_class(resolver, found):  # perhaps a base gives it to its instances
            above = _inherited(resolver, owner.of, name, called)
            found = above if above is not None and not mixins.is_of_class(resolver, above) else found
        return found
    if isinstance(owner, Def):
        return _of_definition(resolver, owner, name, called)
    if isinstance(owner, Module):
        return of_module(resolver, owner.path, name)
    if isinstance(owner, Namespace):
        found = names.in_namespace(resolver, owner.family, owner.name, name)
        if found is None and owner.family == "c" and owner.name.partition(".")[0] == "std":
            return Found(entity=External(f"<builtin>.{owner.name}.{name}"), how="builtin", sure=0.95)
        return found if found is not None or owner.family != "ruby" else _mixed_in(resolver, *owner, name)
    if isinstance(owner, Object):
        return objects.member(resolver, owner, name)
    if isinstance(owner, External):
        return Found(entity=External(f"{owner.name}.{name}"), how="import", sure=0.95)
    if isinstance(owner, Listed) and owner.keyed:
        return Found(entity=owner.element, how="type", sure=0.95) if owner.element is not None else None
    if isinstance(owner, Listed) or (isinstance(owner, Tupled) and owner.listed and not name.isdigit()):
        return Found(entity=External(f"<builtin>.Array.{name}"), how="type", sure=0.7)
    if isinstance(owner, Tupled) and name.isdigit() and int(name) < len(owner.parts):
        part = owner.parts[int(name)]
        return Found(entity=part, how="type") if part is not None else None
    if isinstance(owner, Returns):
        return None
    return None


def of_class(resolver: Resolver, owner: Def, name: str, *, called: bool = False) -> Found | None:
    """Return a member of a class: its own, added by extensions, then inherited (bases in written order)."""
    return resolver.settled((owner, name, called), _of_class, resolver, owner, name, called)


def _of_class(resolver: Resolver, owner: Def, name: str, called: bool) -> Found | None:
    found = own(resolver, owner, name, called) or _inherited(resolver, owner, name, called)
    if found is None:
        found = _of_every_type(resolver, owner, name) or _of_enum(resolver, owner, name)
    other = _companion(resolver, owner) if found is None else None
    return found if other is None else own(resolver, other, name, called) or _inherited(resolver, other, name, called)


def _of_every_type(resolver: Resolver, owner: Def, name: str) -> Found | None:
    """Rust: return a method of `impl<T> Trait for T`."""
    language = resolver.language(owner.path)
    if not language.outside_bases:
        for path, index in resolver.program.extensions.get((language.family, "*"), ()):
            bindings = resolver.program.scope(path, index).names.get(name)
            if bindings and bindings[-1].kind == "def":
                return Found(path, index, bindings[-1], how="type", sure=0.85)
    return None


def _of_enum(resolver: Resolver, owner: Def, name: str) -> Found | None:
    """Java and Kotlin: return a member that the language gives to every enumeration."""
    if name not in ("values", "valueOf", "entries") or resolver.language(owner.path).family != "jvm":
        return None
    symbol = resolver.program.facts[owner.path].symbols[owner.symbol]
    if symbol.kind != "enum" and " enum class " not in f" {symbol.signature} ":
        return None
    one = Instance(owner)
    if name == "entries":
        return Found(entity=Listed(one), how="type", sure=0.95)
    return Found(entity=Returns(Listed(one) if name == "values" else one), how="type", sure=0.95)


def _companion(resolver: Resolver, owner: Def) -> Def | None:
    """Scala: return the companion object of a class or trait, or the reverse; the name alone means either."""
    if owner.scope < 0 or not resolver.language(owner.path).companions:
        return None
    parent = resolver.program.scope(owner.path, owner.scope).parent
    name = resolver.program.facts[owner.path].symbols[owner.symbol].name
    for binding in resolver.program.scope(owner.path, parent).names.get(name, ()):
        entity = (
            resolver.entity(Found(owner.path, parent, binding)) if binding.symbol not in (-1, owner.symbol) else None
        )
        if isinstance(entity, Def):
            return entity
    return None


def _of_definition(resolver: Resolver, owner: Def, name: str, called: bool) -> Found | None:
    kind = resolver.program.facts[owner.path].symbols[owner.symbol].kind
    if kind == "namespace":
        found = _of_namespace(resolver, owner, name)
        dotted = mixins.module_name(resolver, owner.path, owner.scope)
        is_known = found is not None and (found.binding is None or found.binding.kind != "decl")
        return (
            found
            if is_known or not dotted
            else _mixed_in(resolver, resolver.language(owner.path).family, dotted, name) or found
        )
    found = of_class(resolver, owner, name, called=called)
    if found is not None and resolver.language(owner.path).module_members:
        found = mixins.twin(resolver, found, name, of_class=True)
    if found is not None and resolver.language(owner.path).module_members and mixins.needs_instance(resolver, found):
        found = _inherited(resolver, owner, name, called)
        found = None if found is not None and mixins.needs_instance(resolver, found) else found
    if (found is None or found.entity is not None) and resolver.language(owner.path).module_members:
        mark = ("class methods", owner, name)
        found = resolver.settled(mark, mixins.of_included, resolver, ancestors(resolver, owner), name) or found
    return found if found is not None and found.entity is None else names.beside_class(resolver, owner, name) or found


def _of_namespace(resolver: Resolver, owner: Def, name: str) -> Found | None:
    """Return what a namespace itself has, in any of the files that add to it."""
    found = _in(resolver, owner.path, owner.scope, resolver.program.scope(owner.path, owner.scope), name)
    dotted = mixins.module_name(resolver, owner.path, owner.scope)
    if not dotted or (found and (found.binding is None or found.binding.kind != "decl")):
        return found
    return names.in_namespace(resolver, resolver.language(owner.path).family, dotted, name)


def _mixed_in(resolver: Resolver, family: str, dotted: str, name: str) -> Found | None:
    """Ruby: return a member that a module mixes in."""
    for base in mixins.included(resolver, family, dotted):
        is_module = resolver.program.facts[base.path].symbols[base.symbol].kind == "namespace"
        found = _of_namespace(resolver, base, name) if is_module else member(resolver, base, name)
        if found is not None and found.entity is None:
            return found.via("inherited", 0.93)
    return None


def _in(resolver: Resolver, path: str, index: int, scope: Scope, name: str, called: bool = False) -> Found | None:
    bindings = objects.readable(resolver, path, scope.names.get(name, ()))
    if not bindings:
        return None
    separate = len(bindings) > 1 and bool(resolver.language(path).separate)
    best: Binding | None = None
    for binding in bindings:
        if binding.kind == "typevar":
            continue
        if binding.kind == "import":
            return names.imported(resolver, path, binding.scope)
        if separate:
            better = (binding.kind == "def") is called and (best is None or (best.kind == "def") is not called)
        else:
            better = best is not None and (best.kind == "decl" or (best.kind == "field" and binding.kind == "def"))
        if best is None or better:
            best = binding
    if best is None or (called and best.kind != "def" and resolver.language(path).separate == "all"):
        return None
    return Found(path, index, best, how="type")


def own(resolver: Resolver, owner: Def, name: str, called: bool = False) -> Found | None:
    """Return a member that a class has itself or through an extension."""
    declared: Found | None = None
    if owner.scope >= 0:
        scope = resolver.program.scope(owner.path, owner.scope)
        if scope.kind in ("class", "object"):
            declared = _in(resolver, owner.path, owner.scope, scope, name, called)
            if declared and declared.binding and not _only_declared(resolver, declared, called):
                return declared
    for path, index in extensions(resolver, owner):
        found = _in(resolver, path, index, resolver.program.scope(path, index), name, called)
        if found:
            return found
    return declared


def _only_declared(resolver: Resolver, found: Found, called: bool) -> bool:
    """Return whether it is a method that the class only declares, as in C++, or a field where a method is called: the
    definition may be elsewhere."""
    binding = found.binding
    if called and binding is not None and binding.kind == "field" and resolver.language(found.path).separate:
        return True
    if binding is None or binding.symbol < 0 or resolver.language(found.path).family != "c":
        return bool(binding and binding.kind == "decl")
    return "declared" in resolver.program.facts[found.path].symbols[binding.symbol].decorators


def extensions(resolver: Resolver, owner: Def) -> list[tuple[str, int]]:
    """Return the scopes that add members to this definition."""
    return resolver.settled(("extensions", owner), _extensions, resolver, owner) or []


def _extensions(resolver: Resolver, owner: Def) -> list[tuple[str, int]]:
    facts = resolver.program.facts[owner.path]
    language = resolver.language(owner.path)
    out = other_parts(resolver, owner) if language.several_parts else []
    parts = {(owner.path, owner.scope), *out}
    for path, index in resolver.program.extensions.get((language.family, facts.symbols[owner.symbol].name), ()):
        scope = resolver.program.scope(path, index)
        if language.naming == "folder":
            if resolver.program.facts[path].package == facts.package:
                out.append((path, index))
            continue
        found = resolver.resolve(path, scope.parent, scope.target, 1 << 60)
        entity = resolver.entity(found) if found else None
        if isinstance(entity, Instance):
            entity = entity.of
        entity = arities.of_arity(resolver, entity, arities.count_arguments(scope.target))
        if isinstance(entity, Def) and (entity == owner or (entity.path, entity.scope) in parts):
            out.append((path, index))
    return out


def other_parts(resolver: Resolver, owner: Def) -> list[tuple[str, int]]:
    """Return the scopes of the other declarations of a class: C#'s partial ones, Kotlin's for other platforms."""
    facts = resolver.program.facts[owner.path]
    name = whole_name(facts, facts.symbols[owner.symbol])
    count = count_type_parameters(resolver.program.scope(owner.path, owner.scope)) if owner.scope >= 0 else 0
    parts = resolver.program.parts.get((resolver.language(owner.path).family, name, count), ())
    own = (owner.path, owner.scope)
    return [part for part in parts if part != own] if own in parts else []


def outside(base: Expr | None) -> External | None:
    """Return an external base: what the class inherits from it is unknown."""
    name = written_name(base)
    return External(name) if name else None


def bases(resolver: Resolver, owner: Def) -> list[tuple[str, Entity, int]]:
    """Return ("extends" | "implements", class, line 0) of a class, including traits of its extensions."""
    return resolver.settled(("bases", owner), _bases, resolver, owner) or []


def written_base(resolver: Resolver, path: str, scope: int, expr: Expr | None) -> tuple[Expr | None, Found | None]:
    """Return the name of a base without type arguments, and what it is; of a call (`extends Mixin(Base)`) its result."""
    if expr and expr[0] == "call" and resolver.language(path).value_flow:
        found = resolver.resolve(path, scope, expr, 1 << 60)
        if found is not None and isinstance(resolver.entity(found), Def):
            return expr, found
    count = arities.count_arguments(expr)
    while expr and expr[0] in ("gen", "call", "cast"):
        expr = expr[1]
    return expr, arities.found_of_arity(resolver, resolver.resolve(path, scope, expr, 1 << 60), count)


def _bases(resolver: Resolver, owner: Def) -> list[tuple[str, Entity, int]]:
    places = [(owner.path, owner.scope)] if owner.scope >= 0 else []
    out: list[tuple[str, Entity, int]] = []
    for path, index in places + extensions(resolver, owner):
        scope = resolver.program.scope(path, index)
        for kind, expr in scope.bases:
            named, found = written_base(resolver, path, scope.parent, expr)
            entity = resolver.entity(found) if found else outside(named)
            if scope.kind == "namespace" and not isinstance(entity, (Def, Namespace)):
                nested = names.in_namespace(
                    resolver, "ruby", mixins.module_name(resolver, path, index), last_name(named)
                )
                entity = resolver.entity(nested) if nested is not None else entity
            if isinstance(entity, Instance):
                entity = entity.of
            if entity is not None and entity != owner and not isinstance(entity, (Listed, Tupled, Returns)):
                out.append((kind, entity, index))
    return out


def _inherited(resolver: Resolver, owner: Def, name: str, called: bool) -> Found | None:
    outside: External | None = None
    above = bases(resolver, owner)
    if resolver.language(owner.path).value_flow:  # what was copied to a prototype hides what it inherits
        above = sorted(above, key=lambda each: each[2] == owner.scope)
    for _, base, _ in above:
        if isinstance(base, External):
            outside = outside or base
            continue
        if isinstance(base, Def) and base.scope >= 0 and mixins.is_class(resolver, base):
            found = of_class(resolver, base, name, called=called)
        else:
            found = member(resolver, base, name, called=called)  # a Ruby module is a namespace and yet a base
        if found is not None and isinstance(found.entity, External):
            outside = outside or External(found.entity.name.rpartition(".")[0])
            continue
        if found is not None:
            return found.via("inherited", 0.93)
    if outside is not None and resolver.language(owner.path).outside_bases and name[:1] != "@":
        return Found(entity=External(f"{outside.name}.{name}"), how="inherited", sure=0.6)
    return None


def ancestors(resolver: Resolver, owner: Def) -> Iterator[Def]:
    """Yield the bases in the tree, nearest first, without duplicates; `_ANCESTORS` of them at most."""
    seen, queue = {owner}, deque([owner])
    while queue and len(seen) < _ANCESTORS:
        for _, base, _ in bases(resolver, queue.popleft()):
            if isinstance(base, Def) and base not in seen:
                seen.add(base)
                queue.append(base)
                yield base


def of_module(resolver: Resolver, path: str, name: str) -> Found | None:
    """Return what a file exports under a name."""
    return resolver.settled(("module", path, name), _exported, resolver, path, name)


def _exported(resolver: Resolver, path: str, name: str) -> Found | None:
    found = _given(resolver, path, name)
    if found is not None:
        return found
    if path.endswith("/lib.rs"):
        exported_macro = names.macro(resolver, path, name)
        if exported_macro is not None:
            return exported_macro
    for entity in resolver.settled(("stars", path), _passed_on, resolver, path) or ():
        passed = _given(resolver, entity.path, name) if isinstance(entity, Module) else resolver.member(entity, name)
        if passed is not None:
            return passed.via("import", 0.95)
    return None


def _passed_on(resolver: Resolver, path: str) -> list[Entity]:
    """Return files whose exports a file re-exports completely (`export * from`, `pub use x::*`), transitively; nearer
    ones first."""
    found: dict[Entity, None] = {}
    queue = [path]
    while queue:
        here = queue.pop(0)
        for index, item in enumerate(resolver.program.summaries[here].imports):
            target = names.imported(resolver, here, index) if item.name == "*" and item.exported else None
            entity = resolver.entity(target) if target is not None else None
            if entity is None or isinstance(entity, External) or entity in found or entity == Module(path):
                continue
            found[entity] = None
            if isinstance(entity, Module):
                queue.append(entity.path)
    return list(found)


def _given(resolver: Resolver, path: str, name: str) -> Found | None:
    """Return what a file itself exports under a name."""
    summary = resolver.program.summaries[path]
    if not summary.scopes:
        return None
    javascript = resolver.language(path).family in ("javascript", "lua")
    if javascript and name in summary.exports:
        return _export(resolver, path, name)
    if javascript and "=" in summary.exports:
        whole = resolver.resolve(path, 0, summary.exports["="], 1 << 60)
        if name == "default":
            return whole
        if whole is not None:
            assigned = added(resolver, whole, name) if whole.binding is not None else None
            return assigned or resolver.member(resolver.entity(whole), name)
    bindings = summary.scopes[0].names.get(name)
    if not bindings or (javascript and summary.exports and not _is_exported(resolver, path, bindings)):
        return None
    binding = names.choose(bindings, 1 << 60)
    if binding.kind != "import":
        return Found(path, 0, binding, how="import")
    return None if javascript else names.imported(resolver, path, binding.scope)


def _is_exported(resolver: Resolver, path: str, bindings: tuple[Binding, ...]) -> bool:
    symbols = resolver.program.facts[path].symbols
    return any(b.symbol >= 0 and symbols[b.symbol].exported for b in bindings)


def _export(resolver: Resolver, path: str, name: str) -> Found | None:
    expr = resolver.program.summaries[path].exports[name]
    found = resolver.resolve(path, 0, expr, 1 << 60)
    return found.via("import", 1.0) if found is not None else None


def added(resolver: Resolver, base: Found, name: str) -> Found | None:
    """Return a member that was assigned to a variable or function by name: `app.get = function () {}`."""
    if base.binding is None or resolver.language(base.path).family not in ("javascript", "lua"):
        return None
    if name in resolver.program.accessors and _is_computed(resolver, base, name):
        return None  # `box.side = 3` ran a setter, and `box` has no member by that
    for path, index in resolver.program.extensions.get(
        (resolver.language(base.path).family, _name_of(resolver, base)), ()
    ):
        if path != base.path:
            continue
        scope = resolver.program.scope(path, index)
        if name not in scope.names:
            continue
        if scope.target and scope.target[0] == "name":
            found = names.lookup(resolver, path, scope.parent, scope.target[1], 1 << 60)
            if found is not None and found.binding is base.binding:
                return Found(path, index, scope.names[name][-1], how="scope", sure=0.95)
    return None


def _is_computed(resolver: Resolver, base: Found, name: str) -> bool:
    """Return whether a definition has a getter or setter of that name."""
    found = resolver.member(resolver.entity(base), name)
    if found is None or found.binding is None or found.binding.symbol < 0:
        return False
    return bool(accessor(resolver.program.facts[found.path].symbols[found.binding.symbol]))


def _name_of(resolver: Resolver, base: Found) -> str:
    assert base.binding is not None
    if base.binding.symbol >= 0:
        return resolver.program.facts[base.path].symbols[base.binding.symbol].name
    for name, bindings in resolver.program.scope(base.path, base.scope).names.items():
        if base.binding in bindings:
            return name
    return ""


def own_scope(resolver: Resolver, path: str, index: int) -> Entity | None:
    """Return `this` in a plain function: a member of what it was assigned to, or a new object if it is a constructor."""
    summary = resolver.program.summaries[path]
    at = (resolver.once(("assigned", path), _assigned, summary) or {}).get(index)
    if at is not None:
        other = summary.scopes[at]
        if not other.static:
            return resolver.extended(path, at)
        found = resolver.resolve(path, other.parent, other.target, 1 << 60)
        return Object(path, at) if found is None or found.binding is None else _owner_of(resolver, found, path, at)
    symbol = summary.scopes[index].symbol
    extended = resolver.once(("extended names", path), _extended_names, summary) or set()
    if symbol >= 0 and resolver.program.facts[path].symbols[symbol].name in extended:
        return Instance(Def(path, symbol, index))
    return None


def _assigned(summary: Summary) -> dict[int, int]:
    """Return the scopes of functions that are assigned to members, each with the scope of the first such assignment."""
    out: dict[int, int] = {}
    for at, other in enumerate(summary.scopes):
        for bindings in other.names.values() if other.kind == "extension" else ():
            for binding in bindings:
                if binding.kind == "def":
                    out.setdefault(binding.scope, at)
    return out


def _extended_names(summary: Summary) -> set[str]:
    return {name for name, _ in summary.extensions}


def _owner_of(resolver: Resolver, found: Found, path: str, at: int) -> Entity:
    entity = resolver.entity(found)
    return entity if isinstance(entity, (Def, Object)) else Object(path, at)
