"""What the parameters of a function are that is written as an argument or with a declared type: an element of the list that a
call is made on, what the called function of the tree passes, or what the one method of an interface takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import generics, members
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance, Listed
from graphmem.codegraph.generic.summary import Expr, inner_name, last_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_OF_ONE = frozenset({"Comparator", "BinaryOperator", "UnaryOperator"})  # all their parameters have the one type
_ACCEPTING = _OF_ONE | frozenset({"Consumer", "Function", "Predicate", "BiConsumer", "BiFunction", "BiPredicate", "ToIntFunction",
                                  "ToLongFunction", "ToDoubleFunction", "Action", "Func"})  # fmt: skip
_OF_MAPS = frozenset({"forEach", "replaceAll", "compute", "computeIfPresent", "merge"})  # with key and value
_FUNCTIONS = frozenset({"function", "method"})


def parameter(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    """Return parameter n of a function that is the argument of a call: ("handed", call, place of the argument, n)."""
    _, call, place, n, count = expr
    callee, arguments = call[1], call[2]
    if not callee or callee[0] not in ("name", "attr"):
        return None
    found = resolver.callee(path, scope, callee, at)
    entity = resolver.entity(found) if found is not None else None
    receiver = resolver.value(path, scope, callee[1], at) if callee[0] == "attr" else None
    if isinstance(entity, Def):
        kind = resolver.program.facts[entity.path].symbols[entity.symbol].kind
        if kind == "interface":  # Kotlin: `Handler { ... }`
            return _of_interface(resolver, Instance(entity), n)
        if kind == "class" and (made := _constructor(resolver, entity)) is not None:
            return _of_function(resolver, made, place, n)
        if kind not in _FUNCTIONS or found is None or found.binding is None:
            return None
        taken = _of_function(resolver, found, place, n)
        if taken is not None and receiver is not None and generics.is_open(taken):
            return generics.seen_from(resolver, taken, receiver)
        return taken
    if resolver.language(path).value_flow:  # JavaScript: `callbacks` knows what its library passes
        return None
    if callee == ("name", "with") and arguments:
        return resolver.value(path, scope, arguments[0], at)
    return _of_receiver(resolver, callee, receiver, n, count) if callee[0] == "attr" else None


def _constructor(resolver: Resolver, owner: Def) -> Found | None:
    """Return a constructor of a class."""
    own = resolver.program.facts[owner.path].symbols[owner.symbol].name
    for name in resolver.language(owner.path).constructors:
        found = members.own(resolver, owner, own if name == "=" else name, True)
        if found is not None and found.binding is not None and found.binding.kind == "def":
            return found
    return None


def accepted(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    """Return parameter n of a function that is the value of something with a declared type: ("accepts", type, n)."""
    return _of_type(resolver, path, scope, expr[1], expr[2], at)


def _of_receiver(resolver: Resolver, callee: Expr, receiver: Entity | None, n: int, count: int) -> Entity | None:
    """Return what a method of a list, a map or a wrapper from outside passes on."""
    if isinstance(receiver, Instance) and isinstance(receiver.of, Def):
        return receiver if n == 0 and callee[2] not in ("reduce", "fold") else None  # what a wrapper holds
    if callee[0] != "attr":
        return None  # an unknown function passes on what nobody knows
    if count == 2 and callee[2] in _OF_MAPS and isinstance(receiver, (Instance, Listed)):
        return resolver.rules.element(resolver, receiver) if n == 1 else None
    return resolver.rules.element(resolver, receiver) if n == 0 else None


def _of_function(resolver: Resolver, found: Found, place: int, n: int) -> Entity | None:
    """Return what a function of the tree passes to the function that it gets as an argument; of overloads, the first that
    takes one."""
    if found.binding is None:
        return None
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    for binding in resolver.program.scope(found.path, found.scope).names.get(name, ()):
        if binding.kind != "def" or binding.scope < 0:
            continue
        function = resolver.program.scope(found.path, binding.scope)
        places = [place] if place < len(function.parameters) else []
        if resolver.language(found.path).labels:  # parameters before it may have got nothing
            places += range(len(function.parameters) - 1, -1, -1)
        for each in places:
            for parameter_ in function.names.get(inner_name(function.parameters[each]), ()):
                taken = _of_type(resolver, found.path, binding.scope, parameter_.type, n, _END)
                if taken is not None:
                    return taken
    return None


def _of_type(resolver: Resolver, path: str, scope: int, type_: Expr | None, n: int, at: int) -> Entity | None:
    """Return parameter n of the functions of a type."""
    if not type_:
        return None
    if type_[0] == "func":
        taken = type_[2] if len(type_) > 2 else ()
        return resolver.instance(path, scope, taken[n], at) if n < len(taken) else None
    if type_[0] == "gen" and last_name(type_[1]) in _ACCEPTING and type_[2]:
        named = resolver.value(path, scope, type_[1], at)
        if not isinstance(named, Def):
            place = 0 if last_name(type_[1]) in _OF_ONE else min(n, len(type_[2]) - 1)
            return resolver.instance(path, scope, type_[2][place], at)
    whole = resolver.instance(path, scope, type_, at)
    if isinstance(whole, Instance) and isinstance(whole.of, Def):
        return _of_interface(resolver, whole, n)
    return None


def _of_interface(resolver: Resolver, type_: Instance, n: int) -> Entity | None:
    """Return parameter n of the one method that an interface asks for."""
    of = type_.of
    if not isinstance(of, Def) or of.scope < 0:
        return None
    for owner in (of, *members.ancestors(resolver, of)):
        symbols = resolver.program.facts[owner.path].symbols
        scope = resolver.program.scope(owner.path, owner.scope)
        methods = [b for bindings in scope.names.values() for b in bindings if b.kind == "def" and b.scope >= 0]
        asked = [b for b in methods if not symbols[b.symbol].signature.startswith(("default ", "static ", "private "))]
        if len(asked) == 1 and symbols[asked[0].symbol].kind == "method":
            function = resolver.program.scope(owner.path, asked[0].scope)
            if n >= len(function.parameters):
                return None
            type_expr = next((b.type for b in function.names.get(inner_name(function.parameters[n]), ())), None)
            return generics.seen_from(resolver, resolver.instance(owner.path, asked[0].scope, type_expr, _END), type_)
        if asked:
            return None
    return None
