"""Overload resolution: functions with a matching number of arguments, then with matching parameter types. Only for
languages with overloads; if types leave it open, several are returned."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import arities, delegates, extension_methods, members, suitability, visible
from graphmem.codegraph.generic.entities import (
    Def,
    Entity,
    External,
    Found,
    Instance,
    Listed,
)
from graphmem.codegraph.generic.summary import (
    Binding,
    Expr,
    Scope,
    inner_name,
    label_of,
    last_name,
    written_name,
)

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_ASYNC = re.compile(r"\)\s*(?:async|reasync)\b")
Arguments = tuple[Expr | None, ...]
Given = tuple[Entity | None, Expr | None]  # what an argument is, and how it is written
_HOPS = 4  # variables between an argument and the type of its value
_DEFAULT = 5  # C++: for each default value that another declaration would have to give
_END = 1 << 60


def chosen(
    resolver: Resolver, path: str, scope: int, found: Found, arguments: Arguments, at: int, types: int = 0,
    receiver: Entity | None = None,
) -> list[Found]:  # fmt: skip
    """Return the functions that a call with these arguments and so many type arguments may mean, most likely first: one, or
    several equally good ones. `found` is the function its name resolved to; it is returned if nothing matches. `receiver` is
    what an extension method is called on."""
    if found.binding is None or found.binding.kind != "def" or not resolver.language(found.path).overloads:
        return [found]
    levels = all_levels(resolver, found)
    lent = is_lent(resolver, found)
    if lent and resolver.language(path).partial:
        opened = [f for f in levels[0] if extension_methods.is_open(resolver, path, f.path, f.scope)]
        levels = (opened or levels[0],)
    if resolver.language(path).imported_extensions and not _membertakes(resolver, found, levels, arguments):
        levels = _with_extensions(resolver, path, found, levels)
    if sum(map(len, levels)) < 2:
        return [found]
    if resolver.language(path).partial:
        levels = arities.with_type_parameters(resolver, levels, types)
    given = [(_type_of(resolver, path, scope, a, at), a) for a in arguments]
    if lent:  # what it is called on is what its first parameter gets
        arguments, given = (None, *arguments), [(receiver, None), *given]
    if resolver.language(path).partial:
        given = _with_hints(resolver, path, scope, at, levels, given)
    best, likest, nearest = -1 << 30, [found], 0
    for number, level in enumerate(levels):
        for one in level:
            missing = max(0, scope_of(resolver, one).required - len(arguments)) if resolver.language(path).using else 0
            labels = resolver.language(path).labels
            if not (fits_labels if labels else takes)(scope_of(resolver, one), arguments, missing):
                continue
            missing = len(scope_of(resolver, one).parameters) - len(arguments) if labels else missing
            score = (
                sum(suitability.suits(resolver, e, w) for e, w in _pairs(resolver, one, given))
                - scope_of(resolver, one).rest
            )
            score -= missing * _DEFAULT
            if resolver.language(path).partial and not delegates.take_functions(
                resolver, path, scope_of(resolver, one), arguments
            ):
                score += suitability.WRONG
            how, sure = ("inherited", 0.93) if number else (found.how, found.sure)  # what is remembered has another's
            one = one._replace(how=how, sure=min(sure, found.sure))
            if score > best:
                best, likest, nearest = score, [one], number
            elif score == best and number == nearest:
                likest.append(one)
    if len(likest) > 1 and resolver.language(path).labels:
        likest = _current(resolver, path, scope, likest)
    if len(likest) > 1 and (resolver.language(path).partial or resolver.language(path).labels):
        optional = [_heads(resolver, one).count("?") for one in likest]
        likest = [one for one, count in zip(likest, optional, strict=True) if count == min(optional)]
        likest = _least_generic(resolver, likest)
    if len(likest) > 1 and resolver.language(path).using:
        likest = _nearest(path, likest)
    if len(likest) == 1:
        return likest
    return [f.via("overload", max(0.3, 1 / len(likest))) for f in likest]


def _with_hints(
    resolver: Resolver, path: str, scope: int, at: int, levels: Sequence[list[Found]], given: list[Given]
) -> list[Given]:
    """C#: return the arguments with a likely type for those from a static member of an outside type: `TimeSpan.Zero` and
    `TimeSpan.FromDays(1)` are TimeSpans, where an overload takes one."""
    out: list[Given] = []
    for place, (entity, expr) in enumerate(given):
        name = _static_owner(resolver, path, scope, expr, at) if entity is None else ""
        types = (types_of(resolver, one) for level in levels for one in level) if name else ()
        fits = any(place < len(wanted) and suitability.type_name(wanted[place]) == name.lower() for wanted in types)
        out.append((Instance(External(name)) if fits else entity, expr))
    return out


def _static_owner(resolver: Resolver, path: str, scope: int, expr: Expr | None, at: int) -> str:
    """Return the name of the outside type that an expression names a static member of, or calls one; otherwise ""."""
    if expr and expr[0] == "call":
        expr = expr[1]
    owner = expr[1] if expr and expr[0] == "attr" else None
    if not owner or owner[0] != "name" or not owner[1][:1].isupper() or owner[1] in resolver.program.types:
        return ""
    return "" if resolver.resolve(path, scope, owner, at) is not None else str(owner[1])


def _with_extensions(
    resolver: Resolver, path: str, found: Found, levels: tuple[list[Found], ...]
) -> tuple[list[Found], ...]:
    """Return the overloads of a function with the extension functions of its name that a file sees and that extend the
    same type or one of its bases; without those that it does not see."""
    around = resolver.program.scope(found.path, found.scope)
    if found.binding is None or around.kind not in ("class", "extension") or not levels:
        return levels
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    if (resolver.language(found.path).family, name) not in resolver.program.extension_functions:
        return levels
    mark = ("extensions of", path, found.path, found.scope, name)
    more = resolver.settled(mark, _beside, resolver, path, found, name) or []
    if around.kind == "extension" and more and not visible.is_seen(resolver, path, found.path, found.scope, name):
        return (more,)
    return ([*levels[0], *more], *levels[1:])


def _beside(resolver: Resolver, path: str, found: Found, name: str) -> list[Found]:
    program, around = resolver.program, resolver.program.scope(found.path, found.scope)
    types = {last_name(around.target)}
    if around.kind == "class":
        owner = Def(found.path, around.symbol, found.scope)
        types = {program.facts[d.path].symbols[d.symbol].name for d in (owner, *members.ancestors(resolver, owner))}
    more: list[Found] = []
    for place, index in program.extension_functions.get((resolver.language(found.path).family, name), ()):
        scope = program.scope(place, index)
        other = last_name(scope.target) in types and (place, index) != (found.path, found.scope)
        if other and visible.is_seen(resolver, path, place, index, name):
            more += [Found(place, index, b, how="type", sure=0.95) for b in scope.names[name] if b.kind == "def"]
    return more


def _membertakes(resolver: Resolver, found: Found, levels: Sequence[list[Found]], arguments: Arguments) -> bool:
    """Return whether a method of a class takes these arguments: it is preferred to extension functions."""
    if resolver.program.scope(found.path, found.scope).kind != "class":
        return False
    return any(takes(scope_of(resolver, one), arguments) for level in levels for one in level)


def _nearest(path: str, several: list[Found]) -> list[Found]:
    """C++: return those of the file of the call, or of its folder: other platforms define the same functions elsewhere."""
    folder = path.rpartition("/")[0]
    here = [one for one in several if one.path == path]
    return here or [one for one in several if one.path.rpartition("/")[0] == folder] or several


def _current(resolver: Resolver, path: str, scope: int, several: list[Found]) -> list[Found]:
    """Swift: return those that are not deprecated; of these the asynchronous ones within an asynchronous function, otherwise
    the others; of these those with the most folders in common with the call: a module does not see what other ones add to
    a type for themselves."""
    caller = resolver.program.facts[path].symbols[resolver.program.scope(path, scope).symbol]
    awaits = _ASYNC.search(caller.signature) is not None
    heads = {
        one: resolver.program.facts[one.path].symbols[one.binding.symbol].signature for one in several if one.binding
    }
    left = [one for one in several if "deprecated" not in heads[one]] or several
    left = [one for one in left if (_ASYNC.search(heads[one]) is not None) is awaits] or left
    common = [len(posixpath.commonprefix([path.split("/")[:-1], one.path.split("/")[:-1]])) for one in left]
    return [one for one, count in zip(left, common, strict=True) if count == max(common)]


def _least_generic(resolver: Resolver, several: list[Found]) -> list[Found]:
    """C#, Swift: return of functions whose parameters have the same types those with the fewest type parameters."""
    first, *others = (types_of(resolver, one) for one in several)
    if any(len(own) != len(first) or not all(map(suitability.are_equal, own, first)) for own in others):
        return several
    counts = [arities.type_parameters(resolver, one) for one in several]
    return [one for one, count in zip(several, counts, strict=True) if count == min(counts)]


