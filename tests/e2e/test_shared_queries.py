"""Every shared query answers on a server that speaks Bolt, and in SQLite tables, as on the default engine. What a server words
otherwise has an override."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest
from arcadedb_server import ArcadeServer
from support import ENGINE, Repository
from workload import Life

from graphmem import Memory, resources
from graphmem.backends.graph.bolt import BoltGraph
from graphmem.backends.graph.dialect import FOLDERS, to_bolt, write_template
from graphmem.backends.graph.schema import without_comments
from graphmem.backends.graph.sqlite.graph import SqliteGraph
from graphmem.export.scan import scan_nodes, scan_relations
from graphmem.model.changes import Changes, Edge, EdgeTable, NodeTable
from graphmem.ports.graph import GraphStore, OwnedGraph

CODE = "import os\n\n\ndef one():\n    return two(os.sep)\n\n\ndef two(x):\n    return x\n"
QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 128}
OVERRIDDEN = {
    "read": "about callees callers code_from_outside code_of_project counts entities facts_as_of functions_of_commits"
    " members_of_category neighbours_1 neighbours_2 neighbours_3 node_by_id nodes_by_name own_relations relation_counts relations_of"
    " remembered_about_file remembered_about_symbol steps_from steps_over task_blockers task_effective_blockers"
    " task_resolutions task_suggestions tree_absorbed tree_relations_of",
    "look": "all_nodes all_relations awaited label_of nodes openings steps steps_of tied",
    "memify": "names_of_entities",
    "write": "link_commits_by_hash link_commits_by_subject merge_node prune_externals remove_edge remove_edges_from remove_node",
}  # fmt: skip
# Statements of servers alone: the embedded engines write tables, and need no index.
OWN = "cursors empty index_nodes index_property merge_edge some_node waiting"


def queries() -> list[str]:
    """The names of all shared queries that read; those of benchmarks ask graphs of other products, too."""
    return [
        name
        for folder in FOLDERS
        if folder != "bench"
        for name in resources.names(f"queries/graph/{folder}", ".cypher")
    ]


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
    """A store with code, commits, conversations, failures and tasks that wait."""
    folder = tmp_path_factory.mktemp("dialect")
    repository = Repository(folder / "tree")
    settings = {**QUIET, "graph.engine": ENGINE if ENGINE != "bolt" else "kuzu"}
    with Memory.open(folder / "store", project="demo", settings=settings) as mem:
        repository.commit("Add the app", {"src/app.py": CODE, "README.md": "# Crane\n\nIt lifts.\n"})
        repository.commit(
            "Fix the second one, because it lost x", {"src/app.py": CODE.replace("return x", "return x or 1")}
        )
        mem.ingest("git", repository.path), mem.ingest("documents", repository.path), mem.index_code(repository.path)
        life = Life(mem, 7, repository.path, lambda name: None)
        for name in ["observe"] * 30 + ["remember"] * 6 + ["task"] * 6:
            getattr(life, name)()
        mem.capture("pytest", output="E   KeyError: 'x' in src/app.py:5\n1 failed", exit_code=1)
        mem.observe("We decided to keep the crane in Oslo because the harbour is deep", session="s1")
        mem.observe("We moved the crane to Bergen", session="s1")
        waiting = mem.tasks.create("Move the crane", blocked_by=["the harbour permit"], files=["src/app.py"])
        mem.tasks.create("Paint the crane", blocked_by=[waiting.id], parent=waiting.id)
        mem.process(), mem.memify()
        yield mem


@pytest.fixture(scope="module")
def copies(
    memory: Memory, graph_server: ArcadeServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, OwnedGraph]]:
    """Graphs of other kinds with the same rows."""
    file = tmp_path_factory.mktemp("sqlite") / "graph.sqlite"
    graphs = {"bolt": BoltGraph(graph_server.url(), ("tests", "1")), "sqlite": SqliteGraph(file)}
    for graph in graphs.values():
        copy_graph(memory._store.graph, graph)
    yield graphs
    for graph in graphs.values():
        graph.close()


@pytest.fixture(params=["bolt", "sqlite"])
def copied(copies: dict[str, OwnedGraph], request: pytest.FixtureRequest) -> OwnedGraph:
    return copies[request.param]


def copy_graph(source: GraphStore, target: GraphStore) -> None:
    nodes = [NodeTable(one.name, _columns(one)) for one in scan_nodes(source)]
    target.apply(Changes(node_tables=nodes), {"events": 1})
    for one in scan_relations(source):
        target.apply(Changes(edge_tables=[EdgeTable(one.name, *one.ends, _columns(one))]), {})


def _columns(one: Any) -> dict[str, list[Any]]:
    return dict(zip(one.columns, map(list, zip(*one.rows, strict=True)), strict=True))


def test_the_copy_has_the_same_rows(memory: Memory, copied: OwnedGraph) -> None:
    for scan in (scan_nodes, scan_relations):
        assert list(scan(copied)) == list(scan(memory._store.graph))


def test_every_query_answers_as_on_the_default_engine(memory: Memory, copied: OwnedGraph) -> None:
    graph, different, answered = memory._store.graph, dict[str, str](), set[str]()
    for name in queries():
        text = without_comments(resources.text(name)).strip().replace(":RELATES", ":DEPENDS_ON")
        if "$$" in text or "${" in text:
            columns = ", r.count AS count" if "relations" in name else "n.id AS id, n.at AS at"
            text = Template(text).substitute(FILLED_IN, columns=columns)
        for given in arguments(graph, set(re.findall(r"\$(\w+)", text))):
            ours, theirs = (_sorted_rows(one.query(text, given).rows) for one in (graph, copied))
            if ours != theirs:
                row = next((pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), None)
                different[name] = f"{given}: {len(ours)} and {len(theirs)} rows, {row}"
            answered |= {name} if ours else set()
    assert not different, "\n".join(f"{name} {what}" for name, what in different.items())
    assert len(answered) > len(queries()) / 2, "the store has too little to compare"


FILLED_IN = {"label": "Fact", "type": "MENTIONS", "source": "Turn", "target": "Entity", "properties": "n.id"}


def _sorted_rows(rows: list[list[Any]]) -> list[list[str]]:
    return sorted([_plain(value) for value in row] for row in rows if row and row[0] != "Cursor")


def arguments(graph: GraphStore, names: set[str]) -> Iterator[dict[str, Any]]:
    """Some values for these parameters, out of the graph."""
    column = lambda query: [row[0] for row in graph.query(query).rows] or [""]
    ids = column("MATCH (n) WHERE label(n) <> 'Cursor' RETURN n.id ORDER BY n.id")
    found = {
        "path": column("MATCH (f:File) RETURN f.path"), "name": column("MATCH (s:Symbol) RETURN s.qualified_name"),
        "project": column("MATCH (p:Project) RETURN p.id"), "ref": column("MATCH (s:Session) RETURN s.ref"),
        "session": column("MATCH (s:Session) RETURN s.ref"), "task": column("MATCH (t:Task) RETURN t.id"),
        "title": column("MATCH (t:Task) RETURN t.title"), "kind": ["", "topic", "decision"], "label": ["Turn", "Symbol", "Commit"],
        "kinds": [[""], ["", "decision", "explicit", "fact", "Fact"]],
    }  # fmt: skip
    fixed = {
        "hashes": column("MATCH (c:Commit) RETURN c.hash"), "refs": column("MATCH (t:Task) RETURN t.ref"),
        "types": ["MENTIONS", "PART_OF", "file", "person"], "relations": [""], "names": found["name"],
        "without": ["Session"], "text": "a", "at": "2100-01-01", "known": "9999-12-31", "limit": 100_000, "offset": 0, "least": 1,
        "a": ids[0], "b": ids[1],
    }  # fmt: skip
    for turn in range(9 if names else 1):
        own = {"id": ids[turn * 37 % len(ids)], "ids": ids[turn::9]}
        own |= {name: values[turn % len(values)] for name, values in found.items()}
        yield {name: (fixed | own)[name] for name in names}


def _plain(value: Any) -> str:
    """A value as text, without the engine's own numbers; lists in the order of their text."""
    if isinstance(value, dict):
        return str({name: _plain(item) for name, item in sorted(value.items()) if not name.startswith("_")})
    if isinstance(value, list):
        items = [_plain(one) for one in value]
        return str(sorted(items) if value and isinstance(value[0], str | list) else items)
    return repr(value)


def test_refining_links_as_on_the_default_engine(memory: Memory, copies: dict[str, OwnedGraph]) -> None:
    short = "a" * 8
    turn, commits = {"id": ["t"], "at": [0]}, {"id": ["short", "full"], "hash": [short, short + "0" * 32]}
    made = Changes(
        node_tables=[NodeTable("Turn", turn), NodeTable("Commit", commits)],
        edge_tables=[EdgeTable("PRODUCED", "Turn", "Commit", {"source": ["t"], "target": ["short"]})],
    )
    before = len(list(memory._store.graph.query("MATCH ()-[r]->() RETURN label(r)").rows))
    for graph in (own := memory._store.access.owned, *copies.values()):
        graph.apply(made, {})
        for name in resources.names("queries/graph/write", ".cypher"):
            if Path(name).stem.startswith(("link_", "prune_")):
                graph.refine([Path(name).stem])
    assert len(own.query("MATCH ()-[r]->() RETURN label(r)").rows) > before + 1
    for copied in copies.values():
        for scan in (scan_nodes, scan_relations):
            assert list(scan(copied)) == list(scan(own))


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
