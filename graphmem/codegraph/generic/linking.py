"""Edges and call sites of one file during linking."""

from __future__ import annotations

from graphmem.codegraph.generic.resolver import Resolver
from graphmem.codegraph.records import FileLinks
from graphmem.model.code import CallSite, CodeEdge


class Links:
    """Edges and call sites found so far."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.edges: dict[tuple[str, str, str], CodeEdge] = {}
        self.call_sites: list[CallSite] = []
        self._implementations = resolver.program.implementations

    def edge(self, type_: str, source: str, target: str, line: int, how: str, sure: float) -> None:
        """Add an edge; of several of a type between two symbols, the most certain, then the first, is kept. What leads to a
        signature of an overloaded function leads to its implementation."""
        if type_ != "DEFINES":
            target = self._implementations.get(target, target)
            source = self._implementations.get(source, source) if type_ == "OVERRIDES" else source
        mark = (type_, source, target)
        known = self.edges.get(mark)
        if known is None or sure > known.confidence:
            self.edges[mark] = CodeEdge(type_, source, target, known.line if known else line, how, sure)

    def result(self) -> FileLinks:
        """Return everything, sorted."""
        return FileLinks(tuple(sorted(self.edges.values())), tuple(sorted(set(self.call_sites))))
