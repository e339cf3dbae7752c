"""Ruby: members that a module gets from the modules it includes or extends, and methods of a class itself."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Namespace
from graphmem.codegraph.generic.summary import Expr, last_name, names_in

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_OF_CLASS = "class_methods"  # the block of a module with methods for the classes that include it
ADDING = frozenset({_OF_CLASS, "included", "prepended"})  # blocks of a module that add to the classes that include it
_IN_BLOCK = 0.85  # confidence that a block in the body of a class is run on an instance


def included(resolver: Resolver, family: str, dotted: str) -> list[Def]:
    """Return what a module mixes in, and what that mixes in, in any of the files that add to them; each once."""
    return resolver.settled(("included", family, dotted), _included, resolver, family, dotted) or []


def _included(resolver: Resolver, family: str, dotted: str) -> list[Def]:
    found: dict[Def, None] = {}
    opened = {dotted}
    waiting = _mixed_in(resolver, family, dotted)[::-1]
    while waiting:
        base = waiting.pop()
        found[base] = None
        name = module_name(resolver, base.path, base.scope) if base.scope >= 0 else ""
        if name and name not in opened:
            opened.add(name)
            waiting += _mixed_in(resolver, family, name)[::-1]
    return list(found)


def _mixed_in(resolver: Resolver, family: str, dotted: str) -> list[Def]:
    """Return what the files that add to a module mix into it, in written order."""
    found = []
    for path, index in resolver.program.by_namespace.get((family, dotted), ()):
        scope = resolver.program.scope(path, index)
        for _, expr in scope.bases:
            inside = next(names_in(expr), "") in scope.names  # `extend Builders`, which the module itself defines
            base = resolver.value(path, index if inside else scope.parent, expr, _END)
            if not isinstance(base, Def):  # or which another file adds to it
                added = resolver.program.in_namespace(family, dotted).get(last_name(expr), ())
                nested = [Found(*one, how="import") for one in added]
                base = resolver.entity(max(nested, key=partial(says_most, resolver))) if nested else None
            if isinstance(base, Def):
                found.append(base)
    return found


def added_outside(resolver: Resolver, path: str, owner: Expr, name: str) -> Found | None:
    """Ruby: return a class or module that the tree adds to a module from outside (`class ActiveSupport::TestCase`)."""
    language, last = resolver.language(path), last_name(owner)
    if not language.module_members or not name[:1].isupper() or not last[:1].isupper():
        return None
    for place, index in resolver.program.extensions.get((language.family, last), ()):
        if bindings := resolver.program.scope(place, index).names.get(name):
            return Found(place, index, bindings[-1], how="import", sure=0.9)
    return None


def of_the_class(method: Node) -> bool:
    """Return whether a method belongs to the class itself: `def self.make`, or one in `class << self` or `class_methods do`."""
    body = method.parent.parent if method.parent is not None else None
    own = method.type == "singleton_method" or (body is not None and body.type == "singleton_class")
    return own or block_around(method) == _OF_CLASS


def block_around(method: Node) -> str:
    """Return the name of the method whose block has a definition directly in it: `included do ... end`."""
    body = method.parent.parent if method.parent is not None else None
    call = body.parent if body is not None and body.type in ("do_block", "block") else None
    name = call.child_by_field_name("method") if call is not None and call.type == "call" else None
    return (name.text or b"").decode("utf-8", "replace") if name is not None else ""


def is_class(resolver: Resolver, base: Def) -> bool:
    """Return whether a base is a class rather than a module: it passes on what it gives to instances, too."""
    kind = resolver.program.scope(base.path, base.scope).kind
    return kind == "class" and resolver.language(base.path).module_members


def made(resolver: Resolver, owner: Entity | None) -> Instance | None:
    """Return the instance that `new` makes of a class; of a module none, which has it only as a method of its own."""
    if isinstance(owner, Def) and resolver.program.facts[owner.path].symbols[owner.symbol].kind == "namespace":
        return None
    return Instance(owner) if isinstance(owner, (Def, External)) else None


def needs_instance(resolver: Resolver, found: Found) -> bool:
    """Return whether it is a method that a class gives to its instances, not to itself."""
    binding = found.binding
    if binding is None or binding.kind != "def" or binding.scope < 0:
        return False
    inner = resolver.program.scope(found.path, binding.scope)
    return (
        inner.kind == "function"
        and not inner.static
        and resolver.program.scope(found.path, found.scope).kind == "class"
    )


def is_of_class(resolver: Resolver, found: Found) -> bool:
    """Return whether it is a method of a class itself, or what a macro gives to it alone: `scope :x`."""
    binding = found.binding
    if binding is None or binding.kind == "field":
        return _is_relation(found)
    return binding.scope >= 0 and resolver.program.scope(found.path, binding.scope).static


def _is_relation(found: Found) -> bool:
    """Return whether only a class and its relations have it, not its objects: `scope :x`, whose value no object keeps."""
    binding = found.binding
    return binding is not None and binding.kind == "field" and binding.symbol >= 0 and binding.value is None


def is_class_found(resolver: Resolver, found: Found) -> bool:
    """Return whether it is a declaration of a class."""
    binding = found.binding
    return binding is not None and resolver.program.facts[found.path].symbols[binding.symbol].kind == "class"


def says_most(resolver: Resolver, found: Found) -> tuple[bool, int]:
    """Return the rank of one of several declarations of a class: first that with a superclass, then the longest one."""
    binding = found.binding
    if binding is None or binding.kind != "def" or binding.scope < 0:
        return False, 0
    scope = resolver.program.scope(found.path, binding.scope)
    return any(kind == "extends" for kind, _ in scope.bases), len(scope.names)


def of_self(resolver: Resolver, path: str, scope: int, class_: int, name: str, found: Found | None) -> Found | None:
    """Return what a name without a receiver means in a class: of the class itself in its body and in its own methods. In a block
    of the body, which tests and callbacks run on an instance, also one of its instances."""
    if found is not None and not needs_instance(resolver, found) and not is_of_class(resolver, found):
        return found
    in_block = False
    itself = Def(path, resolver.program.scope(path, class_).symbol, class_)
    while scope != class_:
        around = resolver.program.scope(path, scope)
        in_block = in_block or around.kind == "block"
        if around.kind == "function":
            if not around.static:
                return _of_instance(resolver, itself, name, found)
            break
        scope = around.parent
    own = resolver.member(itself, name, called=True)
    if own is not None and own.entity is None:
        return own
    return found._replace(sure=min(found.sure, _IN_BLOCK)) if found is not None and in_block else None


def _of_instance(resolver: Resolver, class_: Def, name: str, found: Found | None) -> Found | None:
    """Return what a name without a receiver means in a method of an instance: nothing that only the class has."""
    if found is None or not is_of_class(resolver, found):
        return found
    other = resolver.member(Instance(class_), name, called=True)
    return None if other is not None and is_of_class(resolver, other) else other


def module_name(resolver: Resolver, path: str, scope: int) -> str:
    """Return the name of the module that a scope adds to."""
    return next((name for name, at in resolver.program.summaries[path].namespaces if at == scope), "")


def of_included(resolver: Resolver, bases: Iterable[Def], name: str) -> Found | None:
    """Return a method that an included module has in its `ClassMethods` for the classes that include it."""
    for base in bases:
        given = None if is_class(resolver, base) else resolver.member(base, "ClassMethods")
        entity = resolver.entity(given) if given is not None else None
        found = resolver.member(entity, name) if isinstance(entity, (Def, Namespace)) else None
        if found is not None and found.entity is None:
            return found.via("inherited", 0.9)
    return None


def twin(resolver: Resolver, found: Found, name: str, *, of_class: bool) -> Found | None:
    """Return of the methods of one name that a class has, for itself (`of_class`) and for its instances, the one meant."""
    for binding in resolver.program.scope(found.path, found.scope).names.get(name, ()) if found.scope >= 0 else ():
        one = found._replace(binding=binding)
        method = binding.kind == "def" and binding.scope >= 0
        if (method and is_of_class(resolver, one) is of_class) or (
            binding.kind == "field" and not of_class and not _is_relation(one)
        ):
            return one
    return None if not of_class and _is_relation(found) else found


def given_by_outside(resolver: Resolver, path: str, scope: int, callee: Expr, at: int) -> Entity | None:
    """Ruby: return what a method from outside gives whose name says it: an instance of its class, or its receiver."""
    language, name = resolver.language(path), last_name(callee)
    if name not in language.factories and name not in language.gives_itself:
        return None
    if callee[0] == "name":  # in a method of the class itself
        return (
            resolver.this(path, scope)[0]
            if name in language.factories and _is_of_class(resolver, path, scope)
            else None
        )
    owner = resolver.value(path, scope, callee[1], at)
    if isinstance(owner, Def) and name in language.factories:
        is_class = resolver.program.facts[owner.path].symbols[owner.symbol].kind == "class"
        return Instance(owner) if is_class else None
    is_own = isinstance(owner, Instance) and isinstance(owner.of, Def)
    return owner if is_own and name in language.gives_itself else None


def _is_of_class(resolver: Resolver, path: str, scope: int) -> bool:
    while scope > 0:
        around = resolver.program.scope(path, scope)
        if around.kind == "function":
            return around.static
        scope = around.parent
    return False
