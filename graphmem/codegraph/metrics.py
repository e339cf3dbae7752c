"""Metrics of a code graph: central symbols, cycles, complexity, untested code, entry points, and packages with
dependencies. Pure functions over a view."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.tests_of import FROM_TESTS, is_outside_sources
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View
from graphmem.model.code import Symbol

_SURE = 0.7  # confidence of a relation between packages
_RANKED = {"CALLS": 1.0, "REFERS_TO": 0.5, "USES": 0.5, "EXTENDS": 1.0, "IMPLEMENTS": 0.7}
_RELATIONS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "IMPORTS"})


class Package(NamedTuple):
    """A folder of the tree. `uses` and `used_by`: other folders with the number of relations; `central`: its most used
    symbols."""

    name: str
    files: int
    lines: int
    symbols: int
    uses: tuple[tuple[str, int], ...]
    used_by: tuple[tuple[str, int], ...]
    central: tuple[Symbol, ...]


class Overview(NamedTuple):
    """An architecture overview."""

    packages: tuple[Package, ...]
    entry_points: tuple[Symbol, ...]
    central: tuple[tuple[Symbol, float], ...]
    complex: tuple[Symbol, ...]
    cycles: tuple[tuple[str, ...], ...]
    languages: tuple[tuple[str, int, int], ...]  # name, files, lines
    package_cycles: tuple[tuple[str, ...], ...] = ()


def symbol_centrality(view: View, *, damping: float = 0.85, tests: bool = False) -> dict[str, float]:
    """Return PageRank of every symbol over calls, references and inheritance (sum 1). Modules pass on rank; tests do not
    count unless requested."""
    import numpy as np

    keys = [s.key for s in view.graph.symbols if not s.external and (tests or s.key not in view.tests)]
    number = {k: i for i, k in enumerate(keys)}
    rows, columns, weights = [], [], []
    for edge in view.graph.edges:
        weight = _RANKED.get(edge.type)
        if edge.strategy == FROM_TESTS:
            continue
        if weight and edge.source in number and edge.target in number and edge.source != edge.target:
            rows.append(number[edge.target])
            columns.append(number[edge.source])
            weights.append(weight * edge.confidence)
    size = len(keys)
    if not size:
        return {}
    targets, sources, weighed = np.array(rows, np.int64), np.array(columns, np.int64), np.array(weights, np.float64)
    out = np.bincount(sources, weighed, size)
    scale = np.divide(1.0, out, out=np.zeros(size), where=out > 0)
    rank = np.full(size, 1.0 / size)
    for _ in range(60):
        flow = np.bincount(targets, (rank * scale)[sources] * weighed, size)
        fresh = (1.0 - damping) / size + damping * (flow + rank[out == 0].sum() / size)
        if np.abs(fresh - rank).sum() < 1e-9:
            rank = fresh
            break
        rank = fresh
    return {k: float(rank[i]) for k, i in number.items()}


def import_cycles(view: View) -> list[tuple[str, ...]]:
    """Return groups of files that import each other in a cycle; largest first."""
    import networkx

    graph = networkx.DiGraph()
    for edge in view.graph.edges:
        if edge.type == "IMPORTS":
            a, b = view.symbols[edge.source], view.symbols[edge.target]
            if not b.external and a.file != b.file:
                graph.add_edge(a.file, b.file)
    found = [tuple(sorted(c)) for c in networkx.strongly_connected_components(graph) if len(c) > 1]
    return sorted(found, key=lambda c: (-len(c), c))


def package_cycles(view: View) -> list[tuple[str, ...]]:
    """Return groups of folders whose sources use each other in a cycle; largest first. Tests and uncertain relations do not
    count."""
    import networkx

    graph = networkx.DiGraph()
    for edge in view.graph.edges:
        if edge.type not in _RELATIONS or edge.strategy == FROM_TESTS or edge.confidence < _SURE:
            continue
        a, b = view.symbols[edge.source], view.symbols[edge.target]
        if b.external or a.key in view.tests or b.key in view.tests or _package(a) == _package(b):
            continue
        if not (is_outside_sources(a.file, a.language) or is_outside_sources(b.file, b.language)):
            graph.add_edge(_package(a), _package(b))
    found = [tuple(sorted(c)) for c in networkx.strongly_connected_components(graph) if len(c) > 1]
    return sorted(found, key=lambda c: (-len(c), c))


def _package(symbol: Symbol) -> str:
    return symbol.file.rpartition("/")[0] or "."


def hot_spots(view: View, limit: int = 20) -> list[Symbol]:
    """Return the most complex functions outside of tests."""
    functions = [s for s in view.graph.symbols if s.kind in FUNCTIONS and not s.external and s.key not in view.tests]
    return sorted(functions, key=lambda s: (-s.complexity, s.key))[:limit]


def untested_symbols(view: View, *, least_complexity: int = 3) -> list[Symbol]:
    """Return complex functions that no test reaches, not even indirectly; most complex first."""
    reached: set[str] = set()
    queue = [e.target for e in view.graph.edges if e.type == "TESTS"]
    while queue:
        key = queue.pop()
        if key in reached:
            continue
        reached.add(key)
        queue.extend(e.target for e in view.outgoing.get(key, ()) if e.type in ("CALLS", "REFERS_TO"))
        queue.extend(e.source for e in view.incoming.get(key, ()) if e.type == "OVERRIDES")
    gaps = [
        s
        for s in view.graph.symbols
        if s.kind in FUNCTIONS
        and not s.external
        and s.complexity >= least_complexity
        and s.key not in reached
        and s.key not in view.tests
    ]
    return sorted(gaps, key=lambda s: (-s.complexity, s.key))


def entry_points(view: View) -> list[Symbol]:
    """Return where execution starts: functions that the language calls by name, and modules with top-level code that
    nothing imports. Program starts (`main`) come first, auxiliary ones (`init` in Go) last."""
    found: list[tuple[int, int, Symbol]] = []
    for symbol in view.graph.symbols:
        if symbol.external or symbol.key in view.tests:
            continue
        language = languages.all_languages().get(symbol.language)
        named = language is not None and symbol.kind in FUNCTIONS and symbol.name in language.entry_points
        acts = symbol.kind == "module" and _acts(view, symbol.key) and not _imported(view, symbol.key)
        if acts or (named and view.parent.get(symbol.key) in view.symbols):
            besides = 1 if acts else 2 * (language is not None and symbol.name != language.entry_points[0])
            found.append((besides, symbol.file.count("/"), symbol))
    return [symbol for _, _, symbol in sorted(found)]


def package_metrics(view: View) -> list[Package]:
    """Return the folders of the tree with their dependencies, most used first."""
    rank = symbol_centrality(view)
    folder = {s.key: s.file.rpartition("/")[0] or "." for s in view.graph.symbols if not s.external}
    uses: dict[str, Counter[str]] = {}
    used: dict[str, Counter[str]] = {}
    for edge in view.graph.edges:
        a, b = folder.get(edge.source), folder.get(edge.target)
        if edge.type in _RELATIONS and a and b and a != b and edge.strategy != FROM_TESTS:
            uses.setdefault(a, Counter())[b] += 1
            used.setdefault(b, Counter())[a] += 1
    files: dict[str, list[int]] = {}
    for record in view.graph.files:
        files.setdefault(record.path.rpartition("/")[0] or ".", []).append(record.lines)
    inside: dict[str, list[str]] = {}
    for key, name in folder.items():
        inside.setdefault(name, []).append(key)
    out = []
    for name in sorted(inside):
        named = (k for k in inside[name] if view.symbols[k].kind in FUNCTIONS | CLASSES)
        best: dict[str, Symbol] = {}  # build-tag variants share a name
        for key in sorted(named, key=lambda k: (-rank.get(k, 0.0), k)):
            best.setdefault(view.symbols[key].qualified_name, view.symbols[key])
        out.append(
            Package(
                name,
                len(files.get(name, ())),
                sum(files.get(name, ())),
                len(inside[name]),
                _most(uses.get(name)),
                _most(used.get(name)),
                tuple(best.values())[:3],
            )
        )
    return sorted(out, key=lambda p: (-sum(n for _, n in p.used_by), -p.lines, p.name))


def code_overview(view: View, limit: int = 15) -> Overview:
    """Return packages, entry points, central and complex symbols, cycles and languages: `limit` of each."""
    rank = symbol_centrality(view)
    best = sorted((k for k in rank if view.symbols[k].kind in FUNCTIONS | CLASSES), key=lambda k: (-rank[k], k))[:limit]
    count: dict[str, list[int]] = {}
    for record in view.graph.files:
        if record.language in languages.all_languages():
            count.setdefault(record.language, []).append(record.lines)
    spoken = sorted(((n, len(x), sum(x)) for n, x in count.items()), key=lambda t: (-t[2], t[0]))
    return Overview(
        tuple(package_metrics(view)[:limit]),
        tuple(entry_points(view)[:limit]),
        tuple((view.symbols[k], rank[k]) for k in best),
        tuple(hot_spots(view, limit)),
        tuple(import_cycles(view)[:limit]),
        tuple(spoken),
        tuple(package_cycles(view)[:limit]),
    )


def _most(counts: Counter[str] | None) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((counts or Counter()).items(), key=lambda c: (-c[1], c[0]))[:8])


def _acts(view: View, module: str) -> bool:
    return module in view.open_scopes or any(
        e.type == "CALLS" and not e.target.startswith("ext:<builtin>.require") for e in view.outgoing.get(module, ())
    )


def _imported(view: View, module: str) -> bool:
    file = view.symbols[module].file
    for symbol in view.by_file.get(file, ()):
        for edge in view.incoming.get(symbol.key, ()):
            outside = view.symbols[edge.source].file != file and edge.source not in view.tests
            if edge.type in _RELATIONS and outside:
                return True
    return False
