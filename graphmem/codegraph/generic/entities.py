"""What an expression can stand for. Entities name places in the facts (path, index), so they are small, hashable and free of
the facts themselves."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.codegraph.generic.summary import Binding


class Def(NamedTuple):
    """A definition of the tree: function, class, namespace."""

    path: str
    symbol: int
    scope: int


class Instance(NamedTuple):
    """A value of a class, with the values of its type arguments."""

    of: Def | External
    args: tuple[Entity | None, ...] = ()


class Listed(NamedTuple):
    """A list, array or map, by what it holds; `keyed` where its members are its elements (a TypeScript `Record`)."""

    element: Entity | None
    keyed: bool = False


class Variable(NamedTuple):
    """A value of a type parameter, by the scope that declares it, and what it is at least known to be."""

    path: str
    scope: int
    name: str
    bound: Entity | None = None


class Tupled(NamedTuple):
    """Several values at once, by place; `listed` where they are a list that someone wrote out."""

    parts: tuple[Entity | None, ...]
    listed: bool = False


class Returns(NamedTuple):
    """A function known only by its result."""

    result: Entity | None


class Module(NamedTuple):
    """A file as a namespace."""

    path: str


class Namespace(NamedTuple):
    """A package or namespace that several files share."""

    family: str
    name: str


class Object(NamedTuple):
    """An object literal, or a function's or variable's members of its own."""

    path: str
    scope: int


class External(NamedTuple):
    """Something outside of the tree, by its dotted name."""

    name: str


Entity = Def | Instance | Listed | Variable | Tupled | Returns | Module | Namespace | Object | External


class Found(NamedTuple):
    """Where a name leads: a binding at a place, or an entity directly; and how that is known."""

    path: str = ""
    scope: int = -1
    binding: Binding | None = None
    entity: Entity | None = None
    how: str = "scope"
    sure: float = 1.0

    @property
    def passed(self) -> bool:
        """Whether it is a parameter without a type: what it is was gathered from calls."""
        return self.binding is not None and self.binding.kind == "param" and self.binding.type is None

    def via(self, how: str, sure: float) -> Found:
        """The same, found by a longer way."""
        return self._replace(how=how, sure=min(self.sure, sure))
