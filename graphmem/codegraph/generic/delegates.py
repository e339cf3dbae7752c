"""C#: types of functions, by the number of their parameters: `Action<A>` takes one, `Func<A, B>` too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphmem.codegraph.generic.callbacks import NOTHING, TASK
from graphmem.codegraph.generic.summary import Expr, Scope, last_name

if TYPE_CHECKING:
    from graphmem.codegraph.generic.resolver import Resolver

QUOTED = "Expression"  # the type of a function whose source is wanted
_PARAMETERS_OF = {"Action": 0, "Func": 1}  # type arguments besides those of the parameters


def take_functions(resolver: Resolver, path: str, scope: Scope, arguments: Sequence[Expr | None]) -> bool:
    """Return whether the functions among the arguments of a call in a file have as many parameters as the called function
    passes to them."""
    written = resolver.program.summaries[path]
    for place, argument in enumerate(arguments[: len(scope.parameters)]):
        lambda_ = written.scope_at.get(argument[1]) if argument and argument[0] == "fn" else None
        if lambda_ is not None:
            count = len(written.scopes[lambda_].parameters)
            gives = written.scopes[lambda_].returns
            types = [b.type for b in scope.names.get(scope.parameters[place], ()) if b.kind == "param"]
            if not all(takes_as_many(type_, count) and _takes_result(type_, gives) for type_ in types):
                return False
    return True


def _takes_result(type_: Expr | None, gives: Expr | None) -> bool:
    """Return whether a type is for functions that give that: an asynchronous one is rather a `Func<Task>`."""
    kind = last_name(type_[1] if type_ and type_[0] == "gen" else type_)
    return not (kind == "Func" and gives == NOTHING) and not (kind == "Action" and gives == TASK)


def takes_as_many(type_: Expr | None, count: int) -> bool:
    """Return whether a type can be one of functions with so many parameters."""
    while type_ and type_[0] == "gen" and last_name(type_[1]) == QUOTED:
        type_ = type_[2][0] if type_[2] else None
    if type_ == ("name", "Action"):
        return count == 0
    if not type_ or type_[0] != "gen" or last_name(type_[1]) not in _PARAMETERS_OF:
        return True
    return len(type_[2]) == count + _PARAMETERS_OF[last_name(type_[1])]
