"""The possible values of an expression. Entities refer to facts by (path, index), so they are small, hashable and
independent of the facts."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.codegraph.generic.summary import Binding


class Def(NamedTuple):
    """A definition of the tree: function, class, namespace."""

    path: str
    symbol: int
    scope: int


class Instance(NamedTuple):
    """An instance of a class, with its type arguments."""

    of: Def | External
    args: tuple[Entity | None, ...] = ()


class Listed(NamedTuple):
    """A list, array or map, by its element type; `keyed` if its members are its elements (a TypeScript `Record`)."""

    element: Entity | None
    keyed: bool = False


class Variable(NamedTuple):
    """A type parameter, by the scope that declares it, with its bound."""

    path: str
    scope: int
    name: str
    bound: Entity | None = None


class Tupled(NamedTuple):
    """Several values by position; `listed` if written as a list."""

    parts: tuple[Entity | None, ...]
    listed: bool = False


class Returns(NamedTuple):
    """A function known only by its result."""

    result: Entity | None


class Module(NamedTuple):
    """A file as a namespace."""

    path: str


class Namespace(NamedTuple):
    """A package or namespace shared by several files."""

    family: str
    name: str


class Object(NamedTuple):
    """An object literal, or the members assigned to a function or variable."""

    path: str
    scope: int


class External(NamedTuple):
    """An external value, by its dotted name."""

    name: str


Entity = Def | Instance | Listed | Variable | Tupled | Returns | Module | Namespace | Object | External


class Found(NamedTuple):
    """The target of a name: a binding at a position, or an entity; and how it was found."""

    path: str = ""
    scope: int = -1
    binding: Binding | None = None
    entity: Entity | None = None
    how: str = "scope"
    sure: float = 1.0

    @property
    def passed(self) -> bool:
        """Return whether it is an untyped parameter, whose value was collected from calls."""
        return self.binding is not None and self.binding.kind == "param" and self.binding.type is None

    def via(self, how: str, sure: float) -> Found:
        """Return the same, found by a longer path."""
        return self._replace(how=how, sure=min(self.sure, sure))
