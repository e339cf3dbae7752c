"""Ruby: members that a module gets from the modules it includes or extends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Def, Found
from graphmem.codegraph.generic.summary import names_in

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

_END = 1 << 60


def member(resolver: Resolver, family: str, dotted: str, name: str) -> Found | None:
    """Return a member that a module mixes in, in any of the files that add to it."""
    for path, index in resolver.settled(("mixes", family, dotted), _mixing, resolver, family, dotted) or ():
        scope = resolver.program.scope(path, index)
        for _, expr in scope.bases:
            inside = next(names_in(expr), "") in scope.names  # `extend Builders`, which the module itself defines
            base = resolver.value(path, index if inside else scope.parent, expr, _END)
            found = resolver.member(base, name) if isinstance(base, Def) else None
            if found is not None and found.entity is None:
                return found.via("inherited", 0.93)
    return None


def _mixing(resolver: Resolver, family: str, dotted: str) -> list[tuple[str, int]]:
    """Return the scopes of a module that mix something in."""
    places = resolver.program.by_namespace.get((family, dotted), ())
    return [(path, index) for path, index in places if resolver.program.scope(path, index).bases]
