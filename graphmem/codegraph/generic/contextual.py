"""TypeScript: finds what the parameters of a function literal are by the declared type of its place, which `contexts` reads:
an argument, a variable, a member of an object literal, a result. Types are followed as written, through aliases, overloads,
call signatures, unions and rest parameters, because an entity no longer says what a function takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph.generic import generics, members
from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Variable
from graphmem.codegraph.generic.summary import CALLED, Binding, Expr, Scope, last_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60
_DEPTH = 10  # aliases of aliases
_MOST = 64  # signatures of one type
_Name = tuple[str, int, str]  # a type parameter: file, scope, name


class Typed(NamedTuple):
    """A type as written, where its names are looked up, and what its type parameters stand for. `owner` is the instance
    whose member it is a type of."""

    path: str
    scope: int
    type: Expr
    given: tuple[tuple[_Name, Typed], ...] = ()
    owner: Entity | None = None


def parameter(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    """Return parameter n of the functions that a place takes: ("context", place, n). `scope` is that of the function."""
    outer = resolver.program.scope(path, scope).parent  # its parameters are not yet there where it is written
    for place in _types(resolver, path, max(outer, 0), expr[1], at):
        for function in _functions(resolver, place, _DEPTH):
            taken = _parameter_type(function.type[2] if len(function.type) > 2 else (), expr[2])
            entity = _entity(resolver, function, taken) if taken else None
            if entity is not None:
                return entity
    return None


def called(resolver: Resolver, callee: Instance) -> Entity | None:
    """Return the result of calling a value whose type has call signatures; of several the first that is known."""
    for function in _signatures(resolver, callee.of, callee) if isinstance(callee.of, Def) else ():
        entity = _entity(resolver, function, function.type[1]) if function.type[1] else None
        if entity is not None:
            return entity
    return None


def _types(resolver: Resolver, path: str, scope: int, place: Expr, at: int) -> Iterator[Typed]:
    """Yield the declared types of a place, most likely first."""
    tag = place[0]
    if tag == "said":
        yield Typed(path, scope, place[1])
    elif tag == "argument":
        yield from _argument(resolver, path, scope, place[1], place[2], at)
    elif tag == "declared":
        owner = _owner(resolver, path, scope, place[1], at)
        found = resolver.member(owner, place[1][2]) if owner is not None else None
        if found is None or found.binding is None or not found.binding.type:
            found = resolver.resolve(path, scope, place[1], at)
        if found is not None and found.binding is not None and found.binding.type:
            yield Typed(found.path, found.scope, found.binding.type, owner=owner)
    elif tag == "member":
        for whole in _types(resolver, path, scope, place[1], at):
            yield from _member(resolver, _entity(resolver, whole, whole.type), place[2])
    elif tag == "element":
        for whole in _types(resolver, path, scope, place[1], at):
            yield from _elements(resolver, whole, _DEPTH)
    elif tag == "result":
        for whole in _types(resolver, path, scope, place[1], at):
            for function in _functions(resolver, whole, _DEPTH):
                if function.type[1]:
                    yield function._replace(type=function.type[1])


def _owner(resolver: Resolver, path: str, scope: int, expr: Expr, at: int) -> Entity | None:
    return resolver.value(path, scope, expr[1], at) if expr[0] == "attr" else None


def _argument(resolver: Resolver, path: str, scope: int, call: Expr, n: int, at: int) -> Iterator[Typed]:
    """Yield what a call takes for its argument n; of overloads first what takes as many arguments."""
    callee, arguments = call[1], call[2]
    written = call[3] if len(call) > 3 else ()
    if any(argument and argument[0] == "spread" for argument in arguments[:n]):
        return
    for function, scope_of_it in _callees(resolver, path, scope, call[0], callee, at):
        taken = function.type[2] if len(function.type) > 2 else ()
        type_ = _parameter_type(taken, n)
        if type_ and _takes(taken, arguments):
            names = generics.parameters(resolver, function.path, scope_of_it) if scope_of_it >= 0 else []
            said = tuple(
                ((function.path, scope_of_it, name), Typed(path, scope, given))
                for name, given in zip(names, written, strict=False)
                if given
            )
            yield function._replace(type=type_, given=(*function.given, *said))


def _callees(resolver: Resolver, path: str, scope: int, tag: str, callee: Expr, at: int) -> list[tuple[Typed, int]]:
    """Return the signatures that a call may mean, each with the scope that declares its type parameters (-1: none)."""
    if tag == "new" or callee[0] in ("super", "this"):
        made = resolver.instance(path, scope, callee, at) if tag == "new" else resolver.value(path, scope, callee, at)
        owner = made.of if isinstance(made, Instance) else None
        found = members.own(resolver, owner, "constructor", True) if isinstance(owner, Def) else None
        return _written(resolver, found, made) if found is not None else []
    found = resolver.callee(path, scope, callee, at)
    if found is None:
        return []
    receiver = _owner(resolver, path, scope, callee, at)
    if found.binding is not None and found.binding.kind == "def":
        written = _written(resolver, found, receiver)
        if written:
            return written
    if found.binding is not None and found.binding.type:
        typed = Typed(found.path, found.scope, found.binding.type, owner=receiver)
        return [(function, -1) for function in _functions(resolver, typed, _DEPTH)]
    entity = resolver.entity(found)
    if isinstance(entity, Def):  # a component, or what a variable holds
        symbol = resolver.program.facts[entity.path].symbols[entity.symbol]
        if symbol.kind in ("function", "method") and entity.scope >= 0:
            return [(_function_type(resolver, entity.path, entity.scope, receiver), entity.scope)]
    elif isinstance(entity, Instance) and isinstance(entity.of, Def):
        return [(function, -1) for function in _signatures(resolver, entity.of, entity)]
    return []


def _written(resolver: Resolver, found: Found, receiver: Entity | None) -> list[tuple[Typed, int]]:
    """Return the overloads of a function of the tree, as types."""
    if found.binding is None or found.scope < 0 or found.binding.symbol < 0:
        return []
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    bindings = resolver.program.scope(found.path, found.scope).names.get(name, (found.binding,))
    scopes = [b.scope for b in bindings if b.kind == "def" and b.scope >= 0]
    functions = [each for each in scopes if resolver.program.scope(found.path, each).kind == "function"]
    return [(_function_type(resolver, found.path, each, receiver), each) for each in functions[:_MOST]]


def _function_type(resolver: Resolver, path: str, scope: int, receiver: Entity | None) -> Typed:
    function = resolver.program.scope(path, scope)
    types = tuple(_declared(function, name) for name in function.parameters)
    if function.rest and types:
        types = (*types[:-1], ("rest", types[-1]))
    return Typed(path, scope, ("func", function.returns, types), owner=receiver)


def _declared(function: Scope, name: str) -> Expr | None:
    return next((binding.type for binding in function.names.get(name, ()) if binding.kind == "param"), None)


def _takes(taken: Sequence[Expr | None], arguments: Sequence[Expr | None]) -> bool:
    """Return whether texts that are given are texts that a signature takes: `on(event: "open", ...)`."""
    for type_, argument in zip(taken, arguments, strict=False):
        if argument and argument[0] == "str" and not _may_be(type_, argument[1]):
            return False
    rest = bool(taken) and taken[-1] is not None and taken[-1][0] == "rest"
    return rest or len(arguments) <= len(taken)


def _may_be(type_: Expr | None, text: str) -> bool:
    if type_ and type_[0] == "either":
        return _may_be(type_[1], text) or _may_be(type_[2], text)
    return not type_ or type_[0] != "str" or type_[1] == text


def _parameter_type(taken: Sequence[Expr | None], n: int) -> Expr | None:
    """Return the type of parameter n; the last may take the rest, as a list or by position."""
    last = taken[-1] if taken else None
    if not last or last[0] != "rest" or n < len(taken) - 1:
        return taken[n] if n < len(taken) else None
    whole, place = last[1], n - len(taken) + 1
    if whole and whole[0] == "list":
        return whole[1]  # type: ignore[no-any-return]
    if whole and whole[0] == "gen" and last_name(whole[1]) in ("Array", "ReadonlyArray") and whole[2]:
        return whole[2][0]  # type: ignore[no-any-return]
    if whole and whole[0] == "tuple":
        return _parameter_type(whole[1], place) if place < len(whole[1]) or _is_open(whole[1]) else None
    return None


def _is_open(parts: Sequence[Expr | None]) -> bool:
    return bool(parts) and parts[-1] is not None and parts[-1][0] == "rest"


def _functions(resolver: Resolver, typed: Typed, depth: int) -> Iterator[Typed]:
    """Yield the function types that a type stands for."""
    if depth == 0:
        return
    type_ = typed.type
    if type_[0] == "func":
        yield typed
    elif type_[0] == "either":
        for part in type_[1:]:
            if part:
                yield from _functions(resolver, typed._replace(type=part), depth - 1)
    elif type_[0] == "obj":
        scope = resolver.program.summaries[typed.path].scope_at.get(type_[1])
        if scope is not None:
            yield from (typed._replace(scope=scope, type=t) for t in _signature_types(resolver, typed.path, scope))
    elif type_[0] in ("name", "attr", "gen"):
        yield from _named(resolver, typed, depth)


def _named(resolver: Resolver, typed: Typed, depth: int) -> Iterator[Typed]:
    """Yield the function types that a name stands for: of an alias, a type parameter, or an interface with signatures."""
    base, arguments = typed.type[1:3] if typed.type[0] == "gen" else (typed.type, ())
    found = resolver.resolve(typed.path, typed.scope, base, _END)
    if found is None or found.entity is not None or found.binding is None:
        if isinstance(getattr(found, "entity", None), (External, type(None))) and arguments and arguments[0]:
            if last_name(base) in resolver.language(typed.path).wrappers:
                yield from _functions(resolver, typed._replace(type=arguments[0]), depth - 1)
        elif found is not None and isinstance(found.entity, Def):
            yield from _signatures(resolver, found.entity, _entity(resolver, typed, typed.type))
        return
    binding = found.binding
    if binding.kind == "typevar":
        yield from _variable(resolver, typed, found, last_name(base), depth)
    elif _is_alias(resolver, found, binding) and binding.type:
        scope = binding.scope if binding.scope >= 0 else found.scope
        names = generics.parameters(resolver, found.path, binding.scope)
        given = tuple(
            ((found.path, scope, name), typed._replace(type=argument))
            for name, argument in zip(names, arguments, strict=False)
            if argument
        )
        yield from _functions(resolver, Typed(found.path, scope, binding.type, given, typed.owner), depth - 1)
    elif binding.kind == "def" and binding.symbol >= 0:
        of = Def(found.path, binding.symbol, binding.scope)
        yield from _signatures(resolver, of, _entity(resolver, typed, typed.type))


def _variable(resolver: Resolver, typed: Typed, found: Found, name: str, depth: int) -> Iterator[Typed]:
    """Yield the function types that a type parameter stands for: what is given for it, otherwise its bound."""
    said = dict(typed.given).get((found.path, found.scope, name))
    if said is not None:
        yield from _functions(resolver, said, depth - 1)
        return
    entity = _entity(resolver, typed, typed.type)
    if isinstance(entity, Instance) and isinstance(entity.of, Def):
        yield from _signatures(resolver, entity.of, entity)
    elif found.binding is not None and found.binding.type:
        yield from _functions(
            resolver, typed._replace(path=found.path, scope=found.scope, type=found.binding.type), depth - 1
        )


def _is_alias(resolver: Resolver, found: Found, binding: Binding) -> bool:
    symbols = resolver.program.facts[found.path].symbols
    return binding.kind == "def" and (binding.symbol < 0 or symbols[binding.symbol].kind == "type")


def _signatures(resolver: Resolver, of: Def, owner: Entity | None) -> Iterator[Typed]:
    """Yield the call signatures of an interface, its own first."""
    for each in (of, *members.ancestors(resolver, of)):
        if each.scope >= 0:
            for type_ in _signature_types(resolver, each.path, each.scope):
                yield Typed(each.path, each.scope, type_, owner=owner)


def _signature_types(resolver: Resolver, path: str, scope: int) -> list[Expr]:
    bindings = resolver.program.scope(path, scope).names.get(CALLED, ())[:_MOST]
    return [binding.type for binding in bindings if binding.type]


def _member(resolver: Resolver, whole: Entity | None, name: str) -> Iterator[Typed]:
    """Yield the type of a member of a type."""
    found = resolver.member(whole, name)
    if found is None or found.binding is None:
        return
    if found.binding.type:
        yield Typed(found.path, found.scope, found.binding.type, owner=whole)
    elif found.binding.kind == "def":
        yield from (function for function, _ in _written(resolver, found, whole))


def _elements(resolver: Resolver, typed: Typed, depth: int) -> Iterator[Typed]:
    """Yield the types of the elements of a list type."""
    type_ = typed.type
    if type_[0] == "list":
        yield typed._replace(type=type_[1])
    elif type_[0] == "tuple":
        yield from (typed._replace(type=part) for part in type_[1] if part)
    elif type_[0] == "either" and depth:
        for part in type_[1:]:
            if part:
                yield from _elements(resolver, typed._replace(type=part), depth - 1)
    elif type_[0] == "gen" and last_name(type_[1]) in ("Array", "ReadonlyArray") and type_[2] and type_[2][0]:
        yield typed._replace(type=type_[2][0])


def _entity(resolver: Resolver, typed: Typed, type_: Expr) -> Entity | None:
    """Return an instance of a type that is written at the same place as another one."""
    entity = resolver.instance(typed.path, typed.scope, type_, _END)
    if generics.is_open(entity) and typed.given:
        given = {
            variable: _entity(resolver, said, said.type)
            for variable in generics.variables(entity)
            for name, said in typed.given
            if name == (variable.path, variable.scope, variable.name)
        }
        entity = generics.replaced(entity, given)
    if generics.is_open(entity):
        entity = generics.seen_from(resolver, entity, typed.owner)
    return None if isinstance(entity, Variable) and entity.bound is None else entity
