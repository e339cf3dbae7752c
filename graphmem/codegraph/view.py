"""A code graph with the look-ups that questions need: symbols by key, relations by either end, what lies within what. Built
once per graph; the questions themselves are in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property

from graphmem.codegraph import languages
from graphmem.codegraph.tests_of import inside, is_test_symbol
from graphmem.model.code import CallSite, CodeEdge, CodeGraph, Symbol

DEPENDS = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "OVERRIDES", "IMPORTS"})
FUNCTIONS = frozenset({"function", "method"})
POSSIBLE = frozenset({"override", "candidate"})  # strategies of references to what may run in place of what is called
_NEAR = 3
CLASSES = frozenset({"class", "interface", "struct", "trait", "enum", "type"})


class View:
    """Look-ups over one graph."""

    def __init__(self, graph: CodeGraph) -> None:
        self.graph = graph

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        """Every symbol by its key."""
        return {s.key: s for s in self.graph.symbols}

    @cached_property
    def incoming(self) -> dict[str, list[CodeEdge]]:
        """The edges that end at a symbol."""
        table: dict[str, list[CodeEdge]] = {}
        for edge in self.graph.edges:
            table.setdefault(edge.target, []).append(edge)
        return table

    @cached_property
    def outgoing(self) -> dict[str, list[CodeEdge]]:
        """The edges that start at a symbol."""
        table: dict[str, list[CodeEdge]] = {}
        for edge in self.graph.edges:
            table.setdefault(edge.source, []).append(edge)
        return table

    def calls(self, key: str, *, of: bool) -> list[CodeEdge]:
        """The calls of a symbol (with those of what it may run in place of), or by it (with what may run in place of what it
        calls): one for each other end, and where there is no call the surest reference to what may run."""
        edges = (self.incoming if of else self.outgoing).get(key, ())
        found: dict[str, CodeEdge] = {}
        for edge in edges:
            if edge.type == "CALLS" or (edge.type == "REFERS_TO" and edge.strategy in POSSIBLE):
                known = found.setdefault(edge.source if of else edge.target, edge)
                if (edge.type, -edge.confidence, edge) < (known.type, -known.confidence, known):
                    found[edge.source if of else edge.target] = edge
        return list(found.values())

    @cached_property
    def parent(self) -> dict[str, str]:
        """The symbol that defines a symbol."""
        return {e.target: e.source for e in self.graph.edges if e.type == "DEFINES"}

    @cached_property
    def by_file(self) -> dict[str, list[Symbol]]:
        """The symbols of a file, in order of their lines."""
        table: dict[str, list[Symbol]] = {}
        for symbol in self.graph.symbols:
            if not symbol.external:
                table.setdefault(symbol.file, []).append(symbol)
        for symbols in table.values():
            symbols.sort(key=lambda s: (s.line, -s.end_line, s.key))
        return table

    @cached_property
    def open_sites(self) -> dict[str, list[CallSite]]:
        """Unresolved call sites by the name they call: each could be a call of any definition of that name."""
        table: dict[str, list[CallSite]] = {}
        for site in self.graph.call_sites:
            table.setdefault(site.name, []).append(site)
        return table

    @cached_property
    def open_scopes(self) -> frozenset[str]:
        """The keys of symbols with an unresolved call."""
        return frozenset(s.scope for s in self.graph.call_sites)

    @cached_property
    def tests(self) -> frozenset[str]:
        """The keys of all symbols that are tests or helpers of tests."""
        out: set[str] = set()
        for path, symbols in self.by_file.items():
            language = next((s.language for s in symbols if s.language in languages.all_languages()), "")
            if language and languages.get(language).is_test_file(path):
                out.update(s.key for s in symbols)
                continue
            marked = [s for s in symbols if is_test_symbol(s)]
            out.update(s.key for s in marked)
            for outer in marked:
                if outer.kind in ("namespace", *CLASSES):
                    out.update(s.key for s in inside(outer, symbols))
        return frozenset(out)

    def within(self, key: str) -> Iterator[str]:
        """A symbol and everything around it, from the inside out."""
        seen = set()
        while key and key not in seen:
            seen.add(key)
            yield key
            key = self.parent.get(key, "")

    def members(self, key: str) -> list[Symbol]:
        """What a symbol defines directly."""
        return [self.symbols[e.target] for e in self.outgoing.get(key, ()) if e.type == "DEFINES"]

    def innermost(self, file: str, first: int, last: int) -> list[Symbol]:
        """The innermost symbols that a range of lines of a file touches."""
        touched = [s for s in self.by_file.get(file, ()) if s.line <= last and first <= s.end_line]
        outer = {self.parent.get(s.key, "") for s in touched}
        found = [s for s in touched if s.key not in outer and s.kind != "module"]
        return found or [s for s in touched if s.kind == "module"]

    def find(self, name: str) -> list[Symbol]:
        """The symbols meant by a key, a qualified name, or the end of one (`Class.method`, `method`), best first."""
        if name in self.symbols:
            return [self.symbols[name]]
        dotted = name.replace("::", ".").replace("#", ".").replace("/", ".")
        last = dotted.rpartition(".")[2]
        named = [s for s in self.named.get(last, ()) if f".{s.qualified_name}".endswith(f".{dotted}")]
        exact = [s for s in named if s.qualified_name == dotted]
        return exact or [s for s in named if not s.external] or named

    def near(self, name: str) -> list[str]:
        """Qualified names like one that nothing has, nearest first."""
        last = name.replace("::", ".").replace("#", ".").replace("/", ".").rpartition(".")[2]
        own = {n: known for n, symbols in self.named.items() if (known := [s for s in symbols if not s.external])}
        folded = {n.lower(): n for n in own}
        like = [folded[n] for n in get_close_matches(last.lower(), folded, _NEAR)]
        return [own[n][0].qualified_name for n in like]

    @cached_property
    def named(self) -> dict[str, list[Symbol]]:
        """The symbols by the last part of their qualified names."""
        table: dict[str, list[Symbol]] = {}
        for symbol in self.graph.symbols:
            table.setdefault(symbol.qualified_name.rpartition(".")[2], []).append(symbol)
        return table


def keys(symbols: Iterable[Symbol]) -> list[str]:
    """The keys of symbols."""
    return [s.key for s in symbols]
