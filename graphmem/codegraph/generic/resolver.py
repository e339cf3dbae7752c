"""Resolves lowered expressions: the binding of a name in its scope, the value of an expression, the member of a receiver.
By scope, import and type, never by bare name. Results are cached, and a circular query is unknown. This module has the
state; the rules for each kind of query are passed in, so that they can call it recursively."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar, cast

from graphmem.codegraph.generic.entities import Entity, Found
from graphmem.codegraph.generic.program import Program
from graphmem.codegraph.generic.summary import Binding, Expr
from graphmem.codegraph.languages import Language

T = TypeVar("T")
_FUEL = 6  # steps of inference from a place of use
_STRUCTURE = 3
_UNDER_WAY = object()
_MISSING = object()


class Lookup(Protocol):
    """Finds the meaning of a bare name at a position; `called`: in a call; `type_`: where a type is written."""

    def __call__(
        self,
        resolver: Resolver,
        path: str,
        scope: int,
        name: str,
        at: int,
        *,
        called: bool = False,
        type_: bool = False,
    ) -> Found | None:
        """See the class."""


class FindMember(Protocol):
    """Finds the member with that name; `called`: in a call."""

    def __call__(self, resolver: Resolver, owner: Entity, name: str, *, called: bool = False) -> Found | None:
        """See the class."""


Evaluate = Callable[["Resolver", str, int, Expr, int], Entity | None]


class Rules(NamedTuple):
    """The functions for each kind of query. `values`: the value of an expression, by its tag."""

    lookup: Lookup
    imported: Callable[[Resolver, str, int], Found | None]
    attribute: Callable[[Resolver, str, int, Expr, int, bool], Found | None]
    member: FindMember
    instance: Callable[[Resolver, str, int, Expr | None, int], Entity | None]
    of_binding: Callable[[Resolver, str, int, Binding], Entity | None]
    of_name: Callable[[Resolver, str, Expr, Entity | None], Entity | None]
    this: Callable[[Resolver, str, int], tuple[Entity | None, bool]]
    extended: Callable[[Resolver, str, int], Entity | None]
    values: dict[str, Evaluate]
    element: Callable[[Resolver, Entity | None], Entity | None]
    alternatives: Callable[[Resolver], dict[str, tuple[str, ...]]]


class Resolver:
    """Resolves names for one version of the facts."""

    def __init__(self, program: Program, rules: Rules, *, flow: bool = True) -> None:
        self.program, self.flow = program, flow
        self.rules = rules
        self.fuel = _FUEL
        self._memo: dict[object, object] = {}
        self._level: dict[object, int] = {}  # of each query under way
        self._cut = 0  # a bit for the level of each query under way that was asked again: it counted as unknown
        self._held: dict[object, tuple[object, int]] = {}  # answers that hold while these queries are under way
        self._held_by: dict[int, list[object]] = {}  # the queries of such answers, by the innermost of these levels

    @cached_property
    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """Return the functions in the place of a function where another of several included files is compiled."""
        return self.rules.alternatives(self)

    def once(self, mark: object, compute: Callable[..., T | None], *args: object) -> T | None:
        """Return the cached result of a query. A circular query is unknown, and results based on that are cached only as long as
        it is under way, because they would depend on the order of queries."""
        memo = self._memo
        known = memo.get(mark, _MISSING)
        if known is not _MISSING:
            if known is _UNDER_WAY:
                self._cut |= 1 << self._level[mark]
                return None
            return known  # type: ignore[return-value]
        if (held := self._held.get(mark)) is not None:
            self._cut |= held[1]
            return held[0]  # type: ignore[return-value]
        level = self._level[mark] = len(self._level)
        memo[mark] = _UNDER_WAY
        around, self._cut = self._cut, 0
        answer = compute(*args)
        del self._level[mark]
        for each in self._held_by.pop(level, ()):
            del self._held[each]
        cut = self._cut & ((1 << level) - 1)
        self._cut = around | cut
        if not cut:
            memo[mark] = answer
            return answer
        del memo[mark]
        self._held[mark] = answer, cut
        self._held_by.setdefault(cut.bit_length() - 1, []).append(mark)
        return answer

    def resolve(self, path: str, scope: int, expr: Expr | None, at: int) -> Found | None:
        """Return the target of an expression at a position in a file."""
        if not expr:
            return None
        if expr[0] == "name":
            return self._named(path, scope, expr, at)
        # an expression is at one place of a file (`this` at any), and its tuple lives as long as the facts
        return self.once((id(expr), path, scope, self.fuel), self._resolve, path, scope, expr, at)

    def _named(self, path: str, scope: int, expr: Expr, at: int, *, called: bool = False) -> Found | None:
        """Return the meaning of a bare name. `::Name` means what is outside of all classes and namespaces."""
        how = expr[2] if len(expr) > 2 else ""
        around = 0 if how == "root" else scope
        return self.rules.lookup(self, path, around, expr[1], at, called=called, type_=how == "type" and not called)

    def _resolve(self, path: str, scope: int, expr: Expr, at: int) -> Found | None:
        tag = expr[0]
        if tag == "attr":
            return self.rules.attribute(self, path, scope, expr, at, False)
        if tag == "import":
            return self.rules.imported(self, path, expr[1])
        handler = self.rules.values.get(tag)
        if handler is None:
            return None
        entity = handler(self, path, scope, expr, at)
        return Found(entity=entity, how="type", sure=0.95) if entity is not None else None

    def callee(self, path: str, scope: int, expr: Expr | None, at: int) -> Found | None:
        """Return the target of a callee: in some languages a method and a variable may share a name."""
        if expr and expr[0] == "gen":  # `Find<Order>(1)`: the function itself, which may have overloads
            return self.callee(path, scope, expr[1], at)
        if not expr or expr[0] not in ("name", "attr") or not self.language(path).separate:
            return self.resolve(path, scope, expr, at)
        if expr[0] == "name":
            return self._named(path, scope, expr, at, called=True)
        mark = (id(expr), path, scope, self.fuel, "callee")
        return self.once(mark, self.rules.attribute, self, path, scope, expr, at, True)

    def value(self, path: str, scope: int, expr: Expr | None, at: int) -> Entity | None:
        """Return the value of an expression."""
        found = self.resolve(path, scope, expr, at)
        return self.rules.of_name(self, path, expr, self.entity(found)) if found and expr else None

    def entity(self, found: Found) -> Entity | None:
        """Return the entity at a found position."""
        if found.entity is not None or found.binding is None:
            return found.entity
        mark = (id(found.binding), self.fuel)
        known = self.once(mark, self.rules.of_binding, self, found.path, found.scope, found.binding)
        return cast("Entity | None", known)

    def inferred(self, path: str, scope: int, expr: Expr | None, at: int) -> Entity | None:
        """Return the value of an expression one inference step further from the source. Each step costs fuel, so
        inference through assignments and results terminates at the same point, independent of the query."""
        if self.fuel <= 0:
            return None
        self.fuel -= 1
        try:
            return self.value(path, scope, expr, at)
        finally:
            self.fuel += 1

    def settled(self, mark: object, compute: Callable[..., T | None], *args: object) -> T | None:
        """Like `once`, for structural queries (imports, bases), whose result must not depend on the caller's fuel."""
        fuel, self.fuel = self.fuel, _STRUCTURE
        try:
            return self.once(mark, compute, *args)
        finally:
            self.fuel = fuel

    def member(self, owner: Entity | None, name: str, *, called: bool = False) -> Found | None:
        """Return the member with that name."""
        return self.rules.member(self, owner, name, called=called) if owner is not None else None

    def instance(self, path: str, scope: int, type_: Expr | None, at: int) -> Entity | None:
        """Return an instance of a type expression."""
        return self.rules.instance(self, path, scope, type_, at)

    def language(self, path: str) -> Language:
        """Return the language of a file."""
        return self.program.language(path)

    def this(self, path: str, scope: int) -> tuple[Entity | None, bool]:
        """Return `this` in a scope, and whether the code is in a static member."""
        return self.settled(("this", path, scope), self.rules.this, self, path, scope) or (None, False)

    def extended(self, path: str, index: int) -> Entity | None:
        """Return an instance of the type that an extension extends."""
        return self.rules.extended(self, path, index)
