"""What generators of JavaScript return, and what their `yield` is given by `next(value)`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from graphmem.codegraph.generic.evaluator import Evaluator
from graphmem.codegraph.generic.held import Held, Value
from graphmem.codegraph.generic.summary import Expr

_END = 1 << 60
YIELDS = frozenset({"yield", "yieldall"})


def returned(evaluation: Evaluator, whole: Value) -> list[Value]:
    """Return what the function of a generator returns."""
    if not _is_generator(whole, evaluation):
        return []
    results = (given for given in evaluation.scopes[whole.scope].results if given[0] not in YIELDS)
    return [v for given in results for v in evaluation.values(whole.scope, given, _END)]


def sent(evaluation: Evaluator, scope: int, expr: Expr, at: int) -> Iterable[Value]:
    """Return what `yield` gives to its function; `yield*` gives what the other generator returns."""
    if expr[2]:
        return [v for whole in evaluation.values(scope, expr[1], at) for v in returned(evaluation, whole)]
    function = evaluation.function_around(scope)
    nexts = (r for r in evaluation.calls if r.expr[1] and r.expr[1][0] == "attr" and r.expr[1][2] == "next")
    out: list[Value] = []
    for r in nexts:
        wholes = evaluation.values(r.scope, r.expr[1][1], r.at) if r.expr[2] else ()
        if any(_is_generator(whole, evaluation) and whole.scope == function for whole in wholes):
            out += evaluation.values(r.scope, r.expr[2][0], r.at)
    return out


def _is_generator(whole: Value, evaluation: Evaluator) -> TypeGuard[Held]:
    return isinstance(whole, Held) and evaluation.exprs[whole.made][0] == "yielded"
