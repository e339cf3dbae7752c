"""Looking up what a node is: every label is asked for, and what is drawn says the same whichever way it was read."""

from __future__ import annotations

import re
from pathlib import Path

from graphmem import Memory, resources
from graphmem.backends.graph.schema import parse_tables, schema_statements
from graphmem.browse import explore, subgraph


def test_every_label_is_looked_up() -> None:
    asked = set(re.findall(r"\(n:(\w+) ", resources.text("queries/graph/look/label_of.cypher")))
    nodes, _ = parse_tables(schema_statements())
    assert asked == nodes.keys() - {"Cursor"}


def test_a_few_nodes_are_drawn_as_many_are(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="harbour") as mem:
        mem.observe("The crane stops at noon.", session="s1")
        mem.remember("The crane stops at noon.", title="Crane", files=["src/crane.py"])
        task = mem.tasks.create("Oil the crane")
        mem.process()
        graph, text = mem._store.graph, mem._store.text
        ids = [row[0] for row in mem.cypher("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n.id AS id ORDER BY id").rows]
        assert {task.id, "file:harbour:src/crane.py"} <= set(ids)
        one = [
            subgraph._drawn(*subgraph._one_by_one(graph, text, ids, [""], [""], 100), 100),
            explore.find_node(graph, text, "nothing"),
        ]
        many = [subgraph._drawn(*subgraph._at_once(graph, text, ids, [""], [""], 100), 100), None]
        for picture in (one[0], many[0]):
            assert picture is not None
            picture["edges"].sort(key=str)
            picture["nodes"].sort(key=str)
        assert one == many
        assert all(explore.find_node(graph, text, id) for id in ids)
