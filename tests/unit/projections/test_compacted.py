"""Compacting a batch has the effect of applying its changes one after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.projections.batch import compacted

_IDS = st.sampled_from("abc")
_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("node"), _IDS, st.integers(0, 3)),
        st.tuples(st.just("gone"), _IDS, st.just(0)),
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
        for _, node, properties in changes.nodes:
            self.nodes.setdefault(node, {}).update(properties)
        self.edges |= {(e.source, e.target) for e in changes.edges if e.source in self.nodes and e.target in self.nodes}


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


@given(_OPERATIONS, st.integers(0, 20))
def test_one_batch_equals_many(operations: list[tuple[str, str, object]], cut: int) -> None:
    one, many = Model(), Model()
    for part in (operations[:cut], operations[cut:]):
        one.apply(compacted(map(change, part)))
    for operation in operations:
        many.apply(change(operation))
    assert one.nodes == many.nodes and one.edges == many.edges
