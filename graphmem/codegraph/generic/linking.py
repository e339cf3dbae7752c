"""Edges and call sites of one file during linking."""

from __future__ import annotations

from graphmem.codegraph.generic.resolver import Resolver
from graphmem.codegraph.records import FileFacts, FileLinks
from graphmem.model.code import CallSite, CodeEdge


class Links:
    """Edges and call sites found so far."""

    def __init__(self, resolver: Resolver, facts: FileFacts) -> None:
        self.resolver = resolver
        self._within = _within_tests(facts)
        self.edges: dict[tuple[str, str, str], CodeEdge] = {}
        self.call_sites: list[CallSite] = []
        self._implementations = resolver.program.implementations

    def edge(self, type_: str, source: str, target: str, line: int, how: str, sure: float) -> None:
        """Add an edge; of several of a type between two symbols, the most certain, then the first, is kept. What leads to a
        signature of an overloaded function leads to its implementation."""
        if type_ != "DEFINES":
            target = self._implementations.get(target, target)
            source = self._implementations.get(source, source) if type_ == "OVERRIDES" else source
        if self._within and type_ != "DEFINES":
            source, target = self._within.get(source, source), self._within.get(target, target)
            if source == target:  # a test and a function literal in it
                return
        mark = (type_, source, target)
        known = self.edges.get(mark)
        if known is None or sure > known.confidence:
            self.edges[mark] = CodeEdge(type_, source, target, known.line if known else line, how, sure)

    def result(self) -> FileLinks:
        """Return everything, sorted."""
        sites = {site._replace(scope=self._within.get(site.scope, site.scope)) for site in self.call_sites}
        return FileLinks(tuple(sorted(self.edges.values())), tuple(sorted(sites)))


def _within_tests(facts: FileFacts) -> dict[str, str]:
    """Return by the key of each anonymous function in a test with a title the key of that test: what it does, the test does."""
    symbols = facts.symbols
    if not any(symbol.has_title for symbol in symbols):
        return {}
    outer: dict[int, int] = {}
    for scope in facts.summary.scopes:
        symbol = scope.symbol
        around = facts.summary.scopes[scope.parent].symbol if scope.parent >= 0 else symbol
        if around != symbol and symbols[symbol].name.startswith("<"):
            test = outer.get(around, around)
            if symbols[test].has_title:
                outer.setdefault(symbol, test)
    return {symbols[inner].key: symbols[test].key for inner, test in outer.items()}
