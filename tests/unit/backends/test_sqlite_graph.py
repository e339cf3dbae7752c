"""The graph in SQLite tables: what it refuses, how long it asks, and its file after a crash or a change by others."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.backends.graph import seal
from graphmem.backends.graph.sqlite.graph import SqliteGraph
from graphmem.errors import QueryStopped, QueryTimeout, StoreDamaged, StoreError, UsageError
from graphmem.model.changes import Changes, Edge, Node


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[SqliteGraph]:
    graph = SqliteGraph(tmp_path / "graph.sqlite", result_mb=1)
    nodes = [Node("Turn", f"t{n}", {"content": "x" * 1000, "sequence": n, "at": n}) for n in range(1_500)]
    edges = [Edge("NEXT", "Turn", f"t{n}", "Turn", f"t{n + 1}", {}) for n in range(1_499)]
    graph.apply(Changes(nodes=nodes, edges=edges), {"events": 7})
    yield graph
    graph.close()


def counted(graph: SqliteGraph) -> object:
    return graph.query("MATCH (t:Turn) RETURN count(*)").rows[0][0]


@pytest.mark.parametrize(
    ("cypher", "sentence"),
    [
        ("MATCH (t:Turn) DETACH DELETE t", "queries only read"),
        ("CREATE (t:Turn {id: 'x'})", "unexpected `CREATE`"),
        ("MATCH (t:Turn) SET t.content = '' RETURN t", "unexpected `SET`"),
        ("MATCH (t:Turn) RETURN t; MATCH (t:Turn) RETURN t", "unexpected `MATCH`"),
        ("MATCH (t:Turn) RETURN load_extension(t.id)", "no function or operator `load_extension`"),
        ('MATCH (t:Turn) WHERE t.`id" OR 1` = 1 RETURN t.id', "has no property"),
        ("MATCH (t:`Turn' OR 1=1 --`) RETURN t.id", "no label or relation"),
        ("MATCH (t:Turn) WHERE t.at > '2026-01-01' RETURN t.id", "a TIMESTAMP cannot be compared with a STRING"),
        ("MATCH (t:Turn) WHERE t.at > timestamp('soon') RETURN t.id", "a time is written as 2026-01-31"),
        ("MATCH (t:Turn)-[:NEXT*1..99]->(o) RETURN o.id", "at most 30 relations"),
        ("RETURN " + "(" * 500 + "1" + ")" * 500, "nested too deeply"),
        ("RETURN " + "NOT " * 5_000 + "true", "nested too deeply"),
        ("MATCH (t:Turn) WHERE t.id = $other RETURN t.id", "needs a value for `.other`"),
    ],
)
def test_what_it_refuses_is_one_sentence_and_changes_nothing(graph: SqliteGraph, cypher: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        graph.query_untrusted(cypher, {}, timeout=5)
    assert "\n" not in str(caught.value) and counted(graph) == 1_500


def test_a_text_is_never_sql(graph: SqliteGraph) -> None:
    odd = "x' OR '1'='1"
    graph.apply(Changes(nodes=[Node("Turn", odd, {"content": odd})]), {})
    assert graph.query('MATCH (t:Turn) WHERE t.content = "' + odd + '" RETURN t.id').rows == [[odd]]
    assert graph.query("MATCH (t:Turn {id: $id}) RETURN t.content AS `a\"b'c`", {"id": odd}).columns == ["a\"b'c"]


def test_an_untrusted_query_has_limits_of_time_and_size_and_ends_when_its_caller_leaves(graph: SqliteGraph) -> None:
    endless = "MATCH (a:Turn), (b:Turn), (c:Turn) RETURN sum(a.sequence * b.sequence * c.sequence)"
    with pytest.raises(QueryTimeout, match=r"longer than 0\.1 s"):
        graph.query_untrusted(endless, timeout=0.1)
    with pytest.raises(QueryStopped, match="the result exceeds 1 MB"):
        graph.query_untrusted("MATCH (t:Turn) RETURN t.content", timeout=5)
    until = time.monotonic() + 0.1
    with pytest.raises(QueryStopped, match="disconnected"):
        graph.query_untrusted(endless, timeout=60, has_left=lambda: time.monotonic() > until)
    assert counted(graph) == 1_500


def test_several_hops_are_followed_both_ways(graph: SqliteGraph) -> None:
    ahead = "MATCH (t:Turn {id: 't5'})-[:NEXT*1..3]->(o) RETURN o.id ORDER BY o.id"
    assert graph.query(ahead).rows == [["t6"], ["t7"], ["t8"]]
    around = "MATCH p = (t:Turn {id: 't5'})-[* SHORTEST 1..2]-(o) RETURN o.id AS id, length(p) ORDER BY id"
    assert graph.query(around).rows == [["t3", 2], ["t4", 1], ["t6", 1], ["t7", 2]]
    whole = "MATCH (t:Turn {id: 't5'})-[r:NEXT]->(o) OPTIONAL MATCH (o)-[:PART_OF]->(s) RETURN o, r, s"
    (node, relation, nothing), = graph.query(whole).rows  # fmt: skip
    assert node["_label"] == "Turn" and node["sequence"] == 6 and relation["_src"] and nothing is None


KILLED = """
import sys
from pathlib import Path
from graphmem.backends.graph.sqlite.graph import SqliteGraph
from graphmem.model.changes import Changes, Edge, Node
graph = SqliteGraph(Path(sys.argv[1]))
for n in range(10**6):
    graph.apply(Changes(nodes=[Node("Turn", f"t{n}", {"sequence": n})],
                        edges=[Edge("NEXT", "Turn", f"t{n - 1}", "Turn", f"t{n}", {})]), {"events": n})
    print(n, flush=True)
"""


def test_killed_while_it_writes_it_has_whole_batches(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    for lines in (5, 40):
        with subprocess.Popen([sys.executable, "-c", KILLED, file], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            told = [int(writer.stdout.readline()) for _ in range(lines)][-1]
            writer.kill()
        graph = SqliteGraph(file)
        written = graph.cursors()["events"]
        assert written >= told and graph.query("MATCH (t:Turn) RETURN max(t.sequence)").rows == [[written]]
        assert graph.query("MATCH (:Turn)-[n:NEXT]->(:Turn) RETURN count(n)").rows == [[written]]
        graph.close()
        seal.delete_files(file)


def test_a_file_that_others_changed_is_not_trusted(tmp_path: Path) -> None:
    file = tmp_path / "graph.sqlite"
    graph = SqliteGraph(file)
    graph.apply(Changes(nodes=[Node("Turn", "a", {"content": "known text"})]), {})
    graph.release_memory()
    content = file.read_bytes()
    file.write_bytes(content.replace(b"known text", b"other text"))
    assert "changed or replaced" in graph.find_damage()
    with pytest.raises(StoreDamaged, match="changed or replaced"):
        graph.query("MATCH (t:Turn) RETURN t.id")
    with pytest.raises(StoreDamaged, match="changed or replaced"):
        SqliteGraph(file)
    file.write_bytes(content)
    frozen = SqliteGraph(file, frozen=True)
    assert counted(frozen) == 1
    with pytest.raises(StoreError, match="read-only"):
        frozen.apply(Changes(), {"events": 2})
    frozen.close()
    seal.delete_files(file)
    assert not list(tmp_path.iterdir())
    file.write_bytes(b"x" * 10_000)
    with pytest.raises(StoreDamaged):
        SqliteGraph(file)
