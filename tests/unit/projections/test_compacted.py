"""A batch has the effect of applying its changes one after the other, whether they come as objects or row by row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.projections.batch import Batch

_IDS = st.sampled_from("abc")
_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("node"), _IDS, st.integers(0, 3)),
        st.tuples(st.just("gone"), _IDS, st.just(0)),
        st.tuples(st.just("row"), _IDS, st.integers(0, 3)),
        st.tuples(st.just("edge"), _IDS, _IDS),
        st.tuples(st.just("cut"), _IDS, _IDS),
        st.tuples(st.just("cut all"), _IDS, st.just("")),
    ),
    max_size=20,
)


class Model:
    """A graph as two dictionaries: what `GraphStore.apply` promises."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, object]] = {}
        self.edges: set[tuple[str, str]] = set()

    def apply(self, changes: Changes) -> None:
        for _, node in changes.removed_nodes:
            self.nodes.pop(node, None)
            self.edges = {edge for edge in self.edges if node not in edge}
        for key in changes.removed_edges:
            self.edges = {e for e in self.edges if not (e[0] == key.source and key.target in ("", e[1]))}
        rows = [zip(table.columns["id"], table.columns["v"], strict=True) for table in changes.node_tables]
        tables = [Node("Turn", node, {"v": value}) for table in rows for node, value in table]
        ends = [zip(table.columns["source"], table.columns["target"], strict=True) for table in changes.edge_tables]
        for _, node, properties in [*tables, *changes.nodes]:
            self.nodes.setdefault(node, {}).update(properties)
        edges = {*((e.source, e.target) for e in changes.edges), *(pair for table in ends for pair in table)}
        self.edges |= {(a, b) for a, b in edges if a in self.nodes and b in self.nodes}


def change(operation: tuple[str, str, object]) -> Changes:
    kind, name, value = operation
    if kind == "node":
        return Changes(nodes=[Node("Turn", name, {"v": value})])
    if kind == "gone":
        return Changes(removed_nodes=[("Turn", name)])
    if kind == "edge":  # as projections do it: an edge comes with its ends
        nodes = [Node("Turn", name, {}), Node("Turn", str(value), {})]
        return Changes(nodes=nodes, edges=[Edge("NEXT", "Turn", name, "Turn", str(value), {})])
    return Changes(removed_edges=[EdgeKey("NEXT", "Turn", name, "Turn", str(value))])


def into(batch: Batch, operation: tuple[str, str, object]) -> None:
    """A row makes nodes and edges that nothing else makes: with names of its own."""
    kind, name, value = operation
    if kind == "row":
        batch.nodes_of(("Turn", ("v",)))[f"row {name}"] = (value,)
        batch.node(Node("Turn", name, {}))
        batch.edges_of(("NEXT", "Turn", "Turn", ()))[f"row {name}", name] = ()
    elif kind == "gone":
        batch.put(Changes(removed_nodes=[("Turn", name), ("Turn", f"row {name}")]))
    else:
        batch.put(change(operation))


def together(operations: list[tuple[str, str, object]]) -> Changes:
    batch = Batch()
    for operation in operations:
        into(batch, operation)
    return batch.changes()


@given(_OPERATIONS, st.integers(0, 20))
def test_one_batch_equals_many(operations: list[tuple[str, str, object]], cut: int) -> None:
    one, many = Model(), Model()
    for part in (operations[:cut], operations[cut:]):
        one.apply(together(part))
    for operation in operations:
        many.apply(together([operation]))
    assert one.nodes == many.nodes and one.edges == many.edges


@given(_OPERATIONS)
def test_rows_one_by_one_are_the_same(operations: list[tuple[str, str, object]]) -> None:
    tables, single = Model(), Model()
    batch = Batch()
    for operation in operations:
        into(batch, operation)
    tables.apply(batch.changes())
    taken_apart = batch.singly()
    single.apply(taken_apart)
    assert not taken_apart.node_tables and single.nodes == tables.nodes and single.edges == tables.edges


def test_what_is_buried_leaves_tables_too() -> None:
    rest = together([("row", "a", 1), ("row", "b", 2)])
    batch = Batch()
    for name in "ab":
        into(batch, ("row", name, 1))
    left = batch.without(["row a"])
    assert {node.id for node in left.nodes} == {"row b", "a", "b"} and len(left.edges) == 1
    assert len(rest.node_tables) == len(rest.edge_tables) == 1
