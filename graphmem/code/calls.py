"""Answers about callers and callees: which relations count for a kind of symbol, their order, and other possible callers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from graphmem.code.filters import Filter, accept_all, is_of_tests
from graphmem.code.template_mentions import find_template_lines
from graphmem.code.typed_members import functions_in_objects
from graphmem.codegraph import languages
from graphmem.codegraph.build import Index
from graphmem.codegraph.by_members import BY_MEMBERS
from graphmem.codegraph.fields import constructor_calls
from graphmem.codegraph.implementations import Through, calls_through_ports, is_met, through_port
from graphmem.codegraph.outside_types import methods_above
from graphmem.codegraph.scan import has_changed
from graphmem.codegraph.view import (
    CALLED,
    CLASSES,
    POSSIBLE,
    View,
    handed_on,
    importers,
    keys,
    of_type,
    overridden,
    overriding,
    users,
)
from graphmem.model.answers import Call, Calls, Place
from graphmem.model.code import CodeEdge, Symbol

Spot = tuple[str, int]  # path and line
MAY_RUN = 20  # calls of overridden methods that are listed
OPEN_PLACES = 40  # places of unresolved calls that are named
_CALLABLE = CALLED | {"class"}
_SHOWN = {
    "USES": "uses",
    "REFERS_TO": "refers to",
    "EXTENDS": "extends",
    "IMPLEMENTS": "implements",
    "IMPORTS": "imports",
}


class OpenPlace(NamedTuple):
    """Where something unresolved could be one more call or use: path, line, and the key of the symbol around it."""

    file: str
    line: int
    scope: str


def callers_of(
    view: View,
    found: list[Symbol],
    limit: int,
    wanted: Filter = accept_all,
    reads: Sequence[OpenPlace] = (),
    further: Sequence[CodeEdge] = (),
) -> Calls:
    """Return the callers of symbols (overloads of one name); for a symbol that is not callable its users, for a module
    its importers. `reads` are the places that may read a field, `further` its uses that the view does not record."""
    called = found[0].kind in _CALLABLE
    if found[0].kind == "module":
        edges = importers(view, found[0].file)
    else:
        edges = view.calls(keys(found), of=True)
        if not called or (not edges and found[0].kind in CLASSES):
            edges = _with_further(_with_constructions(view, found, users(view, keys(found))), further)
    if called:
        edges = _with_further(edges, further)
        own = set(keys(found))
        through_ports = [each for each in calls_through_ports(view, own) if each.port not in own]
        edges = _with_ports(view, edges, through_ports)
    ends = [(edge.source, edge) for edge in edges if wanted(view.symbols[edge.source])]
    known = {edge.source for edge in edges}
    is_declared = view.symbols.get(view.parent.get(found[0].key, ""), found[0]).kind == "interface"
    below = calls_of_overriding(view, found, known, wanted) if called or is_declared else ()
    through, handed = (calls_of_overridden(view, found, known), _handed(view, found)) if called else ((), [])
    every = unresolved_calls(view, _names(view, found)) if called else list(reads)
    sites = [site for site in every if wanted(view.symbols[site.scope])]
    answer = _answer(view, found[0], ends, limit, len(sites), through=len(through), handed=len(handed))
    hidden = [edge.source for edge in edges if not wanted(view.symbols[edge.source])]
    hidden += [site.scope for site in every if not wanted(view.symbols[site.scope])]
    return replace(
        answer,
        **describe_open(view, sites),
        handed_places=tuple(f"{file}:{line}" for file, line in dict.fromkeys(handed[:OPEN_PLACES])),
        may_run=through[:MAY_RUN],
        family=_family(found),
        templates=tuple(find_template_lines(view, found)),
        below=below[:MAY_RUN],
        of_overriding=len(below),
        hidden=len(hidden),
        hidden_tests=sum(is_of_tests(view, view.symbols[key]) for key in hidden),
    )


def _family(found: Sequence[Symbol]) -> tuple[Place, ...]:
    """Return the methods after the first that have another name with their class."""
    if found[0].kind not in CALLED:
        return ()
    first = {symbol.qualified_name: symbol for symbol in reversed(found)}
    del first[found[0].qualified_name]
    return tuple(Place.of(symbol) for symbol in reversed(first.values()))


def is_partial(view: View) -> bool:
    """Return whether calls may be missing, because values were not yet followed through the Python files of the tree."""
    return not view.index.flow and any(record.language == "python" for record in view.index.records.values())


def unresolved_calls(view: View, names: Iterable[str]) -> list[OpenPlace]:
    """Return where an unresolved call has one of these names, or one that begins like it; sources first. Those that
    are known to be of a port are none."""
    open_sites = {site for name in names for site in view.open_sites.get(name, ()) if not through_port(view, site)}
    open_sites |= {site for name in names for site in view.computed_sites(name)}
    ordered = sorted(open_sites, key=lambda s: (s.scope in view.tests, s.file, s.line))
    return list(dict.fromkeys(OpenPlace(site.file, site.line, site.scope) for site in ordered))


def describe_open(view: View, sites: Iterable[OpenPlace]) -> dict[str, Any]:
    """Return the fields `open_places` and `open_functions` of an answer: the first of these places, and the functions around
    them."""
    first: dict[Spot, str] = {}
    for site in islice(sites, OPEN_PLACES):
        symbol = view.symbols[site.scope]
        first.setdefault((site.file, site.line), symbol.name if symbol.kind in CALLED else "")
    return {
        "open_places": tuple(f"{file}:{line}" for file, line in first),
        "open_functions": tuple(name if not name.startswith("<") else "" for name in first.values()),
    }


def without_listed(found: Calls) -> Calls:
    """Return an answer without the unresolved calls in lines that its rows name."""
    listed = {f"{call.symbol.file}:{line}" for call in found.calls for line in (call.line, *call.further)}
    kept = [number for number, place in enumerate(found.open_places) if place not in listed]
    return replace(
        found,
        open_sites=found.open_sites - (len(found.open_places) - len(kept)),
        open_places=tuple(found.open_places[number] for number in kept),
        open_functions=tuple(found.open_functions[number] for number in kept),
    )


def _with_constructions(view: View, found: Iterable[Symbol], edges: list[CodeEdge]) -> list[CodeEdge]:
    """Return the users of fields with those that give them a value where they make an object."""
    made = {edge.source: edge for symbol in found for edge in constructor_calls(view, symbol)}
    known = {edge.source for edge in edges}
    return edges + [edge for source, edge in sorted(made.items()) if source not in known]


def running_fixtures(found: Iterable[Symbol], calls: Iterable[CodeEdge]) -> list[CodeEdge]:
    """Return the relations of tests to these fixtures."""
    own = set(keys(found))
    return [edge for edge in calls if edge.target in own]


def _with_further(edges: list[CodeEdge], further: Sequence[CodeEdge]) -> list[CodeEdge]:
    """Return relations with the first of each other source."""
    known = {edge.source for edge in edges}
    first = {edge.source: edge for edge in reversed(further) if edge.source not in known}
    return edges + list(reversed(first.values()))


def _with_ports(view: View, edges: list[CodeEdge], through: list[Through]) -> list[CodeEdge]:
    """Return the callers of symbols with those that call them through a port, one relation for each, most certain first. A
    call whose values were followed to the symbols is shown as one through the port, too."""
    calls = {each.call.source: each.as_call(view) for each in reversed(through)}
    places = {(each.call.source, each.call.line): each.as_call(view).strategy for each in reversed(through)}
    known = {edge.source for edge in edges if edge.type == "CALLS"}
    kept = [
        edge._replace(strategy=places.get((edge.source, edge.line), edge.strategy))
        for edge in edges
        if edge.source in known or edge.source not in calls
    ]
    kept += [call for source, call in calls.items() if source not in known]
    return sorted(kept, key=lambda edge: (-edge.confidence, edge.source)) if through else edges


def callees_of(
    view: View, found: list[Symbol], limit: int, wanted: Filter = accept_all, further: Sequence[CodeEdge] = ()
) -> Calls:
    """Return what symbols call, what the tree defines first; `open_sites` counts their own calls that stayed unresolved, but
    those of a port that is implemented. `further` are calls that the view does not record."""
    edges = view.calls(keys(found), of=False)
    known, own = {edge.target for edge in edges}, set(keys(found))
    more = {edge.target: edge for edge in reversed(further) if edge.source in own and edge.target not in known}
    edges += more.values()
    told = {(edge.source, edge.line, view.symbols[edge.target].name) for edge in further if edge.strategy == BY_MEMBERS}
    sites = sum(
        not is_met(view, site) and (site.scope, site.line, site.name) not in told
        for each in found
        for site in view.open_scopes.get(each.key, ())
    )
    edges.sort(key=lambda edge: view.symbols[edge.target].external)  # a limit leaves out calls of libraries first
    ends = [(edge.target, edge) for edge in edges if wanted(view.symbols[edge.target])]
    hidden = [edge.target for edge in edges if not wanted(view.symbols[edge.target])]
    tests = sum(is_of_tests(view, view.symbols[key]) for key in hidden)
    return replace(_answer(view, found[0], ends, limit, sites, own=True), hidden=len(hidden), hidden_tests=tests)


def stale_files(index: Index, files: Iterable[str]) -> tuple[str, ...]:
    """Return those files that changed on disk since indexing."""
    known = [index.sources[path] for path in sorted(set(files)) if path in index.sources]
    return tuple(source.path for source in known if has_changed(index.root, source))


def _answer(
    view: View,
    found: Symbol,
    ends: list[tuple[str, CodeEdge]],
    limit: int,
    sites: int,
    *,
    through: int = 0,
    handed: int = 0,
    own: bool = False,
) -> Calls:
    """Return the first `limit` of these edges, each with the symbol at its other end."""
    if own:
        kept = sorted(ends[:limit], key=lambda end: (view.symbols[end[0]].external, end[1].line, end[0]))
    else:
        kept = _by_file(view, sorted(ends, key=lambda end: end[0] in view.tests)[:limit])
    calls = tuple(Call(view.place(end), e.line, _SHOWN.get(_relation(e), e.strategy), e.confidence) for end, e in kept)
    stale = stale_files(view.index, (found.file, *(call.symbol.file for call in calls)))
    left_out = len(ends) - len(calls)
    return Calls(
        Place.of(found), calls, sites, stale, left_out, through, handed, own, len(ends), is_partial=is_partial(view)
    )


def _relation(edge: CodeEdge) -> str:
    """Return the relation to show instead of the strategy; "" for calls and for possible targets of a call."""
    shown = edge.type == "CALLS" or edge.strategy in ("override", "candidate", "unique name")
    return "" if shown else edge.type


def _by_file(view: View, ends: list[tuple[str, CodeEdge]]) -> list[tuple[str, CodeEdge]]:
    """Group rows by file, ordered by line: the file with the most certain row first, test files last."""
    rank: dict[str, int] = {}
    for end, _ in ends:
        rank.setdefault(view.symbols[end].file, len(rank))
    tests = {view.symbols[end].file for end, _ in ends if end in view.tests}
    return sorted(ends, key=lambda end: _place(view, end, rank, tests))


def _place(view: View, end: tuple[str, CodeEdge], rank: dict[str, int], tests: set[str]) -> tuple[bool, int, int, str]:
    file = view.symbols[end[0]].file
    return file in tests, rank[file], end[1].line, end[0]


def _names(view: View, found: Iterable[Symbol]) -> set[str]:
    """Return the names by which symbols are called; a constructor also by the name of its class."""
    names = set()
    for symbol in found:
        names.add(symbol.name)
        language = languages.all_languages().get(symbol.language)
        constructs = symbol.name in ("__init__", "__new__") or (
            language is not None and symbol.name in language.constructors
        )
        if constructs:
            owners = of_type(view.incoming.get(symbol.key, []), "DEFINES")
            names.update(view.symbols[edge.source].name for edge in owners if view.symbols[edge.source].kind in CLASSES)
    return names


def calls_of_overridden(view: View, found: Iterable[Symbol], callers: Collection[str]) -> tuple[Place, ...]:
    """Return the calls of overridden methods, outside of the known callers, that may run these symbols; sources first. The
    line of each place is that of the call."""
    symbols = list(found)
    through = {
        (edge.source, edge.line)
        for above in overridden(view, keys(symbols)).difference(keys(symbols))
        | {key for symbol in symbols for key in methods_above(view, symbol)}
        for edge in of_type(view.incoming.get(above, []), "CALLS")
        if edge.source not in callers
    }
    return _call_places(view, through)


def calls_of_overriding(
    view: View, found: Iterable[Symbol], callers: Collection[str], wanted: Filter = accept_all
) -> tuple[Place, ...]:
    """Return the calls, outside of the known callers, of methods that override these, whose receiver is thus known to be of a
    subtype; sources first. The line of each place is that of the call."""
    own = keys(found)
    calls = {
        (edge.source, edge.line)
        for below in (overriding(view, own) | functions_in_objects(view, found)).difference(own)
        for edge in of_type(view.incoming.get(below, []), "CALLS")
        if edge.source not in callers and edge.strategy not in POSSIBLE and wanted(view.symbols[edge.source])
    }
    return _call_places(view, calls)


def _call_places(view: View, calls: Collection[tuple[str, int]]) -> tuple[Place, ...]:
    ordered = sorted(calls, key=lambda site: (site[0] in view.tests, view.symbols[site[0]].file, site[1]))
    return tuple(replace(view.place(source), line=line) for source, line in ordered)


def _handed(view: View, found: Iterable[Symbol]) -> list[Spot]:
    """Return the places that reference these symbols without a call; sources first."""
    sites = {place for symbol in found for place in handed_on(view, symbol)}
    places = sorted((source in view.tests, view.symbols[source].file, line) for source, line in sites)
    return [(file, line) for _, file, line in places]