def _heads(resolver: Resolver, function: Found) -> str:
    """C#, Swift: return the parameters of a function as written; `int?` suits less than `int`."""
    assert function.binding is not None
    head = resolver.program.facts[function.path].symbols[function.binding.symbol].signature
    return head.partition("(")[2].partition(" -> ")[0]


def is_lent(resolver: Resolver, found: Found) -> bool:
    """Return whether it was found as a member of another type than the one that contains it, as C# extension methods are."""
    if resolver.program.scope(found.path, found.scope).kind != "extension":
        return False
    function = scope_of(resolver, found)
    return function.parent != found.scope and function.target is None


def overridden(resolver: Resolver, method: Found, above: Found) -> Found | None:
    """Return the function with the name of `above` whose parameters equal those of `method`."""
    if not resolver.language(above.path).overloads:
        return above
    wanted = types_of(resolver, method)
    alike = [f for f in _siblings(resolver, above) if len(types_of(resolver, f)) == len(wanted)]
    if len(alike) < 2:
        return alike[0] if alike else None
    return max(alike, key=lambda f: sum(map(suitability.are_equal, types_of(resolver, f), wanted)))


def parameter_types(resolver: Resolver, found: Found, count: int) -> Iterator[tuple[Found, dict[str, Entity | None]]]:
    """Yield the overloads of a function that take so many arguments, each with the types of what a caller writes, by name."""
    lent = is_lent(resolver, found)
    for one in (one for level in all_levels(resolver, found) for one in level):
        function = scope_of(resolver, one)
        if function.required - lent <= count and (function.rest or count <= len(function.parameters) - lent):
            types = dict(zip(function.parameters, types_of(resolver, one), strict=False))
            yield one, dict(list(types.items())[lent:])


