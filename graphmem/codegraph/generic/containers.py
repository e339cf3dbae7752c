"""What lists, maps, sets, iterators and objects of one file hold: what they are made with, and what is added to them."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.codegraph.generic import library, members
from graphmem.codegraph.generic.entities import Def, Found, Instance, Listed, Object, Tupled
from graphmem.codegraph.generic.evaluator import Evaluator
from graphmem.codegraph.generic.held import Held, Value, Values

_END = 1 << 60
_PLACES = 24  # of a list that are told apart


def elements_of(evaluation: Evaluator, wholes: Values) -> list[Value]:
    """Return what lists, maps, iterators and objects hold."""
    return [v for whole in wholes for v in contents_of(evaluation, whole)]


def element_at(evaluation: Evaluator, whole: Value, place: int) -> Iterable[Value]:
    """Return what is at a place of a list."""
    expr = evaluation.exprs[whole.made] if isinstance(whole, Held) else None
    if isinstance(whole, Held) and expr and expr[0] in ("slice", "arguments") and place < _PLACES:
        return evaluation.once(("element", whole, place), lambda: _of_another(evaluation, whole, place))
    if isinstance(whole, Held) and expr and expr[0] == "array":
        parts = expr[1]
        ordered = place < len(parts) and not any(p and p[0] == "spread" for p in parts[: place + 1])
        if ordered and not _is_reordered(evaluation, whole):
            return (*evaluation.values(whole.scope, parts[place], whole.at), *put(evaluation, whole, place))
    if isinstance(whole, Held) and expr and expr[0] == "pair":
        wholes = evaluation.values(whole.scope, expr[1], whole.at)
        return keys_of(evaluation, wholes) if place == 0 else elements_of(evaluation, wholes)
    if isinstance(whole, Tupled):
        part = whole.parts[place] if place < len(whole.parts) else None
        return (part,) if part is not None else ()
    return contents_of(evaluation, whole)


def _of_another(evaluation: Evaluator, whole: Held, place: int) -> list[Value]:
    """Return what is at a place of a part of another list, or of what calls give to a function. Either may be part of itself:
    `rest = rest.slice(1)`, `run(first, ...rest)` within `run`."""
    expr = evaluation.exprs[whole.made]
    if expr[0] == "slice":
        wholes = evaluation.values(whole.scope, expr[1], whole.at)
        return [v for inner in wholes for v in element_at(evaluation, inner, place + expr[2])]
    sites = evaluation.sites.get(whole.scope, {}).values()
    return [v for site in sites for v in evaluation.argument_at(site, expr[1] + place)]


def contents_of(evaluation: Evaluator, whole: Value) -> Values:
    """Return all elements of a list, map or iterator, and all members of an object."""
    if isinstance(whole, Held):
        return evaluation.once(
            ("contents", whole), lambda: (*_initial(evaluation, whole), *put(evaluation, whole, None))
        )
    if isinstance(whole, Object):
        of = evaluation.resolver.program.scope(whole.path, whole.scope).names
        found = (Found(whole.path, whole.scope, bindings[-1]) for bindings in of.values())
        return (*(v for f in found for v in evaluation.value_of(f)), *put(evaluation, whole, None))
    if isinstance(whole, Tupled):
        return tuple(part for part in whole.parts if part is not None)
    if isinstance(whole, Listed):
        return (whole.element,) if whole.element is not None else ()
    if isinstance(whole, Instance) and isinstance(whole.of, Def):
        found_iterator = members.of_class(evaluation.resolver, whole.of, library.ITERATOR)
        made = evaluation.resolver.entity(found_iterator) if found_iterator is not None else None
        if isinstance(made, Def):
            return tuple(
                v
                for given in evaluation.results_of(made, None)
                for v in contents_of(evaluation, given)
                if given != whole
            )
    if isinstance(whole, Instance):  # `this[key] = value` in a method, and `this[key]` in another one
        own = (r for r in evaluation.places if r.expr[1][1] == ("this",))
        own = (r for r in own if whole in evaluation.values(r.scope, r.expr[1][1], r.at))
        given = (v for r in own for v in evaluation.values(r.scope, r.expr[2], r.at))
        return (*computed(evaluation, whole), *given)
    return computed(evaluation, whole)


def computed(evaluation: Evaluator, whole: Value) -> Values:
    """Return the members whose names are computed: `{ [key]: value }`."""
    of = whole.of if isinstance(whole, Instance) else whole
    if not isinstance(of, (Def, Object)) or of.scope < 0:
        return ()
    names = evaluation.resolver.program.scope(of.path, of.scope).names
    found = (Found(of.path, of.scope, bindings[-1]) for name, bindings in names.items() if name[:1] == "[")
    return tuple(v for f in found for v in evaluation.value_of(f))


def _initial(evaluation: Evaluator, held: Held) -> Iterable[Value]:
    """Return what a list or map holds when it is made."""
    expr, scope, at = evaluation.exprs[held.made], held.scope, held.at
    if expr[0] == "array":
        return evaluation.listed_values(expr[1], scope, at)
    if expr[0] == "slice":
        return elements_of(evaluation, evaluation.values(scope, expr[1], at))
    if expr[0] == "arguments":
        return evaluation.all_arguments(scope, expr[1])
    if expr[0] == "yielded":
        return _yielded(evaluation, scope)
    if expr[0] == "pairs":  # of a map: each has a key and a value
        return (evaluation.hold(evaluation.make("pair", expr[1]), scope, at),)
    if expr[0] == "pair":
        return elements_of(evaluation, evaluation.values(scope, expr[1], at))
    if expr[0] in ("mapped", "flatmapped"):
        given = [v for f in evaluation.functions(scope, expr[1], at) for v in evaluation.results_of(f, None)]
        return flat(evaluation, given) if expr[0] == "flatmapped" else given
    if expr[0] == "flat":
        return flat(evaluation, flat(evaluation, evaluation.values(scope, expr[1], at)))
    if expr[0] == "concat":
        given = [v for a in expr[2] for v in evaluation.values(scope, a, at)]
        return [*elements_of(evaluation, evaluation.values(scope, expr[1], at)), *flat(evaluation, given)]
    if expr[0] == "keys":
        return keys_of(evaluation, evaluation.values(scope, expr[1], at))
    if expr[0] == "new":
        inner = elements_of(evaluation, evaluation.values(scope, expr[2][0], at)) if len(expr) > 2 and expr[2] else []
        if library.last_name(expr[1]) in library.MAPS:
            return [v for pair in inner for v in element_at(evaluation, pair, 1)]
        return inner
    return evaluation.listed_values(expr[2], scope, at)  # Array.of(a, b)


def _yielded(evaluation: Evaluator, scope: int) -> list[Value]:
    """Return what a generator function yields."""
    out: list[Value] = []
    for given in evaluation.scopes[scope].results:
        if given[0] == "yield":
            out += evaluation.values(scope, given[1], _END)
        elif given[0] == "yieldall":
            out += elements_of(evaluation, evaluation.values(scope, given[1], _END))
    return out


def flat(evaluation: Evaluator, values: Iterable[Value]) -> list[Value]:
    """Return values, of lists what they hold."""
    lists = (Held, Tupled, Listed)
    return [v for each in values for v in (contents_of(evaluation, each) if isinstance(each, lists) else (each,))]


def keys_of(evaluation: Evaluator, wholes: Iterable[Value]) -> list[Value]:
    """Return the keys of maps; those of a set are its elements."""
    out: list[Value] = []
    for whole in wholes:
        expr = evaluation.exprs[whole.made] if isinstance(whole, Held) else None
        if not isinstance(whole, Held) or not expr or expr[0] != "new":
            continue
        if not is_map(evaluation, whole):
            out += contents_of(evaluation, whole)
            continue
        inner = evaluation.values(whole.scope, expr[2][0], whole.at) if len(expr) > 2 and expr[2] else ()
        out += [v for pair in elements_of(evaluation, inner) for v in element_at(evaluation, pair, 0)]
        for r, _ in evaluation.added:
            if r.expr[1][2] == "set" and r.expr[2] and whole in evaluation.values(r.scope, r.expr[1][1], r.at):
                out += evaluation.values(r.scope, r.expr[2][0], r.at)
    return out


def is_map(evaluation: Evaluator, whole: Value) -> bool:
    """Return whether it is a map that the file makes."""
    expr = evaluation.exprs[whole.made] if isinstance(whole, Held) else None
    return expr is not None and expr[0] == "new" and library.last_name(expr[1]) in library.MAPS


def put(evaluation: Evaluator, whole: Value, place: int | None) -> list[Value]:
    """Return what is added to a list, map or object after it is made; at a place if that is known."""
    out: list[Value] = []
    for r, given in evaluation.added if place is None else ():
        if whole in evaluation.values(r.scope, r.expr[1][1], r.at):
            out += evaluation.listed_values(given, r.scope, r.at)
    for r in evaluation.places:
        target = r.expr[1]
        fits = target[0] == "index" or place in (None, target[2])
        if fits and whole in evaluation.values(r.scope, target[1], r.at):
            out += evaluation.values(r.scope, r.expr[2], r.at)
    return out


def _is_reordered(evaluation: Evaluator, whole: Held) -> bool:
    return any(whole in evaluation.values(r.scope, r.expr[1][1], r.at) for r in evaluation.reorders)


def length(evaluation: Evaluator, whole: Value) -> int | None:
    """Return how many elements a list has that is written out and never changed; None if that is not known."""
    expr = evaluation.exprs[whole.made] if isinstance(whole, Held) else None
    if not expr or expr[0] != "array" or any(p and p[0] == "spread" for p in expr[1]):
        return None
    grows = any(whole in evaluation.values(r.scope, r.expr[1][1], r.at) for r, _ in evaluation.added)
    return None if grows else len(expr[1])
