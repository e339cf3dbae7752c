"""Getters and setters of JavaScript that are not where a member is found: of a prototype, or given by a function of the language:
`Object.defineProperty(o, "x", { get() {} })`, `Object.create(p, { x: { set(v) {} } })`, `o.__defineGetter__("x", f)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import library, members, objects
from graphmem.codegraph.generic.entities import Def, Entity, Found, Instance, Object
from graphmem.codegraph.generic.evaluator import Evaluator
from graphmem.codegraph.generic.held import Held, Site
from graphmem.codegraph.generic.program import accessor
from graphmem.codegraph.generic.summary import Expr, Reference
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from graphmem.codegraph.generic.effects import Effects
    from graphmem.codegraph.generic.resolver import Resolver

NAMES = frozenset({"defineProperty", "defineProperties", "create", "__defineGetter__", "__defineSetter__"})
_ROLES = {
    "write": ("set",),
    "update": ("get", "set"),
    "store": ("set",),
}  # what runs, by the kind of the reference; others read


class Uses:
    """The places of a file that may run such a getter or setter."""

    def __init__(self, evaluation: Evaluator, effects: Effects, references: tuple[Reference, ...]) -> None:
        self._evaluation, self._effects = evaluation, effects
        creates = (r.expr for r in evaluation.calls if r.expr[1] == library.CREATE and len(r.expr[2]) > 1)
        self._created = any(True for _ in creates)
        is_any = self._created or effects.accessors
        self._places = [(r, *use) for r in references for use in self._of(r)] if is_any else []

    def _of(self, r: Reference) -> Iterator[tuple[str, Expr]]:
        expr = r.expr[1] if r.kind == "store" else r.expr
        roles = _ROLES.get(r.kind, ("get",))
        while expr and expr[0] in ("attr", "call", "index", "new"):
            if expr[0] == "attr" and (
                self._created or any((role, expr[2]) in self._effects.accessors for role in roles)
            ):
                yield from ((role, expr) for role in roles)
            roles, expr = ("get",), expr[1]

    def sites(self) -> Iterator[tuple[Def, Site, object]]:
        """Yield the functions that run, what they are given, and a mark of the place."""
        for r, role, expr in self._places:
            given = (r.expr[2],) if r.kind == "store" and role == "set" else ()
            for function in self.functions(r, role, expr):
                yield function, Site(given, r.scope, r.at, expr[1]), (id(r), role, id(expr))

    def run_by(self, r: Reference) -> list[Def]:
        """Return the functions that a reference runs."""
        uses = self._of(r) if self._places and r.kind != "store" else ()
        return list(dict.fromkeys(f for role, expr in uses for f in self.functions(r, role, expr)))

    def functions(self, r: Reference, role: str, expr: Expr) -> list[Def]:
        """Return the getters or setters of the member that an expression is."""
        evaluation = self._evaluation
        out = self._effects.defined(role, r.scope, expr, r.at)
        for whole in evaluation.values(r.scope, expr[1], r.at) if self._created else ():
            made = evaluation.exprs[whole.made] if isinstance(whole, Held) else None
            if (
                isinstance(whole, Held)
                and made
                and made[0] == "call"
                and made[1] == library.CREATE
                and len(made[2]) > 1
            ):
                descriptor = evaluation.make("attr", made[2][1], expr[2])
                out += evaluation.functions(whole.scope, evaluation.make("attr", descriptor, role), whole.at)
        return out


def inherited_setter(resolver: Resolver, path: str, r: Reference, expr: Expr) -> Found | None:
    """Return the setter that assigning to a member runs, if a prototype or a base class has one: the assignment only reads as
    if it made a member of its own."""
    whole = resolver.value(path, r.scope, expr[1], r.at)
    above: list[Entity] = []
    if isinstance(whole, Object):
        above = objects.prototypes(resolver, whole)
    elif isinstance(whole, Instance) and isinstance(whole.of, Def):
        above = [Instance(each) for each in members.ancestors(resolver, whole.of)]
    for each in above:
        found = resolver.member(each, expr[2])
        if found_accessors(resolver, found, ("set",)):
            return found
    return None


def found_accessors(resolver: Resolver, found: Found | None, roles: tuple[str, ...]) -> list[Symbol]:
    """Return the accessors with these roles of a found member: getter and setter are in one scope."""
    if found is None or found.binding is None or found.binding.symbol < 0:
        return []
    symbols = resolver.program.facts[found.path].symbols
    name = symbols[found.binding.symbol].name
    beside = resolver.program.scope(found.path, found.scope).names.get(name, ())
    return [symbols[b.symbol] for b in beside if b.symbol >= 0 and accessor(symbols[b.symbol]) in roles]
