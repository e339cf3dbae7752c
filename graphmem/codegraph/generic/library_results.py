"""What the functions and methods of JavaScript's own library give back, and what they give to the functions that they call."""

from __future__ import annotations

from graphmem.codegraph.generic import containers, library
from graphmem.codegraph.generic.entities import Def, Instance, Tupled
from graphmem.codegraph.generic.evaluator import Evaluator
from graphmem.codegraph.generic.held import Arguments, Held, Site, Value, Values
from graphmem.codegraph.generic.summary import Expr, Reference

_MAPPED = {"map": "mapped", "flatMap": "flatmapped"}


def result(evaluation: Evaluator, scope: int, expr: Expr, at: int) -> list[Value]:
    """Return what a call of a method of the language gives; nothing if it is none."""
    callee, arguments = expr[1], expr[2]
    owner, name = callee[1], callee[2]
    first = arguments[0] if arguments else None
    if owner and owner[0] == "name" and owner[1] in library.STATIC:
        role = library.STATIC[owner[1]].get(name)
        if role is not None:
            return _of_static(evaluation, scope, expr, at, role)
    wholes = evaluation.values(scope, owner, at)
    if name == "bind":
        if len(arguments) > 1 or (first and first != ("this",)):
            return [evaluation.hold(evaluation.make("bound", owner, arguments), scope, at)]
        return [v for v in wholes if isinstance(v, Def)]
    if name in ("call", "apply"):
        given = arguments[1:] if name == "call" else ()
        site = Site(given, scope, at, first)
        return [v for f in wholes if isinstance(f, Def) for v in evaluation.results_of(f, site)]
    if name in library.OF_THE_WHOLE:
        given_back = [
            v for a in arguments for f in evaluation.functions(scope, a, at) for v in evaluation.results_of(f, None)
        ]
        return given_back if name == "then" and given_back else [*given_back, *wholes]
    if name in ("reduce", "reduceRight"):
        given_back = [v for f in evaluation.functions(scope, first, at) for v in evaluation.results_of(f, None)]
        start = evaluation.listed_values(arguments[1:2], scope, at)
        return [*given_back, *start] or containers.elements_of(evaluation, wholes)
    lists = tuple(w for w in wholes if isinstance(w, (Held, Tupled)))
    if name in library.GIVES_ELEMENT:
        return containers.elements_of(evaluation, lists)
    if name in library.GIVES_SAME:
        return list(lists)
    if name == "entries" and lists:
        return [evaluation.hold(evaluation.make("pairs", owner), scope, at)]
    if name in ("flat", "keys") and lists:
        return [evaluation.hold(evaluation.make(name, owner), scope, at)]
    if name == "concat" and lists:
        return [evaluation.hold(evaluation.make("concat", owner, arguments), scope, at)]
    if name in _MAPPED and lists and first:
        return [evaluation.hold(evaluation.make(_MAPPED[name], first), scope, at)]
    return []


def _of_static(evaluation: Evaluator, scope: int, expr: Expr, at: int, role: str) -> list[Value]:
    arguments = expr[2]
    first = arguments[0] if arguments else None
    if role == "all":
        return evaluation.listed_values(arguments, scope, at)
    if role == "listed":
        return [evaluation.hold(expr, scope, at)]
    if role == "elements" and expr[1] == library.FROM and len(arguments) > 1 and arguments[1]:
        return [evaluation.hold(evaluation.make("mapped", arguments[1]), scope, at)]
    if role == "elements":
        return [evaluation.hold(evaluation.make("slice", first, 0), scope, at)] if first else []
    if role == "pairs":
        return [evaluation.hold(evaluation.make("pairs", first), scope, at)] if first else []
    given = evaluation.values(scope, first, at)
    if role == "one":
        return containers.elements_of(evaluation, given)
    if role == "instance":
        return [Instance(v) for v in given if isinstance(v, Def)]
    if role == "made" and (not given or len(arguments) > 1):
        return [*given, evaluation.hold(expr, scope, at)]
    return list(given)


def described(evaluation: Evaluator, whole: Held, name: str) -> Values:
    """Return what `Object.create(prototype, descriptors)` gives to a member."""
    expr = evaluation.exprs[whole.made]
    if name == "callee" and expr[0] == "arguments":
        return (Def(evaluation.path, evaluation.scopes[whole.scope].symbol, whole.scope),)
    if expr[0] != "call" or len(expr[2]) < 2 or not expr[2][1]:
        return ()
    descriptor = evaluation.make("attr", expr[2][1], name)
    given = evaluation.make("call", evaluation.make("attr", descriptor, "get"), ())
    value = evaluation.make("either", evaluation.make("attr", descriptor, "value"), given)
    return evaluation.values(whole.scope, value, whole.at)


def handed_on(evaluation: Evaluator, r: Reference, place: int) -> tuple[Arguments, Expr | None]:
    """Return what a function of the language gives to the function that is its argument at a place: arguments, and `this`."""
    expr, callee, arguments = r.expr, r.expr[1], r.expr[2]
    if expr[0] == "new":
        return (), None
    if callee[0] != "attr":
        return arguments[2:], None
    owner, name = callee[1], callee[2]
    if name in library.OF_THE_WHOLE:
        if name == "finally":
            return (), None
        fulfilled = name == "then" and place == 0
        return (owner if fulfilled else evaluation.make("rejected", owner),), None
    element = evaluation.make("index", arguments[0] if callee == library.FROM else owner)
    if name in ("reduce", "reduceRight"):
        before = start = arguments[1] if len(arguments) > 1 else element
        lengths = [containers.length(evaluation, whole) for whole in evaluation.values(r.scope, owner, r.at)]
        if start and any(length is None or length > 3 - len(arguments) for length in lengths):
            before = evaluation.make("either", start, expr)  # what it gave back for the element before
        return (before, element, None, owner), None
    if callee == library.STRINGIFY or name in library.EVENTS or name in ("replace", "replaceAll", "nextTick"):
        return (), None
    if name in ("sort", "toSorted"):
        return (element, element), None
    if callee == library.FROM:
        return (element,), arguments[2] if len(arguments) > 2 else None
    key = evaluation.make("keyof", owner) if name == "forEach" else None
    return (element, key, owner), arguments[1] if len(arguments) > 1 else None