def all_levels(resolver: Resolver, found: Found) -> tuple[list[Found], ...]:
    """Return the overloads of a function: those of its scope, then inherited ones, nearest first, without overridden ones."""
    return resolver.settled(("overloads", found.path, found.scope, found.binding), _levels, resolver, found) or ()


def _levels(resolver: Resolver, found: Found) -> tuple[list[Found], ...]:
    """Return functions with the same name in the same scope, then those inherited from bases, nearest first, without
    overridden ones."""
    levels = [_siblings(resolver, found)]
    scope = resolver.program.scope(found.path, found.scope)
    owner = owner_of(resolver, found) if scope.kind == "class" or resolver.language(found.path).labels else None
    if owner is not None and found.binding is not None:
        name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
        for base in members.ancestors(resolver, owner):
            above = members.own(resolver, base, name, True)
            if above is not None and above.binding is not None and above.binding.kind == "def":
                nearer = [f for level in levels for f in level]
                levels.append([f for f in _siblings(resolver, above) if not _is_overridden(resolver, f, nearer)])
    return tuple(levels)


def _is_overridden(resolver: Resolver, above: Found, nearer: list[Found]) -> bool:
    types = types_of(resolver, above)
    return any(
        len(own) == len(types) and all(map(suitability.are_equal, own, types))
        for own in (types_of(resolver, f) for f in nearer)
    )


