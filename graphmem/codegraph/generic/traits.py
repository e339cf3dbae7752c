"""Rust: the trait that a method means where the receiver is unknown or from outside: its name is that of one trait alone, and the
file sees that trait. A trait that a file does not see cannot be what it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names
from graphmem.codegraph.generic.entities import Def, Found

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_SURE = 0.75
_END = 1 << 60


def by_method(resolver: Resolver, path: str, scope: int, name: str) -> Found | None:
    """Return the method that the one trait with this method declares, if the file sees the trait."""
    language = resolver.language(path)
    if not language.root_module or name in language.common_members:
        return None
    trait = resolver.program.trait_methods.get(name)
    if trait is None:
        return None
    symbol = resolver.program.facts[trait.path].symbols[trait.symbol]
    if not resolver.settled(("sees trait", path, scope, trait), _sees, resolver, path, scope, symbol.name, trait):
        return None
    bindings = resolver.program.scope(trait.path, trait.scope).names[name]
    return Found(trait.path, trait.scope, bindings[-1], how="trait", sure=_SURE)


def _sees(resolver: Resolver, path: str, scope: int, name: str, trait: Def) -> bool | None:
    found = names.lookup(resolver, path, scope, name, _END)
    return (found is not None and resolver.entity(found) == trait) or None
