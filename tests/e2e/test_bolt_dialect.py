"""Every shared query answers on a server that speaks Bolt as on the default engine; what is worded otherwise has an override."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest
from arcadedb_server import ArcadeServer
from support import ENGINE
from workload import Life

from graphmem import Memory, resources
from graphmem.backends.graph.bolt import BoltGraph
from graphmem.backends.graph.dialect import FOLDERS, to_bolt, write_template
from graphmem.backends.graph.schema import without_comments
from graphmem.export.scan import scan_nodes, scan_relations
from graphmem.model.changes import Changes, Edge, EdgeTable, NodeTable
from graphmem.ports.graph import GraphStore

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 128}
OVERRIDDEN = {
    "read": "about callees callers code_from_outside code_of_project counts facts_as_of functions_of_commits members_of_category"
    " neighbours_1 neighbours_2 neighbours_3 node_by_id nodes_by_name own_relations relation_counts relations_of"
    " remembered_about_file remembered_about_symbol steps_from steps_over task_blockers task_effective_blockers"
    " task_resolutions task_suggestions tree_absorbed tree_relations_of",
    "look": "label_of nodes openings steps steps_of tied",
    "memify": "names_of_entities",
    "write": "link_commits_by_hash link_commits_by_subject merge_node prune_externals remove_edge remove_edges_from remove_node",
}  # fmt: skip
# Statements of servers alone: the embedded engines write tables, and need no index.
OWN = "cursors empty index_nodes index_property merge_edge some_node waiting"


def queries() -> list[str]:
    """The names of all shared queries that read."""
    return [name for folder in FOLDERS for name in resources.names(f"queries/graph/{folder}", ".cypher")]


def test_overrides_are_those_listed_and_say_what_differs() -> None:
    for folder in (*FOLDERS, "write"):
        names = resources.names(f"queries/graph/bolt/{folder}", ".cypher")
        found = {Path(name).stem for name in names}
        assert found == {*OVERRIDDEN.get(folder, "").split(), *(OWN.split() if folder == "write" else ())}, folder
        for name in names:
            shared = resources.path(name.replace("/bolt/", "/"))
            assert shared.is_file() == (Path(name).stem not in OWN.split() or folder != "write"), name
            if folder != "write":
                assert resources.text(name).startswith("// Differs: ") and to_bolt(shared.read_text()), name


def test_what_callers_fill_in_is_filled_in_there_too() -> None:
    about = resources.text("queries/graph/read/relations_of.cypher").replace("(n {id: $id})", "(n:`Turn` {id: $id})")
    assert to_bolt(about).count("(n:`Turn` {id: $id})") == 2 and "type(r)" in to_bolt(about)
    steps = Template(resources.text("queries/graph/look/steps.cypher")).substitute(label="Fact")
    assert to_bolt(steps).count("(n:`Fact`)") == 2 and "$ids" in to_bolt(steps) and "$$" not in to_bolt(steps)
    own = resources.text("queries/graph/memify/mentions_of_facts.cypher").replace(":Entity", ":Entity:`Crane`:`Ship`")
    assert "(e:Entity|`Crane`|`Ship`)" in to_bolt(own)
    relations = resources.text("queries/graph/read/own_relations.cypher").replace(":RELATES", ":`LIFTS`|`MOORS`")
    assert "[r:`LIFTS`|`MOORS`]" in to_bolt(relations) and "toLower(type(r))" in to_bolt(relations)
    asked = "MATCH (n {id: $id}) RETURN label(n)"
    assert to_bolt(asked) == asked


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("dialect")
    tree = folder / "tree"
    tree.mkdir()
    (tree / "app.py").write_text("import os\n\n\ndef one():\n    return two(os.sep)\n\n\ndef two(x):\n    return x\n")
    settings = {**QUIET, "graph.engine": ENGINE if ENGINE != "bolt" else "kuzu"}
    with Memory.open(folder / "store", project="demo", settings=settings) as mem:
        life = Life(mem, 7, tree, lambda name: None)
        mem.index_code(tree)
        for name in ["observe"] * 30 + ["remember"] * 6 + ["task"] * 6:
            getattr(life, name)()
        mem.observe("We decided to keep the crane in Oslo because the harbour is deep", session="s1")
        mem.process(), mem.memify()
        yield mem


@pytest.fixture(scope="module")
def copied(memory: Memory, graph_server: ArcadeServer) -> Iterator[BoltGraph]:
    """A server's graph with the same rows."""
    graph = BoltGraph(graph_server.url(), ("tests", "1"))
    copy_graph(memory._store.graph, graph)
    yield graph
    graph.close()


def copy_graph(source: GraphStore, target: GraphStore) -> None:
    nodes = [NodeTable(one.name, _columns(one)) for one in scan_nodes(source)]
    target.apply(Changes(node_tables=nodes), {"events": 1})
    for one in scan_relations(source):
        target.apply(Changes(edge_tables=[EdgeTable(one.name, *one.ends, _columns(one))]), {})


