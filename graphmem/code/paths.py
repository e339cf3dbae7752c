"""Finds how one symbol uses another: shortest paths over calls and references, with the lines of each step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from graphmem.codegraph.view import CLASSES, FUNCTIONS, View, of_type
from graphmem.model.code import CodeEdge, Symbol
from graphmem.model.code_answers import PathStep

CALLING = frozenset({"CALLS", "REFERS_TO", "USES"})  # what leads from one function to another, also over a variable
RELATIONS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "OVERRIDES"})
REQUESTS = "REQUESTS"  # relation of a step from who sends a request to the handler of its route
RUNS = "IMPLEMENTED BY"  # relation of a step to what a call of an overridden method may run
MAY_CALL = "MAY CALL"  # relation of a step over an unresolved call
_UNSURE, _FEW_MEANINGS = 0.3, 4
_VALUES = frozenset({"variable", "constant", "field", "property"})
_VAGUE = CLASSES | {"module", "namespace"}  # what is named on the way to something else
_HELD = frozenset({"CALLS", "REFERS_TO"})


def find_paths(
    view: View, starts: Iterable[str], ends: Iterable[str], *, steps: int, limit: int, relations: Collection[str] = RELATIONS,
    unresolved: bool = False, further: Mapping[str, Sequence[CodeEdge]] = MappingProxyType({}),
) -> tuple[list[tuple[PathStep, ...]], int]:  # fmt: skip
    """Return the shortest paths from any of `starts` to any of `ends` (symbol keys) over some types of relations, at most `limit`,
    and how many more have that length. A class includes its members. With `unresolved`, also over calls of a name that few
    functions have. `further` are relations by their source that the view does not record."""
    goals = set(with_members(view, ends))
    layer = with_members(view, starts)
    ways: dict[str, list[CodeEdge | None]] = {key: [None] for key in layer}
    reached: list[str] = []
    for _ in range(steps):
        following: dict[str, list[CodeEdge | None]] = {}
        for key in layer:
            more = [edge._replace(source=key) for inner in _own(view, key) for edge in further.get(inner, ())]
            for edge in (*_leading_on(view, key, relations), *more, *(_may_call(view, key) if unresolved else ())):
                if edge.target not in ways:
                    following.setdefault(edge.target, []).append(edge)
        ways |= following
        layer = list(following)
        reached = [key for key in layer if key in goals]
        if reached or not layer:
            break
    found = [path for key in reached for path in _back(ways, key)]
    found.sort(key=lambda path: (-min(edge.confidence for edge in path), path))
    shown = [tuple(_step(view, edge) for edge in path) for path in found[:limit]]
    return shown, len(found) - len(shown)


def find_ways(
    view: View, starts: Sequence[Symbol], ends: Sequence[Symbol], *, steps: int, limit: int,
    further: Sequence[CodeEdge] = (), requests: Callable[[], Sequence[CodeEdge]] = tuple,
) -> tuple[list[tuple[PathStep, ...]], int, bool]:  # fmt: skip
    """Return what `find_paths` does for the most certain kind of path that there is, and whether it leads back. From one function
    to another, longer chains of calls come before shorter ones over types; then those over calls that the view does not record
    (`further`), those that send requests to routes (`requests`), those over anything, those back, and at last those over
    unresolved calls: better than to deny that there is a path."""
    a, b = [each.key for each in starts], [each.key for each in ends]
    if all(each.kind in FUNCTIONS for each in (*starts, *ends)):
        unrecorded: tuple[Callable[[], Sequence[CodeEdge]], ...] = (
            tuple,
            lambda: further,
            lambda: (*further, *requests()),
        )
        for edges in unrecorded:
            known = _by_source(edges())
            way = find_paths(view, a, b, steps=2 * steps, limit=limit, relations=CALLING, further=known)
            if way[0]:
                return *way, False
    for first, last in ((a, b), (b, a)):
        way = find_paths(view, first, last, steps=steps, limit=limit)
        if way[0]:
            return *way, first is b
    for relations in (CALLING, RELATIONS):
        way = find_paths(view, a, b, steps=steps, limit=limit, relations=relations, unresolved=True)
        if way[0]:
            break
    return *way, False


def _by_source(edges: Iterable[CodeEdge]) -> dict[str, list[CodeEdge]]:
    found: dict[str, list[CodeEdge]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def with_members(view: View, keys: Iterable[str]) -> list[str]:
    """Return these symbols and everything that they define."""
    found = dict.fromkeys(keys)
    waiting = list(found)
    while waiting:
        inner = [
            edge.target for edge in of_type(view.outgoing.get(waiting.pop(), []), "DEFINES") if edge.target not in found
        ]
        found |= dict.fromkeys(inner)
        waiting += inner
    return list(found)


def _own(view: View, key: str) -> list[str]:
    """Return a symbol, and the inner functions of a function."""
    return with_members(view, [key]) if view.symbols[key].kind in FUNCTIONS else [key]


def _leading_on(view: View, key: str, relations: Collection[str]) -> list[CodeEdge]:
    """Return the relations of a symbol and its inner functions, or of the value of a variable, one per target: the most certain
    and first."""
    symbol = view.symbols[key]
    best = dict[str, CodeEdge]()
    is_narrow = relations is not RELATIONS
    for source in _own(view, key):
        for edge in (*view.outgoing.get(source, ()), *_of_value(view, symbol)):
            known = best.get(edge.target)
            if is_narrow and edge.type != "CALLS" and view.symbols[edge.target].kind in _VAGUE:
                continue
            if edge.type in relations and (
                known is None or (-edge.confidence, edge.line) < (-known.confidence, known.line)
            ):
                best[edge.target] = edge._replace(source=key)
    if symbol.kind == "method":  # a call of it may run what overrides or implements it
        for edge in of_type(view.incoming.get(key, []), "OVERRIDES"):
            best.setdefault(edge.source, CodeEdge(RUNS, key, edge.source, symbol.line, edge.strategy, edge.confidence))
    return list(best.values())


def _may_call(view: View, key: str) -> list[CodeEdge]:
    """Return relations to what the unresolved calls of a function may mean."""
    found = []
    for site in (site for each in with_members(view, [key]) for site in view.open_scopes.get(each, ())):
        meant = [s for s in view.named.get(site.name, ()) if s.kind in FUNCTIONS and not s.external and s.key != key]
        if len(meant) <= _FEW_MEANINGS:
            found += [CodeEdge(MAY_CALL, key, s.key, site.line, "unresolved", _UNSURE) for s in meant]
    return found


def _of_value(view: View, symbol: Symbol) -> list[CodeEdge]:
    """Return what the lines of a variable refer to: a table of functions belongs to the module or class that has the
    variable."""
    if symbol.kind not in _VALUES or symbol.external:
        return []
    own = view.outgoing.get(view.parent.get(symbol.key, ""), ())
    return [edge for edge in own if edge.type in _HELD and symbol.line <= edge.line <= symbol.end_line]


def _back(ways: dict[str, list[CodeEdge | None]], key: str) -> Iterable[tuple[CodeEdge, ...]]:
    for edge in ways[key]:
        if edge is None:
            yield ()
        else:
            for before in _back(ways, edge.source):
                yield (*before, edge)


def _step(view: View, edge: CodeEdge) -> PathStep:
    source, target = view.place(edge.source), view.place(edge.target)
    return PathStep(source.name, target.name, edge.type, source.file, edge.line)
