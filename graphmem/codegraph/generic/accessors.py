"""Getters and setters: reading a member with a getter calls it, and assigning to one with a setter calls that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmem.codegraph.generic import descriptors
from graphmem.codegraph.generic.descriptors import found_accessors, inherited_setter
from graphmem.codegraph.generic.summary import Reference
from graphmem.codegraph.generic.value_sets import value_sets

if TYPE_CHECKING:
    from graphmem.codegraph.generic.linking import Links

_FLOW = 0.8  # confidence of one that a function of the language gave to an object
_READ = ("get",)
_WRITTEN = {"write": ("set",), "update": ("get", "set")}  # what runs, by the kind of the reference: `x = 1`, `x += 1`


def calls(out: Links, path: str, r: Reference, source: str) -> None:
    """Record calls of the getters and setters in an expression. For an assignment target, all but the last name is read."""
    resolver, expr = out.resolver, r.expr
    if r.kind != "store" and not descriptors.NAMES.isdisjoint(resolver.program.summaries[path].mentions):
        sets = value_sets(resolver, path)
        for each in sets.accessors(r) if sets is not None else ():
            symbol = resolver.program.facts[each.path].symbols[each.symbol]
            out.edge("CALLS", source, symbol.key, r.line, "flow", _FLOW)
    if not resolver.program.accessors:
        return
    roles = _WRITTEN.get(r.kind, _READ)
    while expr and expr[0] in ("attr", "call", "index", "new"):
        if expr[0] == "attr" and expr[2] in resolver.program.accessors:
            found = resolver.resolve(path, r.scope, expr, r.at)
            if roles == ("set",) and not found_accessors(resolver, found, roles):
                found = inherited_setter(resolver, path, r, expr) or found
            for symbol in found_accessors(resolver, found, roles):
                if found is not None and symbol.key != source:
                    out.edge("CALLS", source, symbol.key, r.line, found.how, found.sure)
        roles, expr = _READ, expr[1]
