"""The table of memory kinds is what the graph, explicit memories and forgetting follow."""

from __future__ import annotations

import tomllib

import pytest

from graphmem import Memory, resources
from graphmem.backends.graph.schema import schema_statements
from graphmem.model.kinds import KINDS, REMEMBERABLE, labels_where, names_where

pytestmark = pytest.mark.core


def test_every_label_of_the_table_is_a_node_table_of_the_graph() -> None:
    tables = " ".join(schema_statements())
    assert [kind.name for kind in KINDS.values() if kind.label and f"NODE TABLE {kind.label}(" not in tables] == []


def test_every_kind_that_can_be_remembered_is_found_shown_and_forgotten(memory: Memory) -> None:
    for kind in REMEMBERABLE:
        memory.remember(
            f"the {kind} about quokkas", kind=kind, title=f"A {kind}", ref=kind, files=["src/zoo.py"], tags=["zoo"]
        )
    memory.process()
    for kind in REMEMBERABLE:
        assert [hit.ref for hit in memory.search("quokkas", kinds=[kind]).hits] == [kind]
        label = KINDS[kind].label
        assert memory.cypher(f"MATCH (n:{label}) RETURN n.title").rows == [[f"A {kind}"]]
        assert memory.cypher(f"MATCH (n:{label})-[:TAGGED]->(t:Tag) RETURN t.name").rows == [["zoo"]]
        about = (
            memory.cypher(f"MATCH (n:{label})-[:ABOUT]->(f:File) RETURN count(f)").rows
            if KINDS[kind].is_about_files
            else [[1]]
        )
        assert about == [[1]]
        memory.forget(kind)
        assert not memory.search("quokkas", kinds=[kind]).hits


def test_selections_follow_the_table() -> None:
    assert names_where(ageing="state") == ("gotcha", "task")
    assert labels_where(ageing="episodic") == {"Turn", "Snapshot"}  # a test run has no label of its own
    assert set(REMEMBERABLE) <= set(KINDS) and all(KINDS[kind].label for kind in REMEMBERABLE)


def test_every_kind_that_users_name_has_a_korean_name() -> None:
    korean = tomllib.loads((resources.root() / "graphmem/interfaces/korean.toml").read_text("utf-8"))["words"]
    assert set(REMEMBERABLE) - set(korean) == set()
