"""What promises come to. A promise stands for the value that it is fulfilled with; this finds what `new Promise(...)` is settled
with by the functions that it hands out, and what a promise is rejected with."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.codegraph.generic import library
from graphmem.codegraph.generic.evaluator import Evaluator, Place, Uses
from graphmem.codegraph.generic.held import Value, Values
from graphmem.codegraph.generic.summary import Expr, Reference

_OF_ALL = frozenset({"all", "any", "race"})


def settled(evaluation: Evaluator, scope: int, made: Expr, at: int, which: int) -> Iterable[Value]:
    """Return what `new Promise(executor)` is fulfilled (0) or rejected (1) with: the arguments of calls of a parameter that
    holds this function, of the executor or of what it passes the function on to."""
    executor = made[2][0] if len(made) > 2 and made[2] else None
    queue: list[Place] = [
        (f.scope, which) for f in evaluation.functions(scope, executor, at) if f.path == evaluation.path
    ]
    if not queue:
        return
    passed, calls = _uses(evaluation)
    seen = set(queue)
    while queue:
        place = queue.pop()
        for r in calls.get(place, ()):
            yield from evaluation.values(r.scope, r.expr[2][0], r.at)
        for further in passed.get(place, ()):
            if further not in seen:
                seen.add(further)
                queue.append(further)


def _uses(evaluation: Evaluator) -> Uses:
    """Return of each parameter as which it is passed on, and the calls of it."""
    if evaluation.parameter_uses is None:
        passed: dict[Place, list[Place]] = {}
        calls: dict[Place, list[Reference]] = {}
        for function, sites in evaluation.sites.items():
            for site in sites.values():
                for n, argument in enumerate(site.arguments):
                    place = _parameter(evaluation, site.scope, argument, site.at)
                    if place is not None:
                        passed.setdefault(place, []).append((function, n))
        for r in evaluation.open_calls:
            place = _parameter(evaluation, r.scope, r.expr[1], r.at) if r.kind == "call" and r.expr[2] else None
            if place is not None:
                calls.setdefault(place, []).append(r)
        evaluation.parameter_uses = passed, calls
    return evaluation.parameter_uses


def _parameter(evaluation: Evaluator, scope: int, expr: Expr | None, at: int) -> Place | None:
    """Return the parameter that a name means: the scope of its function, and its place."""
    if not expr or expr[0] != "name":
        return None
    found = evaluation.resolver.resolve(evaluation.path, scope, expr, at)
    if found is None or found.binding is None or found.binding.kind != "param" or found.path != evaluation.path:
        return None
    names = evaluation.scopes[found.scope].parameters
    return (found.scope, names.index(expr[1])) if expr[1] in names else None


def rejected(evaluation: Evaluator, scope: int, expr: Expr | None, at: int) -> Values:
    """Return what a promise is rejected with."""
    if not expr or expr[0] not in ("name", "new", "call", "array"):
        return ()
    return evaluation.once(("rejected", id(expr), scope), lambda: _rejected(evaluation, scope, expr, at))


def _rejected(evaluation: Evaluator, scope: int, expr: Expr, at: int) -> Iterable[Value]:
    if expr[0] == "name":
        found = evaluation.resolver.resolve(evaluation.path, scope, expr, at)
        binding = found.binding if found is not None and found.path == evaluation.path else None
        if found is None or binding is None or binding.kind != "var":
            return ()
        return rejected(evaluation, found.scope, binding.value, binding.at - 1)
    if expr[0] == "array":
        return [v for part in expr[1] for v in rejected(evaluation, scope, part, at)]
    if expr[0] == "new":
        return settled(evaluation, scope, expr, at, 1) if library.last_name(expr[1]) == "Promise" else ()
    callee, arguments = expr[1], expr[2]
    if not callee or callee[0] != "attr" or not callee[1]:
        return ()
    name = callee[2]
    if callee[1] == ("name", "Promise"):
        first = arguments[0] if arguments else None
        if name == "reject":
            return evaluation.values(scope, first, at)
        return rejected(evaluation, scope, first, at) if name in _OF_ALL else ()
    passes_on = name == "finally" or (name == "then" and len(arguments) < 2)
    return rejected(evaluation, scope, callee[1], at) if passes_on else ()
