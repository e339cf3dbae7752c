"""What the modules that know objects, lists, promises and the library ask of the evaluation of a file, which calls them in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from graphmem.codegraph.generic.entities import Def, Found
from graphmem.codegraph.generic.held import Arguments, Held, Site, Value, Values
from graphmem.codegraph.generic.summary import Expr, Reference, Scope
from graphmem.model.code import Symbol

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

Place = tuple[int, int]  # of a parameter: the scope of its function, and its number
Uses = tuple[dict[Place, list[Place]], dict[Place, list[Reference]]]


class Evaluator(Protocol):
    """The possible values of the expressions of one file; `Evaluation` explains the members."""

    resolver: Resolver
    path: str
    scopes: tuple[Scope, ...]
    symbols: tuple[Symbol, ...]
    sites: dict[int, dict[object, Site]]
    calls: list[Reference]
    open_calls: list[Reference]
    added: list[tuple[Reference, Arguments]]
    reorders: list[Reference]
    exprs: dict[int, Expr]
    parameter_uses: Uses | None

    @property
    def places(self) -> list[Reference]:
        """Return the assignments to elements."""

    def make(self, tag: str, *parts: object) -> Expr:
        """Return an expression that is not written."""

    def hold(self, expr: Expr, scope: int, at: int) -> Held:
        """Return the list or map that an expression makes."""

    def once(self, mark: object, compute: Callable[[], Iterable[Value]]) -> Values:
        """Return the result of a query, which is kept."""

    def values(self, scope: int, expr: Expr | None, at: int) -> Values:
        """Return all that an expression may be."""

    def functions(self, scope: int, expr: Expr | None, at: int) -> list[Def]:
        """Return the functions among these values."""

    def value_of(self, found: Found) -> Values:
        """Return all that a binding may be."""

    def results_of(self, function: Def, site: Site | None) -> list[Value]:
        """Return what a function may give back."""

    def listed_values(self, parts: Arguments, scope: int, at: int) -> list[Value]:
        """Return the elements of a list that is written out."""

    def argument_at(self, site: Site, place: int) -> Values:
        """Return what a call gives for a parameter."""

    def all_arguments(self, scope: int, first: int) -> list[Value]:
        """Return what calls give to a function from a place on."""

    def key(self, scope: int, expr: Expr | None, at: int) -> str:
        """Return the text that is the key of a member."""

    def function_around(self, scope: int) -> int:
        """Return the scope of the function whose `this` a place sees."""
