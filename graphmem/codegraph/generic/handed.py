"""What the parameters of a function are that is written as an argument or with a declared type: an element of the list that a
call is made on, what the called function of the tree passes, or what the one method of an interface takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import delegates, generics, members, overloads
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance, Listed
from graphmem.codegraph.generic.summary import Expr, inner_name, last_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_OF_ONE = frozenset({"Comparator", "BinaryOperator", "UnaryOperator"})  # all their parameters have the one type
_ACCEPTING = _OF_ONE | frozenset({"Consumer", "Function", "Predicate", "BiConsumer", "BiFunction", "BiPredicate", "ToIntFunction",
                                  "ToLongFunction", "ToDoubleFunction", "Action", "Func"})  # fmt: skip
_OF_MAPS = frozenset({"forEach", "replaceAll", "compute", "computeIfPresent", "merge"})  # with key and value
_DELEGATES = ("super", "this")  # other constructors that a constructor runs
_FUNCTIONS = frozenset({"function", "method"})


def parameter(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    """Return parameter n of a function that is the argument of a call: ("handed", call, place of the argument, n)."""
    _, call, place, n, count = expr
    if call[0] == "new":
        made = resolver.instance(path, scope, call[1], at)
        taken = _of_constructor(resolver, made, place, n, count)
        return generics.seen_from(resolver, taken, made) if generics.is_open(taken) else taken
    callee, arguments = _bare(call[1]), call[2]
    if not callee or callee[0] not in ("name", "attr", *_DELEGATES):
        return None
    found = resolver.callee(path, scope, callee, at)
    entity = resolver.entity(found) if found is not None else None
    receiver = resolver.value(path, scope, callee[1], at) if callee[0] == "attr" else None
    if callee[0] in _DELEGATES:
        return _of_constructor(resolver, entity, place, n, count)
    if isinstance(entity, Def):
        kind = resolver.program.facts[entity.path].symbols[entity.symbol].kind
        if kind == "interface":  # Kotlin: `Handler { ... }`
            return _of_interface(resolver, Instance(entity), n)
        if kind == "class":
            return _of_constructor(resolver, Instance(entity), place, n, count)
        if kind not in _FUNCTIONS or found is None or found.binding is None:
            return None
        taken = _of_function(resolver, found, place, n, count)
        return _given_types(resolver, path, scope, call[1], at, entity, taken, receiver)
    if resolver.language(path).value_flow:  # JavaScript: `callbacks` knows what its library passes
        return None
    if callee == ("name", "with") and arguments:
        return resolver.value(path, scope, arguments[0], at)
    return _of_receiver(resolver, callee, receiver, n, count) if callee[0] == "attr" else None


def expected(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    """C#: return what a parameter takes: ("expected", call, place of the argument, its name, number of arguments)."""
    _, call, place, name, count = expr
    callee = _bare(call[1])
    receiver = resolver.value(path, scope, callee[1], at) if callee and callee[0] == "attr" else None
    found: Found | None = None
    if call[0] == "new" or (callee and callee[0] in _DELEGATES):
        receiver = (
            resolver.instance(path, scope, call[1], at) if call[0] == "new" else resolver.value(path, scope, callee, at)
        )
        made = receiver.of if isinstance(receiver, Instance) else None
        found = _constructor(resolver, made) if isinstance(made, Def) else None
    elif callee and callee[0] in ("name", "attr"):
        found = resolver.callee(path, scope, callee, at)
    if found is None or found.binding is None or found.binding.kind != "def" or found.binding.scope < 0:
        by_library = place == count - 1 and callee and callee[0] == "attr" and callee[2].startswith("Try")
        return resolver.rules.element(resolver, receiver) if by_library else None
    for one, types in overloads.parameter_types(resolver, found, count):
        taken = types.get(name) if name else list(types.values())[place] if place < len(types) else None
        if taken is not None:
            callee_def = Def(one.path, one.binding.symbol, one.binding.scope) if one.binding else None
            return _given_types(resolver, path, scope, call[1], at, callee_def, taken, receiver)
    return None


def _bare(callee: Expr | None) -> Expr | None:
    """Return a callee without explicit type arguments."""
    return callee[1] if callee and callee[0] == "gen" else callee


def _given_types(resolver: Resolver, path: str, scope: int, callee: Expr, at: int, function: Def | None,
                 taken: Entity | None, receiver: Entity | None) -> Entity | None:  # fmt: skip
    """Return a type with the type arguments that a call and its receiver give."""
    if not generics.is_open(taken):
        return taken
    if callee[0] == "gen" and function is not None:
        written = tuple(resolver.instance(path, scope, argument, at) for argument in callee[2])
        taken = generics.called_with(resolver, taken, function, written)
    return generics.seen_from(resolver, taken, receiver or resolver.this(path, scope)[0])


def _of_constructor(resolver: Resolver, made: Entity | None, place: int, n: int, count: int) -> Entity | None:
    """Return what the constructor of a class passes to the function that it gets as an argument."""
    owner = made.of if isinstance(made, Instance) else None
    found = _constructor(resolver, owner) if isinstance(owner, Def) else None
    return _of_function(resolver, found, place, n, count) if found is not None else None


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


def _of_function(resolver: Resolver, found: Found, place: int, n: int, count: int) -> Entity | None:
    """Return what a function of the tree passes to the function of `count` parameters that it gets as an argument; of
    overloads, the first that takes one."""
    if found.binding is None:
        return None
    place += overloads.is_lent(resolver, found)
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    for binding in resolver.program.scope(found.path, found.scope).names.get(name, ()):
        if binding.kind != "def" or binding.scope < 0:
            continue
        function = resolver.program.scope(found.path, binding.scope)
        places = [place] if place < len(function.parameters) else []
        if function.rest and not places and function.parameters:
            places = [len(function.parameters) - 1]
        if resolver.language(found.path).labels:  # parameters before it may have got nothing
            places += range(len(function.parameters) - 1, -1, -1)
        for each in places:
            for parameter_ in function.names.get(inner_name(function.parameters[each]), ()):
                taken = _of_type(resolver, found.path, binding.scope, parameter_.type, n, _END)
                if taken is not None and delegates.takes_as_many(parameter_.type, count):
                    return taken
    return None


def _of_type(resolver: Resolver, path: str, scope: int, type_: Expr | None, n: int, at: int) -> Entity | None:
    """Return parameter n of the functions of a type."""
    if not type_:
        return None
    if type_[0] == "func":
        taken = type_[2] if len(type_) > 2 else ()
        return resolver.instance(path, scope, taken[n], at) if n < len(taken) else None
    if type_[0] == "list":  # C#: `params Action<T>[] actions`
        return _of_type(resolver, path, scope, type_[1], n, at) if resolver.language(path).partial else None
    if type_[0] == "gen" and last_name(type_[1]) in resolver.language(path).wrappers and len(type_[2]) == 1:
        return _of_type(resolver, path, scope, type_[2][0], n, at)  # Rust: `Box<dyn Fn(T)>`
    if type_[0] == "name" and resolver.language(path).root_module and scope >= 0:
        bound = resolver.program.scope(path, scope).names.get(type_[1], ())
        functions = [each.type for each in bound if each.kind == "typevar" and each.type and each.type[0] == "func"]
        if functions:  # Rust: `F: Fn(T)`
            return _of_type(resolver, path, scope, functions[0], n, at)
    if type_[0] == "gen" and last_name(type_[1]) == delegates.QUOTED and len(type_[2]) == 1:
        return _of_type(resolver, path, scope, type_[2][0], n, at)
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