def _siblings(resolver: Resolver, found: Found) -> list[Found]:
    """Return the functions of the same name in the same scope."""
    symbols = resolver.program.facts[found.path].symbols
    assert found.binding is not None
    if resolver.language(found.path).using or resolver.language(found.path).labels:
        return _defined_anywhere(resolver, found) or [found]
    if resolver.language(found.path).partial and is_lent(resolver, found):
        return _lent_alike(resolver, found)
    name, places = symbols[found.binding.symbol].name, [(found.path, found.scope)]
    owner = owner_of(resolver, found) if resolver.language(found.path).partial else None
    if owner is not None:
        places += members.other_parts(resolver, owner)
    return [
        found._replace(path=path, scope=index, binding=b)
        for path, index in places
        for b in resolver.program.scope(path, index).names.get(name, ())
        if _is_overload(resolver, path, b) and not _runs_once(resolver, found, path, b)
    ] or [found]


def _is_overload(resolver: Resolver, path: str, binding: Binding) -> bool:
    if binding.kind != "def" or binding.scope < 0:
        return False
    return resolver.program.facts[path].symbols[binding.symbol].kind in ("function", "method")


def _lent_alike(resolver: Resolver, found: Found) -> list[Found]:
    """C#: return the extension methods of the same name of the same type, of all static classes."""
    program, family = resolver.program, resolver.language(found.path).family
    assert found.binding is not None
    name = program.facts[found.path].symbols[found.binding.symbol].name
    target = program.scope(found.path, found.scope).target
    type_ = last_name(target[1] if target and target[0] == "gen" else target)
    return [
        found._replace(path=path, scope=index, binding=binding)
        for path, index in program.extensions.get((family, type_), ())
        if program.scope(path, index).target == target
        for binding in program.scope(path, index).names.get(name, ())
        if binding.kind == "def" and binding.scope >= 0
    ] or [found]


def _runs_once(resolver: Resolver, found: Found, path: str, binding: Binding) -> bool:
    """C#: return whether a method is the static constructor of its class."""
    symbol = resolver.program.facts[path].symbols[binding.symbol]
    if not resolver.language(found.path).partial or not symbol.signature.startswith("static "):
        return False
    owner = resolver.program.facts[found.path].symbols[resolver.program.scope(found.path, found.scope).symbol]
    return owner.name == symbol.name


def _defined_anywhere(resolver: Resolver, found: Found) -> list[Found]:
    """C++, Swift: return the functions with the name of `found` in its scope; of a class also those that are defined outside
    of it. One that is only declared counts if no other one takes as many parameters."""
    assert found.binding is not None
    name = resolver.program.facts[found.path].symbols[found.binding.symbol].name
    owner, places = owner_of(resolver, found), [(found.path, found.scope)]
    if owner is not None and owner.scope >= 0:
        places = [(owner.path, owner.scope), *members.extensions(resolver, owner)]
    out: list[Found] = []
    declared: list[Found] = []
    for path, index in places:
        for binding in resolver.program.scope(path, index).names.get(name, ()):
            symbol = resolver.program.facts[path].symbols[binding.symbol] if binding.symbol >= 0 else None
            if symbol is None or binding.scope < 0 or symbol.kind not in ("function", "method"):
                continue
            if not symbol.signature.endswith("= delete;"):
                one = found._replace(path=path, scope=index, binding=binding)
                (declared if "declared" in symbol.decorators else out).append(one)
    counts = {len(scope_of(resolver, one).parameters) for one in out}
    return out + [one for one in declared if len(scope_of(resolver, one).parameters) not in counts]


def owner_of(resolver: Resolver, found: Found) -> Def | None:
    """Return the class that a function is a member of, also if it is defined outside of it."""
    scope = resolver.program.scope(found.path, found.scope)
    if scope.kind == "class":
        return Def(found.path, scope.symbol, found.scope)
    extended = resolver.extended(found.path, found.scope) if scope.kind == "extension" else None
    return extended.of if isinstance(extended, Instance) and isinstance(extended.of, Def) else None


def scope_of(resolver: Resolver, found: Found) -> Scope:
    """Return the scope of a function."""
    assert found.binding is not None
    return resolver.program.scope(found.path, found.binding.scope)


def takes(function: Scope, arguments: Arguments, missing: int = 0) -> bool:
    """Return whether a function takes these arguments, with default values for `missing` ones."""
    named = {a[1] for a in arguments if a and a[0] == "named"}
    enough = len(arguments) + missing >= function.required and (
        function.rest or len(arguments) <= len(function.parameters)
    )
    return enough and named <= set(function.parameters)


