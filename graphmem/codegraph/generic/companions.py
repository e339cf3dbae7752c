"""Scala and Kotlin: a class and an object or function may share a name, and a type parameter may share it with a value.
Which is meant depends on where the name is written: as a type or as a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Found
from graphmem.codegraph.generic.summary import Binding

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver
    from graphmem.model.code import Symbol

_TYPES = frozenset({"class", "interface", "trait", "enum", "type"})
_NOT_MADE = re.compile(r"\b(?:abstract|sealed|annotation) |\b(?:internal|private|protected) constructor\b")
_OBJECT = re.compile(r"(?:^|\s)object\s")
_BARE = re.compile(r"\bdef [^\s(\[:=]+ ?(?:\[[^()=]*\])? ?(?::|=|$)")


def is_bare(symbol: Symbol) -> bool:
    """Return whether it is a method without a list of parameters, which is called by its name alone."""
    return symbol.kind in ("function", "method") and _BARE.search(symbol.signature) is not None


def apart(resolver: Resolver, path: str, bindings: tuple[Binding, ...], type_: bool) -> tuple[Binding, ...]:
    """Return the bindings of a name that a type, or a value, may mean."""
    symbols = resolver.program.facts[path].symbols
    if not type_:
        return (
            tuple(b for b in bindings if b.kind != "typevar")
            if any(b.kind == "typevar" for b in bindings)
            else bindings
        )
    return tuple(
        b for b in bindings if b.kind in ("typevar", "import") or (b.symbol >= 0 and symbols[b.symbol].kind in _TYPES)
    )


def is_type(resolver: Resolver, found: Found) -> bool:
    """Return whether a name that was found can stand where a type is written."""
    binding = found.binding
    if binding is None or binding.kind in ("typevar", "import"):
        return True
    return binding.symbol >= 0 and resolver.program.facts[found.path].symbols[binding.symbol].kind in _TYPES


def meant(resolver: Resolver, found: Found | None, type_: bool) -> Found | None:
    """Return of a class and its companion object, or the function named like it, the one that is meant."""
    binding = found.binding if found is not None else None
    if found is None or binding is None or binding.symbol < 0:
        return found
    symbols = resolver.program.facts[found.path].symbols
    symbol, language = symbols[binding.symbol], resolver.language(found.path)
    if type_ is _is_class(symbol) or (not type_ and not language.companions and _is_constructed(symbol)):
        return found
    for other in resolver.program.scope(found.path, found.scope).names.get(symbol.name, ()):
        if other.symbol >= 0 and type_ is _is_class(symbols[other.symbol]):
            return found._replace(binding=other)
    return found if language.companions else _elsewhere(resolver, found, symbol, type_) or found


def _elsewhere(resolver: Resolver, found: Found, symbol: Symbol, type_: bool) -> Found | None:
    """Kotlin: return the function for an interface of its name, or the reverse, from another file of the package."""
    if resolver.program.scope(found.path, found.scope).kind != "module":
        return None
    package = (resolver.language(found.path).family, resolver.program.facts[found.path].package)
    for path, index in resolver.program.by_namespace.get(package, ()):
        for other in resolver.program.scope(path, index).names.get(symbol.name, ()):
            if other.symbol >= 0 and type_ is _is_class(resolver.program.facts[path].symbols[other.symbol]):
                return found._replace(path=path, scope=index, binding=other)
    return None


def applied(resolver: Resolver, owner: Def) -> Found | None:
    """Return what `Name(...)` runs: the `apply` of an object; otherwise the class of which it is the companion."""
    symbol = resolver.program.facts[owner.path].symbols[owner.symbol]
    if owner.scope < 0 or not _is_object(symbol):
        return None
    symbols, parent = resolver.program.facts[owner.path].symbols, resolver.program.scope(owner.path, owner.scope).parent
    beside = resolver.program.scope(owner.path, parent).names.get(symbol.name, ())
    class_ = next((b for b in beside if b.symbol >= 0 and _is_class(symbols[b.symbol])), None)
    found = resolver.member(owner, "apply", called=True)
    of_instance = found is not None and class_ is not None and (found.path, found.scope) == (owner.path, class_.scope)
    if found is not None and found.binding is not None and found.binding.kind == "def" and not of_instance:
        return found
    return Found(entity=Def(owner.path, class_.symbol, class_.scope)) if class_ is not None else None


def made(resolver: Resolver, owner: Def) -> Def:
    """Return the function or class whose result `Name(...)` is."""
    found = applied(resolver, owner)
    if found is None:
        return owner
    if isinstance(found.entity, Def):
        return found.entity
    binding = found.binding
    return Def(found.path, binding.symbol, binding.scope) if binding is not None else owner


def _is_constructed(symbol: Symbol) -> bool:
    """Return whether a call of its name can make an instance."""
    return symbol.kind == "class" and _NOT_MADE.search(symbol.signature) is None


def _is_class(symbol: Symbol) -> bool:
    return symbol.kind in _TYPES and not _is_object(symbol)


def _is_object(symbol: Symbol) -> bool:
    return _OBJECT.search(f" {symbol.signature.partition('{')[0].partition('(')[0]}") is not None