def _columns(one: Any) -> dict[str, list[Any]]:
    return dict(zip(one.columns, map(list, zip(*one.rows, strict=True)), strict=True))


def test_the_copy_has_the_same_rows(memory: Memory, copied: BoltGraph) -> None:
    for scan in (scan_nodes, scan_relations):
        assert list(scan(copied)) == list(scan(memory._store.graph))


@pytest.mark.parametrize("name", queries())
def test_each_query_answers_as_on_the_default_engine(memory: Memory, copied: BoltGraph, name: str) -> None:
    graph = memory._store.graph
    text = without_comments(resources.text(name)).strip().replace(":RELATES", ":DEPENDS_ON")
    if "$$" in text or "${" in text:
        names = {
            "label": "Fact",
            "columns": "n.id AS id, n.at AS at",
            "type": "MENTIONS",
            "source": "Turn",
            "target": "Entity",
        }
        names["columns"] = ", r.count AS count" if "relations" in name else names["columns"]
        text = Template(text).substitute(names)
    found = 0
    for given in arguments(graph, set(re.findall(r"\$(\w+)", text))):
        answers = [one.query(text, given) for one in (graph, copied)]
        ours, theirs = (sorted(_plain(row) for row in answer.rows if row[0] != "Cursor") for answer in answers)
        assert theirs == ours, given
        if re.search(r"RETURN [^,]+ AS ", text):
            assert answers[1].columns == answers[0].columns
        found += len(ours)
    assert found or name.rpartition("/")[2].removesuffix(".cypher") in EMPTY.split()


# Queries for which the store of this test has nothing.
EMPTY = ""


def arguments(graph: GraphStore, names: set[str]) -> Iterator[dict[str, Any]]:
    """Some values for these parameters, out of the graph."""
    column = lambda query: [row[0] for row in graph.query(query).rows]
    ids = column("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n.id ORDER BY n.id")
    files, symbols = column("MATCH (f:File) RETURN f.path"), column("MATCH (s:Symbol) RETURN s.qualified_name")
    hashes, refs = column("MATCH (c:Commit) RETURN c.hash"), column("MATCH (t:Task) RETURN t.ref")
    for turn in range(40):
        one = {
            "id": ids[turn * 37 % len(ids)], "ref": (column("MATCH (s:Session) RETURN s.ref") or [""])[0], "ids": ids[turn::9], "path": files[turn % len(files)] if files else "",
            "name": symbols[turn % len(symbols)] if symbols else "", "project": (column("MATCH (p:Project) RETURN p.id") or [""])[0],
            "hashes": hashes, "refs": refs, "kinds": ["", "decision", "explicit", "fact", "Fact"] if turn % 2 else [""], "kind": "topic" if turn % 2 else "",
            "types": ["MENTIONS", "PART_OF", "file", "person"], "relations": [""], "without": ["Session"], "text": "a", "at": "2100-01-01",
            "known": "9999-12-31", "limit": 100_000, "offset": 0, "least": 1, "title": "x", "task": "x", "session": "s1", "a": ids[0], "b": ids[1],
        }  # fmt: skip
        yield {key: one[key] for key in names}
        if not names:
            return


def _plain(value: Any) -> str:
    """A value as text, without the engine's own numbers; lists in the order of their text."""
    if isinstance(value, dict):
        return str({name: _plain(item) for name, item in sorted(value.items()) if not name.startswith("_")})
    return (
        str(sorted(map(_plain, value)))
        if isinstance(value, list) and value and isinstance(value[0], str)
        else _row(value)
    )


def _row(value: Any) -> str:
    return str([_plain(one) for one in value]) if isinstance(value, list) else repr(value)


def test_refining_links_as_on_the_default_engine(memory: Memory, copied: BoltGraph) -> None:
    for name in resources.names("queries/graph/write", ".cypher"):
        stem = Path(name).stem
        if stem.startswith(("link_", "prune_")):
            memory._store.access.owned.refine([stem]), copied.refine([stem])
    for scan in (scan_nodes, scan_relations):
        assert list(scan(copied)) == list(scan(memory._store.graph))


def test_an_edge_waits_for_its_ends_across_connections(graph_server: ArcadeServer) -> None:
    url = graph_server.url()
    first = BoltGraph(url, ("tests", "1"))
    first.apply(Changes(edges=[Edge("NEXT", "Turn", "a", "Turn", "b", {"position": 3})]), {"events": 1})
    first.close()
    second = BoltGraph(url, ("tests", "1"))
    assert not second.is_new and second.cursors() == {"events": 1}
    second.apply(Changes(node_tables=[NodeTable("Turn", {"id": ["a", "b"]})]), {"events": 2})
    assert second.query("MATCH (:Turn {id: 'a'})-[n:NEXT]->(:Turn {id: 'b'}) RETURN n.position").rows == [[3]]
    assert write_template("waiting").substitute().startswith("MATCH (c:Cursor)")
    second.close()
