"""Collects edges: one for each pair of symbols and kind of relation (references: and line), with the surest account of
how it was resolved."""

from __future__ import annotations

from graphmem.model.code import CodeEdge


class Edges:
    """A growing set of edges."""

    def __init__(self) -> None:
        self._add_calls: dict[tuple[str, str, str], tuple[int, str, float]] = {}
        self._references: dict[tuple[str, str, int], tuple[str, float]] = {}

    def add(self, kind: str, source: str, target: str, line: int, strategy: str, confidence: float) -> None:
        """Add an edge; of several between the same symbols the surest stays, with the first line."""
        key = (kind, source, target)
        known = self._add_calls.get(key)
        if known is None or (-confidence, line) < (-known[2], known[0]):
            self._add_calls[key] = (line, strategy, confidence)

    def refer(self, source: str, target: str, line: int, strategy: str, confidence: float) -> None:
        """Add a reference from a line of `source`."""
        key = (source, target, line)
        known = self._references.get(key)
        if known is None or confidence > known[1]:
            self._references[key] = (strategy, confidence)

    def sorted_edges(self) -> tuple[CodeEdge, ...]:
        """Return all edges."""
        found = [CodeEdge(k, s, t, *rest) for (k, s, t), rest in self._add_calls.items()]
        found += [CodeEdge("REFERS_TO", s, t, line, *rest) for (s, t, line), rest in self._references.items()]
        found.sort()
        return tuple(found)
