"""A memory of a growing session keeps its relations in the graph: nothing is removed that comes back, and what is stale goes."""

from __future__ import annotations

import pytest

from graphmem import Memory
from graphmem.backends.graph.embedded import EmbeddedGraph

_RELATIONS = "MATCH (m:Memory)-[r]->(x) RETURN m.id, label(r), x.id ORDER BY m.id, label(r), x.id"


def test_a_growing_session_needs_no_checkpoint(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Removing a new relation does; it took 0.3 s of processor time after each turn."""
    written: list[int] = []
    checkpoint = EmbeddedGraph._checkpoint
    monkeypatch.setattr(EmbeddedGraph, "_checkpoint", lambda graph: written.append(1) or checkpoint(graph))
    for number in range(4):
        memory.observe(f"The crane lifts load {number} in the harbour.", session="s")
        memory.process()
    assert not written and len(memory.cypher(_RELATIONS).rows) >= 4


def test_what_grew_is_what_a_rebuild_makes(memory: Memory) -> None:
    for number in range(12):
        memory.observe(
            f"The {('crane', 'gate', 'pump')[number % 3]} was oiled, round {number}.", session=f"s{number % 2}"
        )
        if number == 7:
            memory.forget(memory.history(session="s1")[0].id)
        memory.process()
    grown = memory.cypher(_RELATIONS).rows
    memory.rebuild()
    assert grown == memory.cypher(_RELATIONS).rows != []
