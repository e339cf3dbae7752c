"""Impact analysis: from changed symbols to everything that depends on them, with distance and confidence of each step,
and the tests that would notice. A diff is mapped to symbols by its hunks."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from graphmem.codegraph.fields import constructor_calls
from graphmem.codegraph.implementations import calls_through_ports, through_port
from graphmem.codegraph.inherited_tests import inherited_tests
from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.codegraph.view import DEPENDS, POSSIBLE, View
from graphmem.model.code import CodeEdge, Symbol

Range = tuple[str, int, int]  # file, first line, last line
_FILE = re.compile(r"^\+\+\+ (?:b/)?(.+?)(?:\t.*)?$")
_OLD = re.compile(r"^--- (?:a/)?(.+?)(?:\t.*)?$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINE_END = re.compile(r"\r?\n")
INHERITS = "INHERITS"  # relation of a test to the same one of a base class
MAY_CALL = "may call"  # strategy of an unresolved call that is followed
_THROUGH = ("through ", "registered in ", MAY_CALL)  # how strategies of calls begin that may run something else
_WEIGHT = {
    "CALLS": 1.0,
    "REQUESTS": 0.9,
    "OVERRIDES": 0.9,
    "EXTENDS": 0.9,
    "IMPLEMENTS": 0.9,
    "REFERS_TO": 0.8,
    "USES": 0.6,
    "IMPORTS": 0.5,
}


class Reached(NamedTuple):
    """A symbol that depends on the change. `depth` is the minimum number of steps, `confidence` the product over the most
    certain path, `via` the symbol one step nearer to the change, `relation` the type of that last step and `line` its
    line."""

    symbol: Symbol
    depth: int
    confidence: float
    via: str
    relation: str
    line: int = 0


class Impact(NamedTuple):
    """The result. `open_sites` counts unresolved calls that might be further callers; `risk` in [0, 1] grows with the
    number of certain dependents and falls if tests reach the change."""

    changed: tuple[Symbol, ...]
    reached: tuple[Reached, ...]
    tests: tuple[Symbol, ...]
    open_sites: int
    risk: float


def find_impact(
    view: View,
    changed: Iterable[str],
    *,
    depth: int = 5,
    least: float = 0.1,
    whole: bool = False,
    further: Iterable[CodeEdge] = (),
    direct: bool = False,
) -> Impact:
    """Return everything that depends on the symbols `changed` (keys), up to `depth` steps and with at least confidence
    `least`, ordered by distance, callers first, then by confidence. With `whole`, a module includes what its file
    defines. `further` are relations that the view does not record. With `direct`, no call is followed that may run something
    else: through an interface, a base class or a table."""
    leading = _direct_dependents if direct else _dependents
    more: dict[str, list[CodeEdge]] = {}
    for edge in filter(_is_direct, further) if direct else further:
        more.setdefault(edge.target, []).append(edge)
    named = sorted({k for k in changed if k in view.symbols})
    files = [view.symbols[k].file for k in named if whole and view.symbols[k].kind == "module"]
    start = sorted({*named, *(symbol.key for file in files for symbol in view.by_file[file])})
    best: dict[str, Reached] = {}
    queue: list[tuple[float, int, str, str, str, int]] = [(-1.0, 0, k, "", "", 0) for k in start]
    done: set[str] = set()
    while queue:
        minus, steps, key, via, relation, line = heapq.heappop(queue)
        if key in done:
            continue
        done.add(key)
        if steps:
            best[key] = Reached(view.symbols[key], steps, round(-minus, 4), via, relation, line)
        if steps >= depth:
            continue
        for edge in (*leading(view, key), *more.get(key, ())):
            if edge.source not in done:
                sure = -minus * edge.confidence * _WEIGHT[edge.type]
                if sure >= least:
                    heapq.heappush(queue, (-sure, steps + 1, edge.source, key, edge.type, edge.line))
    nearest = _steps(view, start, depth, more, leading)
    found = [_nearest(each, nearest) for each in best.values()]
    reached = sorted(found, key=lambda r: (r.depth, r.relation != "CALLS", -r.confidence, r.symbol.key))
    reached += _inherited(view, [r for r in reached if r.symbol.key in view.tests])
    tests = tuple(r.symbol for r in reached if (r.symbol.key in view.tests or r.relation == INHERITS) and _runs(r))
    names = {view.symbols[k].name for k in start}
    sites = sum(not through_port(view, site) for n in names for site in view.open_sites.get(n, ()))
    return Impact(tuple(view.symbols[k] for k in named), tuple(reached), tests, sites, _risk(reached, tests))


def _inherited(view: View, tests: Iterable[Reached]) -> list[Reached]:
    """Return the tests that other classes inherit from those which these tests are of."""
    known = {each.symbol.key: each for each in tests}
    below = inherited_tests(view, [each.symbol for each in known.values()])
    return [known[test.key]._replace(symbol=same, via=test.key, relation=INHERITS) for test, same in below]


def _runs(reached: Reached) -> bool:
    """Return whether a symbol of a test runs the change. The body of a file does where closures in it are the tests (Ginkgo,
    RSpec), not where it only imports."""
    return reached.symbol.kind != "module" or reached.relation == "CALLS"


def _dependents(view: View, key: str) -> Iterator[CodeEdge]:
    """Yield the relations by which others depend on a symbol, except those that only values from tests create. Creating
    an object depends on its fields, calling a method of a protocol on every method that may run."""
    is_test = key in view.tests
    for edge in view.incoming.get(key, ()):
        if is_test and edge.type == "OVERRIDES":  # it runs instead
            continue
        if edge.type in DEPENDS and edge.strategy != FROM_TESTS and edge.source in view.symbols:
            yield edge
    if view.symbols[key].kind == "field":
        yield from (edge._replace(type="USES") for edge in constructor_calls(view, view.symbols[key]))
    if view.symbols[key].kind == "method":
        for through in calls_through_ports(view, (key,)):
            yield through.as_call(view)._replace(target=key)


def _direct_dependents(view: View, key: str) -> Iterator[CodeEdge]:
    """Yield the relations of a symbol's dependents without those to what may run in place of something else."""
    return filter(_is_direct, _dependents(view, key))