def fits_labels(function: Scope, arguments: Arguments, missing: int = 0) -> bool:
    """Swift: return whether a function takes arguments with these labels, in order; a function behind has none."""
    place, given = 0, 0
    for label in map(label_of, function.parameters):
        if place < len(arguments):
            argument = arguments[place]
            own = argument[1] if argument and argument[0] == "named" else "_"
            behind = own == "_" and argument is not None and argument[0] == "fn"
            if label == own or behind:
                place, given = place + 1, given + 1
    return place == len(arguments) and given >= function.required


def _pairs(resolver: Resolver, function: Found, given: list[Given]) -> Iterator[tuple[Entity | None, Entity | None]]:
    """Yield arguments paired with parameters."""
    scope, types = scope_of(resolver, function), types_of(resolver, function)
    last = rest = len(types) - 1  # the parameter that takes any number of arguments
    kotlin = resolver.language(function.path).imported_extensions
    if kotlin and scope.rest:
        rest = max((i for i, type_ in enumerate(types) if isinstance(type_, Listed)), default=last)
    for place, (entity, expr) in enumerate(given):
        if expr and expr[0] == "named":
            place = next(i for i, p in enumerate(scope.parameters) if expr[1] in (p, label_of(p)))
        elif kotlin and expr and expr[0] == "fn" and place == len(given) - 1:
            place = last  # it may stand behind the parentheses
        elif scope.rest:
            place = min(place, rest)
        wanted = types[min(place, last)] if types else None
        if scope.rest and place >= rest and isinstance(wanted, Listed) and not isinstance(entity, Listed):
            wanted = wanted.element
        yield entity, wanted


def types_of(resolver: Resolver, function: Found) -> tuple[Entity | None, ...]:
    """Return the parameter types of a function."""
    assert function.binding is not None
    mark = ("parameters", function.path, function.binding.scope)
    return resolver.settled(mark, _written, resolver, function) or ()


def _written(resolver: Resolver, function: Found) -> tuple[Entity | None, ...]:
    assert function.binding is not None
    scope, index = scope_of(resolver, function), function.binding.scope
    own = map(inner_name, scope.parameters)
    types = [next((b.type for b in scope.names.get(name, ()) if b.kind == "param"), None) for name in own]
    return tuple(resolver.instance(function.path, index, t, _END) or _by_name(t) for t in types)


def _by_name(type_: Expr | None) -> Instance | None:
    """Return an instance of a type of the outside world of which only the name is known."""
    name = written_name(type_)
    return Instance(External(name)) if name else None


def _type_of(resolver: Resolver, path: str, scope: int, argument: Expr | None, at: int) -> Entity | None:
    """Return what an argument is, as far as an overload can be told by it."""
    known = resolver.value(path, scope, argument, at)
    if isinstance(known, Def) and resolver.language(path).types_apart:  # Kotlin, Scala: an object, by its name
        kind = resolver.program.facts[known.path].symbols[known.symbol].kind
        return known if kind in ("function", "method") else Instance(known)
    if isinstance(known, External):  # `int.MaxValue` is an int
        start, _, rest = known.name.partition(".")
        type_ = rest.partition(".")[0]
        return Instance(External(f"{start}.{type_}")) if start == "<builtin>" and type_ in suitability.PLAIN else known
    return known or _declared(resolver, path, scope, argument, at)


def _declared(
    resolver: Resolver, path: str, scope: int, argument: Expr | None, at: int, depth: int = 0
) -> Instance | None:
    """Return the type that an argument is said to have, if that is one of the outside world."""
    tag = argument[0] if argument else ""
    if argument is None or depth > _HOPS:
        return None
    if tag == "named":
        return _declared(resolver, path, scope, argument[2], at, depth + 1)
    if tag in ("new", "cast"):
        return _by_name(argument[1])
    found = resolver.resolve(path, scope, argument, at) if tag in ("name", "attr") else None
    binding = found.binding if found is not None else None
    if found is None or binding is None:
        return None
    if binding.type is None:  # `let x = x` means another one
        return (
            _declared(resolver, found.path, found.scope, binding.value, binding.at - 1, depth + 1)
            if tag == "name"
            else None
        )
    return _by_name(binding.type)
