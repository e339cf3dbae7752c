"""Finds how one symbol uses another: shortest paths over calls and references, with the lines of each step."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.codegraph.view import FUNCTIONS, View, of_type
from graphmem.model.code import CodeEdge, Symbol
from graphmem.model.code_answers import PathStep

_RELATIONS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "OVERRIDES"})
RUNS = "IMPLEMENTED BY"  # relation of a step to what a call of an overridden method may run
MAY_CALL = "MAY CALL"  # relation of a step over an unresolved call
_UNSURE, _FEW_MEANINGS = 0.3, 4
_VALUES = frozenset({"variable", "constant", "field", "property"})
_HELD = frozenset({"CALLS", "REFERS_TO"})


def find_paths(
    view: View, starts: Iterable[str], ends: Iterable[str], *, steps: int, limit: int, unresolved: bool = False
) -> tuple[list[tuple[PathStep, ...]], int]:
    """Return the shortest paths from any of `starts` to any of `ends` (symbol keys), at most `limit`, and how many more
    have that length. A class includes its members. With `unresolved`, also over calls of a name that few functions have."""
    goals = set(with_members(view, ends))
    layer = with_members(view, starts)
    ways: dict[str, list[CodeEdge | None]] = {key: [None] for key in layer}
    reached: list[str] = []
    for _ in range(steps):
        following: dict[str, list[CodeEdge | None]] = {}
        for key in layer:
            for edge in (*_leading_on(view, key), *(_may_call(view, key) if unresolved else ())):
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


def _leading_on(view: View, key: str) -> list[CodeEdge]:
    """Return the relations of a symbol and its inner functions, or of the value of a variable, one per target: the most certain
    and first."""
    symbol = view.symbols[key]
    sources = with_members(view, [key]) if symbol.kind in FUNCTIONS else [key]
    best = dict[str, CodeEdge]()
    for source in sources:
        for edge in (*view.outgoing.get(source, ()), *_of_value(view, symbol)):
            known = best.get(edge.target)
            if edge.type in _RELATIONS and (
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
