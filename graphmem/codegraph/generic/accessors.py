"""Getters and setters: reading a member with a getter calls it, and assigning to one with a setter calls that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic.entities import Found
from graphmem.codegraph.generic.program import accessor
from graphmem.codegraph.generic.summary import Reference
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from graphmem.codegraph.generic.linking import Links
    from graphmem.codegraph.generic.resolver import Resolver

_READ = ("get",)
_WRITTEN = {"write": ("set",), "update": ("get", "set")}  # what runs, by the kind of the reference: `x = 1`, `x += 1`


def calls(out: Links, path: str, r: Reference, source: str) -> None:
    """Record calls of the getters and setters in an expression. For an assignment target, all but the last name is read."""
    resolver, expr = out.resolver, r.expr
    roles = _WRITTEN.get(r.kind, _READ)
    while expr and expr[0] in ("attr", "call", "index", "new"):
        if expr[0] == "attr" and expr[2] in resolver.program.accessors:
            found = resolver.resolve(path, r.scope, expr, r.at)
            for symbol in _found(resolver, found, roles):
                if found is not None and symbol.key != source:
                    out.edge("CALLS", source, symbol.key, r.line, found.how, found.sure)
        roles, expr = _READ, expr[1]


def _found(resolver: Resolver, found: Found | None, roles: tuple[str, ...]) -> list[Symbol]:
    """Return the accessors with these roles of a found member: getter and setter are in one scope."""
    if found is None or found.binding is None or found.binding.symbol < 0:
        return []
    symbols = resolver.program.facts[found.path].symbols
    name = symbols[found.binding.symbol].name
    beside = resolver.program.scope(found.path, found.scope).names.get(name, ())
    return [symbols[b.symbol] for b in beside if b.symbol >= 0 and accessor(symbols[b.symbol]) in roles]