def _is_direct(edge: CodeEdge) -> bool:
    return edge.type != "OVERRIDES" and edge.strategy not in POSSIBLE and not edge.strategy.startswith(_THROUGH)


def _steps(
    view: View,
    start: Iterable[str],
    depth: int,
    more: Mapping[str, Iterable[CodeEdge]],
    dependents: Callable[[View, str], Iterator[CodeEdge]],
) -> dict[str, tuple[int, CodeEdge]]:
    """Return for every dependent the minimum distance to the change, and its last step: preferably a call, then the most
    certain."""
    found: dict[str, tuple[int, CodeEdge]] = {}
    seen, layer = set(start), list(start)
    for steps in range(1, depth + 1):
        fresh: dict[str, CodeEdge] = {}
        leading = (edge for key in layer for edge in (*dependents(view, key), *more.get(key, ())))
        for edge in (edge for edge in leading if edge.source not in seen):
            known = fresh.get(edge.source)
            if known is None or _strength(edge) > _strength(known):
                fresh[edge.source] = edge
        found.update((key, (steps, edge)) for key, edge in fresh.items())
        seen.update(fresh)
        layer = list(fresh)
    return found


def _strength(edge: CodeEdge) -> tuple[bool, float]:
    return edge.type == "CALLS", edge.confidence * _WEIGHT[edge.type]


def _nearest(reached: Reached, nearest: dict[str, tuple[int, CodeEdge]]) -> Reached:
    """Return a dependent with its shortest path, if the most certain one is longer."""
    steps, edge = nearest.get(reached.symbol.key, (reached.depth, None))
    if edge is None or (steps >= reached.depth and edge.type == reached.relation):
        return reached
    return reached._replace(depth=steps, via=edge.target, relation=edge.type, line=edge.line)


def changed_symbols(view: View, diff: str) -> list[Symbol]:
    """Return the innermost symbols that a unified diff changes. The graph must be of the tree after the diff; symbols of
    deleted files are found if it is of the tree before."""
    return touched_symbols(view, parse_hunks(diff))


def touched_symbols(view: View, ranges: Iterable[Range]) -> list[Symbol]:
    """Return the innermost symbols in these lines."""
    found = {symbol.key: symbol for where in ranges for symbol in view.innermost(*where)}
    return [found[k] for k in sorted(found)]


def parse_hunks(diff: str, *, added: bool = False) -> list[Range]:
    """Return (file, first line, last line) of all changes of a unified diff, by lines of the new file; for a deleted file
    by lines of the old one. Only changed lines count, not context; with `added` only new lines, not positions of removed
    ones."""
    out: list[Range] = []
    old = file = ""
    lines = _LINE_END.split(diff)  # not `splitlines`, which treats a form feed in a line of code as its end
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if match := _OLD.match(line):
            old = match[1]
        elif match := _FILE.match(line):
            file = old if match[1] == "/dev/null" else match[1]
        elif (match := _HUNK.match(line)) and file:
            gone: list[Range] = [] if added else out
            at = _hunk(lines, at, match, file, file == old and match[4] == "0", out, gone)
    return out


def line_spans(diff: str) -> list[tuple[int, int, int, int]]:
    """Return the hunks of a diff of one file: first line and number of lines before and after."""
    marks = (match for line in _LINE_END.split(diff) if (match := _HUNK.match(line)))
    return [(int(m[1]), int(m[2] or 1), int(m[3]), int(m[4] or 1)) for m in marks]


def _hunk(
    lines: list[str], at: int, header: re.Match[str], file: str, deleted: bool, new: list[Range], gone: list[Range]
) -> int:
    """Parse one hunk; add the ranges of new lines, and the positions of removed ones."""
    left = [int(header[2] or 1), int(header[4] or 1)]
    here = int(header[1]) if deleted else max(int(header[3]), 1)
    while at < len(lines) and (left[0] > 0 or left[1] > 0):
        mark = lines[at][:1]
        at += 1
        if mark == "\\":
            continue
        if mark == "-":
            left[0] -= 1
            _note(gone, file, here)
            here += deleted
        elif mark == "+":
            left[1] -= 1
            _note(new, file, here)
            here += 1
        else:
            left = [left[0] - 1, left[1] - 1]
            here += 1
    return at


def _note(out: list[Range], file: str, line: int) -> None:
    if out and out[-1][0] == file and out[-1][1] <= line <= out[-1][2] + 1:
        out[-1] = (file, out[-1][1], max(out[-1][2], line))
    else:
        out.append((file, line, line))


def _risk(reached: list[Reached], tests: tuple[Symbol, ...]) -> float:
    """Return 0 if nothing depends on the change, one half for five certain dependents; a quarter less if tests reach it."""
    weight = sum(r.confidence for r in reached if r.relation != "IMPORTS")
    risk = weight / (weight + 5.0)
    return round(risk * (0.75 if tests else 1.0), 4)
