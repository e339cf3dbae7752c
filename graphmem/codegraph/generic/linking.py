"""The edges and call sites of one file while it is being linked."""

from __future__ import annotations

from graphmem.codegraph.generic.resolver import Resolver
from graphmem.codegraph.records import FileLinks
from graphmem.model.code import CallSite, CodeEdge


class Links:
    """Edges and call sites of one file as they are found."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.edges: dict[tuple[str, str, str], CodeEdge] = {}
        self.call_sites: list[CallSite] = []

    def edge(self, type_: str, source: str, target: str, line: int, how: str, sure: float) -> None:
        """Adds an edge; of several of one kind between two symbols the surest, then the first, stays."""
        mark = (type_, source, target)
        known = self.edges.get(mark)
        if known is None or sure > known.confidence:
            self.edges[mark] = CodeEdge(type_, source, target, known.line if known else line, how, sure)

    def result(self) -> FileLinks:
        """All of them, sorted."""
        return FileLinks(tuple(sorted(self.edges.values())), tuple(sorted(set(self.call_sites))))
