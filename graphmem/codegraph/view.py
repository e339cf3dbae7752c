"""A code graph with lookup tables: symbols by key, relations by either end, nesting. Built once, then updated after every
edit; the queries are in the neighbouring modules."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from rapidfuzz.distance import OSA

from graphmem.codegraph import languages
from graphmem.codegraph.build import Index, external_symbols, no_collection
from graphmem.codegraph.tests_of import FROM_TESTS, is_test_symbol, tests_inside
from graphmem.model.answers import Place
from graphmem.model.code import CallSite, CodeEdge, CodeGraph, Symbol

DEPENDS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "OVERRIDES", "IMPORTS"})
FUNCTIONS = frozenset({"function", "method"})
CALLED = FUNCTIONS | {"macro"}
POSSIBLE = frozenset({"override", "candidate"})  # strategies of references to what may run in place of what is called
_COMPUTED = re.compile(r"""getattr\(.*?,\s*(?:f["'](\w{2,})\{|["'](\w{2,})["']\s*\+|["'](\w{2,})%s)""")
_IN_FILE = re.compile(r"([^:]*[^:/]\.\w+):([^:\d\s][^\s/]*)")  # `app/cart.py:Cart.total`
_BETWEEN = re.compile(r"::|/|(?<=[\w$)\]?!])#")  # parts of a name
_NEAR = 3
_ALIKE = 0.75  # of two names, from which on the one may be meant by the other
_USES = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS"})
_KEPT = frozenset({"field", "variable", "constant"})
_TYPE, _SOURCE, _TARGET, _CONFIDENCE = map(attrgetter, ("type", "source", "target", "confidence"))
CLASSES = frozenset({"class", "interface", "struct", "trait", "enum", "type"})
TITLES = " "  # in place of the name of a test that has a title

T = TypeVar("T", CodeEdge, CallSite, Symbol)


class View:
    """Lookups over the graph of one state of a tree. Tables are built on demand."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._places: dict[str, Place] = {}

    @property
    def graph(self) -> CodeGraph:
        """Return everything, sorted."""
        return self.index.graph

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        """Return every symbol by key."""
        return {s.key: s for s in self._symbols()}

    def _symbols(self) -> Iterator[Symbol]:
        for facts in self.index.facts.values():
            yield from facts.symbols
        yield from map(external_symbols, self.index.externals)

    def _edges(self) -> Iterator[CodeEdge]:
        return (edge for part in self.index.links.values() for edge in part.edges)

    def _sites(self) -> Iterator[CallSite]:
        return (site for part in self.index.links.values() for site in part.call_sites)

    def _table(self, name: str, rows: Iterable[T]) -> dict[str, list[T]]:
        with no_collection():  # which takes longer than the table: an index has millions of objects
            return _patched({}, _TABLES[name][1], (), rows)

    @cached_property
    def incoming(self) -> dict[str, list[CodeEdge]]:
        """Return the edges that end at a symbol."""
        return self._table("incoming", self._edges())

    @cached_property
    def outgoing(self) -> dict[str, list[CodeEdge]]:
        """Return the edges that start at a symbol."""
        return self._table("outgoing", self._edges())

    def calls(self, keys: Iterable[str], *, of: bool) -> list[CodeEdge]:
        """Return the calls of symbols (including those of what they override), or by them (including possible targets),
        most certain first: one per other end, and without a call the most certain reference to a possible target."""
        table, end = (self.incoming, _SOURCE) if of else (self.outgoing, _TARGET)
        surest: list[CodeEdge] = []
        for edges in (table.get(key, []) for key in keys):
            surest += of_type(edges, "CALLS")
            surest += [edge for edge in of_type(edges, "REFERS_TO") if edge.strategy in POSSIBLE]
        surest.sort(key=_CONFIDENCE, reverse=True)
        last = sorted(surest, key=_TYPE)[::-1]  # of edges with one end the best comes last, and stays
        best = dict(zip(map(end, last), last, strict=True))
        return [edge for edge in surest if best[end(edge)] is edge]

    @cached_property
    def parent(self) -> dict[str, str]:
        """Return the symbol that defines a symbol."""
        return {edge.target: edge.source for edge in self._edges() if edge.type == "DEFINES"}

    def place(self, key: str) -> Place:
        """Return the location of a symbol by key, cached."""
        known = self._places.get(key)
        if known is None:
            known = self._places[key] = Place.of(self.symbols[key])
        return known

    @cached_property
    def by_file(self) -> dict[str, list[Symbol]]:
        """Return the symbols of a file, ordered by line."""
        return self._table("by_file", (s for facts in self.index.facts.values() for s in facts.symbols))

    @cached_property
    def open_sites(self) -> dict[str, list[CallSite]]:
        """Return unresolved call sites by the called name: each might be a call of any definition with that name."""
        return self._table("open_sites", self._sites())

    def computed_sites(self, name: str) -> list[CallSite]:
        """Unresolved calls whose function is looked up by a name of which only the beginning is written, as that one has."""
        sites = ((site, _COMPUTED.search(site.text)) for sites in self.open_sites.values() for site in sites)
        return [site for site, found in sites if found and name.startswith(found[1] or found[2] or found[3])]

    @cached_property
    def open_scopes(self) -> dict[str, list[CallSite]]:
        """Return unresolved call sites by their enclosing symbol."""
        return self._table("open_scopes", self._sites())

    @cached_property
    def tests(self) -> frozenset[str]:
        """Return the keys of all tests and test helpers."""
        return frozenset(key for path in self.by_file for key in _tests_in(self.by_file, path))

    def within(self, key: str) -> Iterator[str]:
        """Yield a symbol and its enclosing symbols, innermost first."""
        seen = set()
        while key and key not in seen:
            seen.add(key)
            yield key
            key = self.parent.get(key, "")

    def innermost(self, file: str, first: int, last: int) -> list[Symbol]:
        """Return the innermost symbols in a range of lines of a file."""
        touched = [s for s in self.by_file.get(file, ()) if s.line <= last and first <= s.end_line]
        outer = {self.parent.get(s.key, "") for s in touched}
        found = [s for s in touched if s.key not in outer and s.kind != "module"]
        return found or [s for s in touched if s.kind == "module"]

    def find(self, name: str) -> list[Symbol]:
        """Return the symbols for a key, a qualified name, or the end of one (`Class.method`, `method`), best first;
        `method#2` is the second with that name in its file, `FILE:method` any in that file. Tests are found by their titles
        where nothing has the name."""
        if name in self.symbols:
            return [self.symbols[name]]
        if place := _IN_FILE.fullmatch(name):
            path = place[1].removeprefix(f"{self.index.root}/").removeprefix("./")
            inside = [s for s in self.find(place[2]) if f"/{s.file}".endswith(f"/{path}")]
            inside = inside or [s for s in self._named(place[2]) if f"/{s.file}".endswith(f"/{path}")]
            if inside:
                return inside
        several, _, number = name.rpartition("#")
        if number.isdigit():
            ends = (f"#{number}", f"~{number}")  # as Python and the other languages write it in keys
            first = [s for s in self.find(several) if s.key.endswith(s.qualified_name)] if number == "1" else []
            return first or [s for s in self.find(several) if s.key.endswith(ends)]
        dotted = _dotted(name)
        named = self._named(name)
        if not named and "#" in name:  # `Ky#fetch` of `Ky.#fetch`
            named = self._named(name.replace("#", ".#"))
        exact = [s for s in named if s.qualified_name == dotted]
        if exact and all(s.kind == "module" for s in exact):  # C: `sdsalloc` of sds.h, next to sdsalloc.h
            exact = [s for s in named if s.kind != "module" and not s.external] or exact
        own = [s for s in named if not s.external]
        return own if own and all(s.external for s in exact) else exact or named or self._titled(name)

    def _titled(self, name: str) -> list[Symbol]:
        """Return the tests whose title a name is, with those of the groups around it or without; else those with several of its
        words in their titles."""
        said = " ".join(name.casefold().split()).rstrip(" .")
        titles = {symbol: symbol.qualified_name.casefold() for symbol in self.named.get(TITLES, ())}
        ends = (f" > {said}", f".{said}")
        exact = [s for s, title in titles.items() if title == said or title.endswith(ends)]
        return exact or [s for s, title in titles.items() if " " in said and said in title]

    def _named(self, name: str) -> list[Symbol]:
        """Return the symbols whose qualified names end with a name."""
        dotted = _dotted(name)
        ending = self.named.get(dotted.rpartition(".")[2], ())
        return [s for s in ending if f".{s.qualified_name}".endswith(f".{dotted}")]

    @cached_property
    def named(self) -> dict[str, list[Symbol]]:
        """Return the symbols by the last part of their qualified names; those whose name is a title under TITLES."""
        return self._table("named", self._symbols())


def _dotted(name: str) -> str:
    """Return a name with dots between its parts; a `#` that begins a part stays: a private member of JavaScript."""
    return _BETWEEN.sub(".", name)


def of_type(edges: list[CodeEdge], type: str) -> list[CodeEdge]:
    """Return the edges of one type from a sorted table, by binary search: popular symbols have thousands of edges."""
    first = bisect_left(edges, (type,))
    return edges[first : bisect_left(edges, (f"{type}\0",), first)]


def users(view: View, keys: Iterable[str]) -> list[CodeEdge]:
    """Return the users of symbols that are not callable, most certain first: one relation per user; calls count as well."""
    edges = [e for key in keys for e in view.incoming.get(key, ()) if e.type in _USES and e.strategy != FROM_TESTS]
    return _surest_of_each(edges)


def importers(view: View, file: str) -> list[CodeEdge]:
    """Return the importers of a file, or of something in it: one relation per importing file."""
    edges = [e for s in view.by_file.get(file, ()) for e in of_type(view.incoming.get(s.key, []), "IMPORTS")]
    return _surest_of_each(e for e in edges if view.symbols[e.source].file != file)


def _surest_of_each(edges: Iterable[CodeEdge]) -> list[CodeEdge]:
    best: dict[str, CodeEdge] = {}
    for edge in edges:
        known = best.get(edge.source)
        if known is None or edge.confidence > known.confidence:
            best[edge.source] = edge
    return sorted(best.values(), key=_CONFIDENCE, reverse=True)


def symbol_at(view: View, file: str, line: int) -> Symbol | None:
    """Return the innermost named symbol at a line of a file; a field or variable only if there is no enclosing function.
    None beyond the end of the file."""
    around = [s for s in view.by_file.get(file, ()) if s.line <= line <= s.end_line and not s.name.startswith("<")]
    inner = min((s for s in around if s.kind not in _KEPT), key=_extent, default=None)
    kept = [s for s in around if s.kind in _KEPT]
    return min(kept, key=_extent) if kept and (inner is None or inner.kind not in FUNCTIONS) else inner


def overridden(view: View, keys: Iterable[str]) -> set[str]:
    """Return what these symbols override, transitively."""
    return _reached(keys, lambda key: (edge.target for edge in of_type(view.outgoing.get(key, []), "OVERRIDES")))


def overriding(view: View, keys: Iterable[str]) -> set[str]:
    """Return what overrides these symbols, or implements them, transitively."""
    return _reached(keys, lambda key: (edge.source for edge in of_type(view.incoming.get(key, []), "OVERRIDES")))


def _reached(keys: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    rest = list(keys)
    while rest:
        fresh = set(following(rest.pop())) - found
        found |= fresh
        rest += fresh
    return found


def handed_on(view: View, symbol: Symbol) -> set[tuple[str, int]]:
    """Return (symbol, line) of references to a symbol without a call."""
    edges = view.incoming.get(symbol.key, [])
    naming = of_type(edges, "USES")
    if symbol.kind in CALLED and symbol.language != "python":  # of Python that relation is any mention, a call as well
        naming += of_type(edges, "REFERS_TO")
    named = {(e.source, e.line) for e in naming if e.strategy not in POSSIBLE and e.strategy != FROM_TESTS}
    return named.difference((e.source, e.line) for e in of_type(edges, "CALLS")) if named else named


def later(view: View, index: Index) -> View:
    """Return the view of a later state of the same tree, at a cost proportional to the change: equal parts are shared.
    Readers of the old view are not affected."""
    found, made = View(index), view.__dict__
    change = _Change.between(view.index, index)
    for name, (part, key) in _TABLES.items():
        if name in made:
            found.__dict__[name] = _patched(dict(made[name]), key, *getattr(change, part))
    if "symbols" in made:
        found.__dict__["symbols"] = symbols = dict(made["symbols"])
        for symbol in change.symbols[0]:
            symbols.pop(symbol.key, None)
        symbols.update((s.key, s) for s in change.symbols[1])
    if "tests" in made and "by_file" in made:
        paths = {s.file for part in change.own for s in part}
        gone = {s.key for path in paths for s in view.by_file.get(path, ())}
        found.__dict__["tests"] = (made["tests"] - gone) | {k for path in paths for k in _tests_in(found.by_file, path)}
    return found


def near(view: View, name: str) -> list[str]:
    """Return qualified names similar to an unknown one, most similar first."""
    last = _dotted(name).rpartition(".")[2]
    own = {
        n: known
        for n, symbols in view.named.items()
        if n != TITLES and (known := [s for s in symbols if not s.external])
    }
    folded = {n.lower(): n for n in own}
    like = [folded[n] for n in get_close_matches(last.lower(), folded, _NEAR, _ALIKE)]
    like = like or [folded[n] for n in sorted(folded) if OSA.distance(n, last.lower(), score_cutoff=1) <= 1][:_NEAR]
    return [own[n][0].qualified_name for n in like]


def keys(symbols: Iterable[Symbol]) -> list[str]:
    """Return the keys of symbols."""
    return [s.key for s in symbols]


def _tests_in(by_file: dict[str, list[Symbol]], path: str) -> set[str]:
    symbols = by_file.get(path, [])
    language = next((s.language for s in symbols if s.language in languages.all_languages()), "")
    if language and languages.get_language(language).is_test_file(path):
        return {s.key for s in symbols}
    marked = [s for s in symbols if is_test_symbol(s)]
    around = [s for s in marked if s.kind in ("namespace", *CLASSES) or s.has_title]
    return {s.key for s in marked} | {s.key for outer in around for s in tests_inside(outer, symbols)}


class _Change(NamedTuple):
    """What one state of an index has no more, and what another has instead."""

    own: tuple[set[Symbol], set[Symbol]]
    symbols: tuple[set[Symbol], set[Symbol]]  # outside names as well
    edges: tuple[set[CodeEdge], set[CodeEdge]]
    sites: tuple[set[CallSite], set[CallSite]]

    @classmethod
    def between(cls, old: Index, new: Index) -> _Change:
        """Compare states of a tree, which share the records of unchanged files."""
        parts: list[list[Any]] = []
        for mine, other in ((old, new), (new, old)):
            facts = [f for path, f in mine.facts.items() if f is not other.facts.get(path)]
            links = [part for path, part in mine.links.items() if part is not other.links.get(path)]
            own = {s for f in facts for s in f.symbols}
            parts.append(
                [
                    own,
                    own.union(map(external_symbols, mine.externals.keys() - other.externals.keys())),
                    {edge for part in links for edge in part.edges},
                    {site for part in links for site in part.call_sites},
                ]
            )
        return cls(*((was - now, now - was) for was, now in zip(*parts, strict=True)))


_TABLES: dict[str, tuple[str, Callable[[Any], str]]] = {  # of what they consist, and where a row belongs
    "incoming": ("edges", lambda edge: edge.target),
    "outgoing": ("edges", lambda edge: edge.source),
    "open_sites": ("sites", lambda site: site.name),
    "open_scopes": ("sites", lambda site: site.scope),
    "by_file": ("own", lambda symbol: symbol.file),
    "named": ("symbols", lambda s: TITLES if s.has_title else s.qualified_name.rpartition(".")[2]),
}


def _patched(
    table: dict[str, list[T]], key: Callable[[T], str], gone: Iterable[T], new: Iterable[T]
) -> dict[str, list[T]]:
    """Return a table of lists without some rows and with others; no list is changed, those concerned are replaced."""
    without: set[T] = set(gone)
    fresh: defaultdict[str, list[T]] = defaultdict(list)
    for row in new:
        fresh[key(row)].append(row)
    for name in fresh.keys() | {key(row) for row in without}:
        added, old = fresh.get(name, []), table.get(name)
        rows: list[T] = [row for row in old if row not in without] + added if old else added
        if len(rows) > 1:
            rows.sort(key=_order)
        if rows:
            table[name] = rows
        else:
            table.pop(name, None)
    return table


def _order(row: Symbol | CodeEdge | CallSite) -> Any:
    """Symbols by place, an outer one before what lies in it; others by themselves."""
    return (row.file, row.line, -row.end_line, row.key) if isinstance(row, Symbol) else row


def _extent(symbol: Symbol) -> tuple[int, int]:
    """Sort key: the innermost first. Of two symbols with the same lines, such as a file and its only function, the one
    with the longer name is in the other."""
    return symbol.end_line - symbol.line, -len(symbol.qualified_name)
