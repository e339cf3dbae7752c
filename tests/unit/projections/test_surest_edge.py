"""Of several relations of a type between two symbols the graph holds one: the surest, of these the first."""

from __future__ import annotations

from itertools import permutations

from graphmem.model.code import CodeEdge
from graphmem.projections.code import group_edges

GUESS = CodeEdge("CALLS", "a", "b", 3, "unique name", 0.5)
SURE = CodeEdge("CALLS", "a", "b", 9, "import", 0.9)
LATER = CodeEdge("CALLS", "a", "b", 12, "flow", 0.9)
OTHER = CodeEdge("REFERS_TO", "a", "b", 1, "scope", 0.1)


def test_the_surest_then_the_first_stands_for_all_whatever_comes_first() -> None:
    for edges in permutations([GUESS, SURE, LATER, OTHER]):
        assert group_edges(edges) == {("CALLS", "a", "b"): SURE, ("REFERS_TO", "a", "b"): OTHER}
