"""What every graph engine must do. `test_engines` runs this for each."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import ENGINE, with_deep

from graphmem import settings
from graphmem.backends.graph.bolt import BoltGraph
from graphmem.backends.graph.opening import open_graph
from graphmem.browse.named_queries import named_query
from graphmem.browse.whole_graph import read_whole_graph
from graphmem.errors import QueryTimeout, StoreError, UsageError
from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.ports.graph import OwnedGraph

pytestmark = pytest.mark.core
DAY = 1_700_000_000_000_000


Opener = Callable[[str], OwnedGraph]


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Opener:
    """Opens the graph of a name with the engine that this process tests."""
    if ENGINE == "bolt":
        url = request.getfixturevalue("graph_server").url()
        chosen = settings.load_settings(tmp_path, {"graph.engine": ENGINE, "graph.url": url})
        graph = open_graph(tmp_path / "graph", chosen, store_id="tests")
        assert isinstance(graph, BoltGraph)
        return lambda name: graph if name == "graph" else graph.make_fresh()
    chosen = settings.load_settings(tmp_path, {"graph.engine": ENGINE})
    return lambda name: open_graph(tmp_path / name, chosen, buffer_mb=128)


@pytest.fixture
def graph(opened: Opener) -> Iterator[OwnedGraph]:
    graph = opened("graph")
    yield graph
    graph.close()


def turn(name: str, **properties: object) -> Node:
    return Node("Turn", name, {"content": name, "at": DAY, **properties})


def edge(source: str, target: str, **properties: object) -> Edge:
    return Edge("NEXT", "Turn", source, "Turn", target, dict(properties))


def test_merging_twice_is_merging_once(graph: OwnedGraph) -> None:
    changes = Changes(nodes=[turn("a"), turn("b")], edges=[edge("a", "b", position=1)])
    graph.apply(changes, {"events": 2})
    graph.apply(changes, {"events": 2})
    assert graph.query("MATCH (t:Turn) RETURN count(*)").rows == [[2]]
    assert graph.query("MATCH (:Turn)-[n:NEXT]->(:Turn) RETURN n.position").rows == [[1]]
    assert graph.cursors() == {"events": 2}


def test_a_merge_sets_what_it_names_and_keeps_the_rest(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn("a", role="user")]), {})
    graph.apply(Changes(nodes=[Node("Turn", "a", {"content": "new"})]), {})
    row = graph.query("MATCH (t:Turn) RETURN t.content, t.role, t.at").rows[0]
    assert row[:2] == ["new", "user"] and row[2] == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_an_edge_to_nowhere_is_dropped(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn("a")], edges=[edge("a", "nobody")]), {})
    assert graph.query("MATCH ()-[n:NEXT]->() RETURN count(*)").rows == [[0]]


def test_removal_takes_relations_along_and_edges_can_go_alone(graph: OwnedGraph) -> None:
    names = ["a", "b", "c", "d"]
    graph.apply(Changes(nodes=[turn(n) for n in names], edges=[edge("a", n) for n in names[1:]]), {})
    graph.apply(Changes(removed_nodes=[("Turn", "b")]), {})
    assert sorted(graph.query("MATCH (:Turn {id: 'a'})-[:NEXT]->(t) RETURN t.id").rows) == [["c"], ["d"]]
    graph.apply(Changes(removed_edges=[EdgeKey("NEXT", "Turn", "a", "Turn", "c")]), {})
    assert graph.query("MATCH (:Turn)-[:NEXT]->(t) RETURN t.id").rows == [["d"]]
    graph.apply(Changes(removed_edges=[EdgeKey("NEXT", "Turn", "a", "Turn")]), {})
    assert graph.query("MATCH (:Turn)-[:NEXT]->(t) RETURN t.id").rows == []


def test_a_decision_about_what_nothing_mentions_goes_alone(graph: OwnedGraph) -> None:
    def name(id: str) -> Node:
        return Node("Entity", id, {"name": id, "type": "tool"})

    said = [Edge("MENTIONS", "Turn", "a", "Entity", id, {}) for id in ("kept", "other")]
    decided = [Edge("RESOLVES_TO", "Entity", id, "Entity", "kept", {}) for id in ("lost", "other")]
    nodes = [turn("a"), name("lost"), name("kept"), name("other")]
    graph.apply(Changes(nodes=nodes, edges=[*decided, *said]), {})
    graph.refine(["prune_merged"])
    left = graph.query("MATCH (e:Entity)-[:RESOLVES_TO]->(k:Entity) RETURN e.id, k.id", limit=9)
    assert left.rows == [["other", "kept"]]
    assert graph.query("MATCH (e:Entity) RETURN count(e)", limit=9).rows == [[3]]
    assert graph.query("MATCH (t:Turn) RETURN count(t)", limit=9).rows == [[1]]


def test_a_failing_batch_changes_nothing(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn("a")]), {"events": 1})
    with pytest.raises(StoreError):
        graph.apply(Changes(nodes=[turn("b"), Node("Turn", "c", {"no_such_property": 1})]), {"events": 2})
    assert graph.query("MATCH (t:Turn) RETURN t.id").rows == [["a"]] and graph.cursors() == {"events": 1}
    graph.apply(Changes(nodes=[turn("b")]), {"events": 2})
    assert graph.cursors() == {"events": 2}


def test_queries_have_parameters_limits_and_one_clear_sentence(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn(f"t{n}") for n in range(50)]), {})
    rows = graph.query("MATCH (t:Turn) WHERE t.id STARTS WITH $p RETURN t.id", {"p": "t"}, limit=10)
    assert len(rows.rows) == 10 and rows.truncated and rows.columns == ["t.id"]
    with pytest.raises(UsageError) as caught:
        graph.query("MATCH (t:Turn RETURN t")
    assert "\n" not in str(caught.value)
    with pytest.raises(QueryTimeout):
        graph.query(
            "MATCH (a:Turn), (b:Turn), (c:Turn), (d:Turn), (e:Turn) RETURN sum(size(a.id) * size(b.id) * size(c.id) * size(e.id))",
            timeout=0.05,
        )


def test_nodes_come_without_columns_of_other_labels(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn("a"), Node("File", "f", {"path": "x.py"})]), {})
    nodes = [row[0] for row in graph.query("MATCH (n) WHERE n.id IN ['a', 'f'] RETURN n").rows]
    assert {node["_label"]: "path" in node for node in nodes} == {"Turn": False, "File": True}


def test_the_schema_names_labels_relations_and_types(graph: OwnedGraph) -> None:
    schema = graph.schema()
    assert schema["nodes"]["Task"]["status"] == "STRING"
    assert ("Symbol", "Symbol") in schema["relations"]["CALLS"]["pairs"]


def test_a_resting_graph_answers_again(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn("a")]), {"events": 1})
    graph.release_memory()
    assert graph.unused_s == 0 and graph.find_damage() == ""
    assert graph.query("MATCH (t:Turn) RETURN t.id").rows == [["a"]] and graph.cursors() == {"events": 1}


def test_a_fresh_graph_takes_the_place_of_the_one_in_use(graph: OwnedGraph, opened: Opener) -> None:
    graph.apply(Changes(nodes=[turn("old")]), {"events": 1})
    graph.refusal = StoreError("it is not what the log says")
    with pytest.raises(StoreError, match="not what the log says"):
        graph.query("MATCH (t:Turn) RETURN t.id")
    fresh = opened("fresh")
    fresh.apply(Changes(nodes=[turn("new")]), {"events": 2})
    graph.adopt(fresh)
    assert graph.refusal is None and graph.cursors() == {"events": 2}
    assert graph.query("MATCH (t:Turn) RETURN t.id").rows == [["new"]]


def test_untrusted_queries_answer_as_trusted_ones(graph: OwnedGraph) -> None:
    graph.apply(Changes(nodes=[turn(name) for name in "abc"]), {})
    asked = "MATCH (t:Turn) WHERE t.id > $least RETURN t.id ORDER BY t.id"
    trusted = graph.query(asked, {"least": "a"}, limit=1)
    assert graph.query_untrusted(asked, {"least": "a"}, limit=1, timeout=60) == trusted


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            Changes(nodes=[Node("Turn", "a", {"colour": "red"})]),
            "the table Turn of the graph schema has no column colour",
        ),
        (Changes(nodes=[Node("Colour", "a", {"name": "red"})]), "the graph schema has no table Colour"),
        (
            Changes(nodes=[turn("a"), turn("b")], edges=[edge("a", "b", colour="red")]),
            "NEXT of the graph schema has no column",
        ),
    ],
)
def test_changes_that_the_schema_lacks_are_refused_by_name(graph: OwnedGraph, changes: Changes, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        graph.apply(changes, {})
    assert graph.query("MATCH (t:Turn) RETURN count(*)").rows == [[0]]


def test_a_text_that_looks_like_a_stored_list_stays_a_text(graph: OwnedGraph) -> None:
    text = '\x1e["a", "b"]'
    graph.apply(Changes(nodes=[turn("a", content=text, session=text), turn("b")], edges=[edge("a", "b")]), {})
    graph.apply(Changes(nodes=[Node("Skill", "s", {"content": text, "principles": [text, "c"]})]), {})
    assert graph.query("MATCH (t:Turn {id: 'a'}) RETURN t.content, t.session").rows == [[text[1:], text[1:]]]
    assert graph.query("MATCH (s:Skill) RETURN s.content, s.principles").rows == [[text[1:], [text, "c"]]]


@pytest.mark.parametrize("rounds", with_deep([15], [60]))
def test_values_that_change_after_a_checkpoint_stay_those_of_their_node(graph: OwnedGraph, rounds: int) -> None:
    """Kuzu 0.11.3 mixes them up with its default settings."""
    chance = random.Random(1)
    known: dict[str, tuple[str | None, list[str] | None]] = {}
    for _ in range(rounds):
        new = [f"{len(known) + number:024d}" for number in range(chance.randint(1, 4))]
        known |= dict.fromkeys(new, (None, None))
        graph.apply(Changes(nodes=[Node("Skill", name, {"content": name}) for name in new]), {})
        if chance.random() < 0.4:
            graph.release_memory()  # writes a checkpoint
        for name in {*new, *chance.sample(sorted(known), min(2, len(known)))}:
            topic, checks = (
                f"thread{chance.randint(0, 15)}",
                [chance.choice("abc") * chance.randint(1, 9)] * chance.randint(0, 2),
            )
            known[name] = (topic, checks)
            graph.apply(Changes(nodes=[Node("Skill", name, {"topic": topic, "principles": checks})]), {})
        if chance.random() < 0.4:
            graph.release_memory()
        rows = graph.query("MATCH (s:Skill) RETURN s.id, s.topic, s.principles").rows
        assert {name: (topic, checks) for name, topic, checks in rows} == known


def test_the_steps_from_nodes_of_any_label_are_all_there(graph: OwnedGraph) -> None:
    """Kuzu 0.11.3 lost relations of nodes that were filtered by a list instead of looked up."""
    turns = [turn(f"t{n}") for n in range(30)]
    others = [
        Node("Commit", "c", {"subject": "Fix"}),
        Node("Fact", "f", {"content": "x"}),
        Node("File", "p", {"path": "p.py"}),
    ]
    edges = [Edge("PRODUCED", "Turn", f"t{n}", "Commit", "c", {}) for n in range(0, 30, 4)]
    edges += [Edge("DERIVED_FROM", "Fact", "f", "Turn", "t1", {}), Edge("TOUCHES", "Commit", "c", "File", "p", {})]
    graph.apply(Changes(nodes=[*turns, *others], edges=edges), {})
    graph.release_memory()
    for query, parameters in (("steps_from", {}), ("steps_over", {"types": ["PRODUCED", "TOUCHES"]})):
        text = named_query(query).text
        found = {tuple(row) for row in graph.query(text, {"ids": ["c", "f", "t1"], **parameters}).rows}
        steps = {("c", "PRODUCED", f"t{n}") for n in range(0, 30, 4)} | {("c", "TOUCHES", "p")}
        assert found == steps | (
            {("f", "DERIVED_FROM", "t1"), ("t1", "DERIVED_FROM", "f")} if not parameters else set()
        )


def test_nothing_collected_is_an_empty_list(graph: OwnedGraph) -> None:
    """For Kuzu 0.11.3 it is null without `coalesce`."""
    graph.apply(Changes(nodes=[turn("a")]), {})
    query = "MATCH (t:Turn) OPTIONAL MATCH (t)-[:NEXT]->(o) RETURN coalesce(collect(o.id), [])"
    assert graph.query(query).rows == [[[]]]


def test_drawn_nodes_and_relations_are_their_own(graph: OwnedGraph) -> None:
    """Kuzu 0.11.3 mixed up nodes of several labels that a list filtered."""
    files = [Node("File", f"f{n}", {"path": f"src/{n}.py"}) for n in range(9)]
    graph.apply(Changes(nodes=[Node("Commit", "b", {"subject": "Add"}), files[0], turn("t1")]), {})
    graph.release_memory()  # writes a checkpoint
    graph.apply(Changes(nodes=[Node("Commit", "c", {"subject": "Fix"}), *files[1:], turn("t2")]), {})
    graph.apply(Changes(edges=[Edge("TOUCHES", "Commit", "c", "File", "f3", {})]), {})
    drawn = read_whole_graph(graph, without=["Commit"])
    assert drawn["nodes"]["id"] == ["t1", "t2", *(f"f{n}" for n in range(9))] and not drawn["types"]
    assert drawn["nodes"]["title"][2:] == [f"src/{n}.py" for n in range(9)]
    whole = read_whole_graph(graph)
    assert whole["nodes"]["title"][:2] == ["Add", "Fix"] and whole["types"] == ["TOUCHES"]
