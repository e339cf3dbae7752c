"""Resolves lowered expressions: which binding a name means in its scope, what a value is, which member a receiver has.
By scope, import and type; never by bare name. Every answer is remembered, and a question that asks itself again while it is
being answered is unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from graphmem.codegraph.generic import generics, members, names, values
from graphmem.codegraph.generic.entities import Def, Entity, External, Found, Instance, Listed, Module, Object, Tupled
from graphmem.codegraph.generic.program import Program
from graphmem.codegraph.generic.summary import Expr
from graphmem.codegraph.languages import Language

T = TypeVar("T")
_FUEL = 6  # steps of inference from a place of use
_STRUCTURE = 3
_UNDER_WAY = object()
_MISSING = object()
_CLEAN = 1 << 30


class Resolver:
    """Answers for one version of the facts."""

    def __init__(self, program: Program, *, flow: bool = True) -> None:
        self.program, self.flow = program, flow
        self.fuel = _FUEL
        self._memo: dict[object, object] = {}
        self._level: dict[object, int] = {}
        self._low = _CLEAN

    def once(self, mark: object, compute: Callable[..., T | None], *args: object) -> T | None:
        """The remembered answer to a question. A question met again while it is being answered is unknown, and whatever was
        concluded from that is not remembered: or an answer would depend on which question came first."""
        memo = self._memo
        known = memo.get(mark, _MISSING)
        if known is not _MISSING:
            if known is _UNDER_WAY:
                self._low = min(self._low, self._level[mark])
                return None
            return known  # type: ignore[return-value]
        level = self._level[mark] = len(self._level)
        memo[mark] = _UNDER_WAY
        around, self._low = self._low, _CLEAN
        answer = compute(*args)
        del self._level[mark]
        if self._low >= level:
            memo[mark] = answer
            self._low = around
        else:
            del memo[mark]
            self._low = min(around, self._low)
        return answer

    def resolve(self, path: str, scope: int, expr: Expr | None, at: int) -> Found | None:
        """Where an expression leads, seen from a place in a file."""
        if not expr:
            return None
        if expr[0] == "name":
            return names.lookup(self, path, scope, expr[1], at)
        # an expression stands at one place of a file (`this` at any), and its tuple lives as long as the facts
        return self.once((id(expr), path, scope, self.fuel), self._resolve, path, scope, expr, at)

    def _resolve(self, path: str, scope: int, expr: Expr, at: int) -> Found | None:
        tag = expr[0]
        if tag == "attr":
            return self._attribute(path, scope, expr, at)
        if tag == "import":
            return names.imported(self, path, expr[1])
        handler = values.HANDLERS.get(tag)
        if handler is None:
            return None
        entity = handler(self, path, scope, expr, at)
        return Found(entity=entity, how="type", sure=0.95) if entity is not None else None

    def callee(self, path: str, scope: int, expr: Expr | None, at: int) -> Found | None:
        """Where the callee of a call leads: in some languages a method and a variable may share a name."""
        if not expr or expr[0] not in ("name", "attr") or not self.language(path).separate:
            return self.resolve(path, scope, expr, at)
        if expr[0] == "name":
            return names.lookup(self, path, scope, expr[1], at, called=True)
        mark = (id(expr), path, scope, self.fuel, "callee")
        return self.once(mark, self._attribute, path, scope, expr, at, True)

    def value(self, path: str, scope: int, expr: Expr | None, at: int) -> Entity | None:
        """What an expression evaluates to."""
        found = self.resolve(path, scope, expr, at)
        return self.entity(found) if found else None

    def entity(self, found: Found) -> Entity | None:
        """What stands at a found place."""
        if found.entity is not None or found.binding is None:
            return found.entity
        mark = (id(found.binding), self.fuel)
        known = self.once(mark, values.of_binding, self, found.path, found.scope, found.binding)
        return cast("Entity | None", known)

    def inferred(self, path: str, scope: int, expr: Expr | None, at: int) -> Entity | None:
        """What an expression evaluates to, one step further from what is written: each such step costs fuel, so that
        inference through assignments and results ends, at the same place whichever question began it."""
        if self.fuel <= 0:
            return None
        self.fuel -= 1
        try:
            return self.value(path, scope, expr, at)
        finally:
            self.fuel += 1

    def settled(self, mark: object, compute: Callable[..., T | None], *args: object) -> T | None:
        """`once` for questions of structure (imports, bases), whose answer must not depend on the fuel of the asker."""
        fuel, self.fuel = self.fuel, _STRUCTURE
        try:
            return self.once(mark, compute, *args)
        finally:
            self.fuel = fuel

    def member(self, owner: Entity | None, name: str, *, called: bool = False) -> Found | None:
        """The member of that name."""
        return members.member(self, owner, name, called=called) if owner is not None else None

    def instance(self, path: str, scope: int, type_: Expr | None, at: int) -> Entity | None:
        """A value of a written type."""
        return values.instance(self, path, scope, type_, at)

    def language(self, path: str) -> Language:
        """The language of a file."""
        return self.program.language(path)

    def this(self, path: str, scope: int) -> tuple[Entity | None, bool]:
        """What `this` is in a scope, and whether the code runs in a static member."""
        return self.settled(("this", path, scope), self._this, path, scope) or (None, False)

    def _this(self, path: str, scope: int) -> tuple[Entity | None, bool]:
        index = scope
        while index >= 0:
            s = self.program.scope(path, index)
            if s.kind == "class":
                return Instance(Def(path, s.symbol, index)), False
            if s.kind == "extension" or (s.kind == "function" and s.target is not None):
                return self._extended(path, index), False
            if s.kind == "object":
                return Object(path, index), False
            plain = (
                s.kind == "function"
                and self.language(path).lambdas
                and self.program.scope(path, s.parent).kind != "class"
            )
            if plain and not _is_arrow(self, path, s.symbol):
                own = members.own_scope(self, path, index)
                if own is not None:
                    return own, False
            index = s.parent
        return (Module(path), True) if self.language(path).name == "rust" else (None, False)

    def _extended(self, path: str, index: int) -> Entity | None:
        """A value of the type that an extension extends."""
        s = self.program.scope(path, index)
        found = self.resolve(path, s.parent, s.target, 1 << 60)
        entity = self.entity(found) if found else None
        if isinstance(entity, (Def, External)):
            return Instance(entity)
        return entity

    def _attribute(self, path: str, scope: int, expr: Expr, at: int, called: bool = False) -> Found | None:
        owner, name = expr[1], expr[2]
        if owner is None:
            return None
        if name == "prototype":
            base = self.value(path, scope, owner, at)
            return Found(entity=Instance(base)) if isinstance(base, (Def, External)) else None
        place = self.resolve(path, scope, owner, at)
        if place is None:
            return None
        if place.binding is not None:
            own = members.added(self, place, name)
            if own is not None:
                return own
        entity = self.entity(place)
        if len(expr) > 3 and values.is_collection(whole := values.listed(self, entity)):  # m["id"]: whatever its key
            held = values.element(whole)
            return Found(entity=held, how="type", sure=0.95) if held is not None else None
        found = self.member(entity, name, called=called)
        if found is None or isinstance(found.entity, External):
            if self.language(path).lends and (lent := members.lent(self, path, entity, name)) is not None:
                return lent
            holds = name in self.language(path).holds and isinstance(entity, Instance | Listed | Tupled)
            held = values.unwrapped(self.language(path), entity, name) if holds else None
            if held is not None:
                return Found(entity=held, how="type", sure=0.8)
        if found is None:
            return None
        value = self.entity(found) if isinstance(entity, Instance) and not called else None
        if generics.is_open(value):
            found = found._replace(entity=generics.seen_from(self, value, entity))
        if place.how in ("import", "include") and isinstance(entity, (Module, Object, Def, External)):
            return found.via(place.how, place.sure)
        if place.passed:
            return found.via("flow", 0.8)
        if isinstance(entity, Instance):
            return found.via(found.how if found.how in ("inherited",) else "type", min(place.sure, 0.95))
        return found._replace(sure=min(found.sure, place.sure))


def _is_arrow(resolver: Resolver, path: str, symbol: int) -> bool:
    signature = resolver.program.facts[path].symbols[symbol].signature
    return "=>" in signature and "function" not in signature
