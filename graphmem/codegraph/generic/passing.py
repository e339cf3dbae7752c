"""Functions that one file passes to functions of another: `each(run)`, where `each` is imported. What a file passes is part of its
interface, under the name of the function that takes it, so that an edit finds the files whose parameters it fills. Only functions
that a call names or writes out, and parameters that are handed on, are followed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def
from graphmem.codegraph.generic.summary import Binding, Expr, Reference, last_name, names_in
from graphmem.codegraph.tests_of import is_outside_sources

if TYPE_CHECKING:
    from graphmem.codegraph.generic.reader import Reader
    from graphmem.codegraph.generic.resolver import Resolver

_MARK = "@"  # before the name of a function: what is passed to it
_MOST = 24  # functions that are passed for one parameter; of more nothing is known
_FUNCTIONS = frozenset({"function", "method"})
_WHOLE = ("", "*", "default")  # a module, or what it exports without a name


def passed_on(reader: Reader) -> dict[str, set[str]]:
    """Return what a file passes to functions of other files, as entries of its interface."""
    out: dict[str, set[str]] = {}
    said: dict[str, list[object]] = {}
    for kind, scope, expr, *_ in reader.references:
        if kind != "call" or expr[0] != "call" or not any(a and a[0] in ("fn", "name") for a in expr[2]):
            continue
        target, about = _target(reader, scope, expr[1])
        if not target:
            continue
        mark = _MARK + target
        out.setdefault(mark, set()).update(about)
        for place, argument in enumerate(expr[2]):
            if argument and argument[0] in ("fn", "name"):
                said.setdefault(mark, []).append((place, _describe(reader, scope, argument, out[mark])))
    for mark, all_of_it in said.items():
        out[mark].add(f"={zlib.crc32(repr((reader.path, all_of_it)).encode()):x}")
    return out


def taken(reader: Reader) -> set[str]:
    """Return the names under which other files pass something to functions of a file."""
    names: set[str] = set()
    for scope in reader.scopes:
        if scope.kind == "function" and scope.parameters and reader.symbols[scope.symbol].exported:
            names.add(reader.symbols[scope.symbol].name)
    if not names:
        return names
    for name, value in reader.exports.items():
        if last_name(value) in names:
            names.add(name)
    for imported in reader.imports:  # `export { each as all }`
        if imported.exported and imported.name in names:
            names.add(imported.local)
    path = reader.path.rpartition(".")[0].split("/")
    return {_MARK + name for name in (*names, *(f"#{part.partition('.')[0]}" for part in path[-2:]))}


def _target(reader: Reader, scope: int, callee: Expr | None) -> tuple[str, set[str]]:
    """Return the name of an imported function, or "", and the names that it depends on."""
    member = ""
    if callee and callee[0] == "attr":
        member, callee = callee[2], callee[1]
    binding = _bound(reader, scope, callee[1]) if callee and callee[0] == "name" else None
    if binding is None or callee is None:
        return "", set()
    about = {callee[1]}
    if binding.kind == "import":
        item = reader.imports[binding.scope]
        about |= {item.name, "#" + _stem(item.source)}
        name = "#" + _stem(item.source) if item.name in _WHOLE else item.name
        return (member if member and member != "default" else name), about
    value = binding.value
    inner = value[2] if value and value[0] == "attr" else ""
    source = required(value[1] if inner and value else value)
    if source is None:
        return "", set()
    about |= {inner, "#" + _stem(source)}
    return member or inner or "#" + _stem(source), about


def required(value: Expr | None) -> str | None:
    """Return the module that `require("./x")` loads."""
    if not value or value[0] != "call" or value[1] != ("name", "require") or not value[2]:
        return None
    given = value[2][0]
    return str(given[1]) if given and given[0] == "str" else None


def _describe(reader: Reader, scope: int, argument: Expr, about: set[str]) -> object:
    """Return what an argument is, as far as another file may depend on it."""
    if argument[0] == "fn":
        inner = reader.scope_at.get(argument[1])
        return reader.symbols[reader.scopes[inner].symbol].key if inner is not None else None
    about.add(argument[1])
    binding = _bound(reader, scope, argument[1])
    if binding is None:
        return argument[1]
    if binding.kind == "param":
        about.add(_MARK + reader.symbols[reader.scopes[_function(reader, scope)].symbol].name)
    about.update(names_in(binding.value))
    key = reader.symbols[binding.symbol].key if binding.symbol >= 0 else ""
    return argument[1], binding.kind, key, tuple(names_in(binding.value))


def _bound(reader: Reader, scope: int, name: str) -> Binding | None:
    while scope >= 0:
        bindings = reader.scopes[scope].names.get(name)
        if bindings and reader.scopes[scope].kind not in ("class", "object", "extension"):
            return bindings[0]
        scope = reader.scopes[scope].parent
    return None


def _function(reader: Reader, scope: int) -> int:
    while scope > 0 and reader.scopes[scope].kind != "function":
        scope = reader.scopes[scope].parent
    return scope


def given(resolver: Resolver, path: str, scope: int, name: str) -> tuple[Def, ...]:
    """Return the functions that other files pass for a parameter; from tests and examples only to such."""
    function = resolver.program.scope(path, scope)
    symbol = resolver.program.facts[path].symbols[function.symbol]
    if not symbol.exported or name not in function.parameters:
        return ()
    mark = ("given", path, scope, name)
    place = function.parameters.index(name)
    return resolver.once(mark, _given, resolver, Def(path, function.symbol, scope), place) or ()


def _given(resolver: Resolver, function: Def, place: int) -> tuple[Def, ...]:
    out: dict[Def, None] = {}
    facts = resolver.program.facts

    def is_outside(path: str) -> bool:
        return is_outside_sources(path, facts[path].language)

    for path, r in _calls_of(resolver, function):
        if is_outside(path) and not is_outside(function.path):
            continue
        arguments = r.expr[2]
        argument = arguments[place] if place < len(arguments) else None
        if any(a and a[0] == "spread" for a in arguments[:place]) or not argument or argument[0] not in ("fn", "name"):
            continue
        for each in _values(resolver, path, r, argument):
            out[each] = None
    return tuple(out) if len(out) <= _MOST else ()


def _values(resolver: Resolver, path: str, r: Reference, argument: Expr) -> Iterator[Def]:
    found = resolver.resolve(path, r.scope, argument, r.at)
    if found is not None and found.binding is not None and found.binding.kind == "param" and found.path == path:
        yield from given(resolver, path, found.scope, argument[1])
        return
    value = resolver.entity(found) if found is not None else None
    if isinstance(value, Def) and resolver.program.facts[value.path].symbols[value.symbol].kind in _FUNCTIONS:
        yield value


def _calls_of(resolver: Resolver, function: Def) -> Iterator[tuple[str, Reference]]:
    """Yield the calls of a function in other files that give it functions."""
    passing = resolver.once(("passing",), _passing, resolver) or {}
    marks = (name for name in resolver.program.summaries[function.path].mentions if name[:1] == _MARK)
    for path in sorted({path for mark in marks for path in passing.get(mark, ())} - {function.path}):
        calls = resolver.once(("passes", path), _passes, resolver, path) or {}
        yield from ((path, r) for r in calls.get((function.path, function.scope), ()))


def _passing(resolver: Resolver) -> dict[str, list[str]]:
    """Return the files that pass something to functions of that name in other files."""
    out: dict[str, list[str]] = {}
    for path, summary in resolver.program.summaries.items():
        for name in summary.interface:
            if name[:1] == _MARK:
                out.setdefault(name, []).append(path)
    return out


def _passes(resolver: Resolver, path: str) -> dict[tuple[str, int], list[Reference]]:
    """Return the calls of functions of other files that give them functions, by what they call."""
    out: dict[tuple[str, int], list[Reference]] = {}
    for r in resolver.program.summaries[path].references:
        if r.kind != "call" or r.expr[0] != "call" or not any(a and a[0] in ("fn", "name") for a in r.expr[2]):
            continue
        callee = r.expr[1]
        if callee and _is_imported(resolver, path, r, callee):
            entity = resolver.value(path, r.scope, callee, r.at)
            if isinstance(entity, Def) and entity.path != path and entity.scope >= 0:
                out.setdefault((entity.path, entity.scope), []).append(r)
    return out


def _is_imported(resolver: Resolver, path: str, r: Reference, callee: Expr) -> bool:
    """Return whether a callee begins with a name that the file imports."""
    root = callee[1] if callee[0] == "attr" else callee
    if not root or root[0] != "name":
        return False
    scopes, scope = resolver.program.summaries[path].scopes, r.scope
    while scope >= 0:
        bindings = scopes[scope].names.get(root[1])
        if bindings and scopes[scope].kind not in ("class", "object", "extension"):
            value = bindings[0].value
            inner = value[1] if value and value[0] == "attr" else value
            return bindings[0].kind == "import" or required(inner) is not None
        scope = scopes[scope].parent
    return False


def _stem(source: str) -> str:
    return source.rstrip("/").rpartition("/")[2].partition(".")[0]
