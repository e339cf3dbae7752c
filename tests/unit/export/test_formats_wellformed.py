"""Exports stay well-formed and complete whatever names and texts are in the graph."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ENGINE, EXPLORES

from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.export import graphml, jsonld, markdown, parquet
from graphmem.model.changes import Changes, Edge, Node

CONTROL = st.sampled_from("\x00\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f\x7f\x85\u2028\ufffd\ufffe\uffff<&>\"'\\%]한")
NAMES = st.lists(st.text(st.one_of(CONTROL, st.characters(exclude_categories=["Cs"])), min_size=1, max_size=12),
                 min_size=1, max_size=12, unique=True)  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    graph = EmbeddedGraph(tmp_path_factory.mktemp("graph") / "graph.kuzu", buffer_pool_mb=128, engine=ENGINE)
    yield graph
    graph.close()


def put(graph: EmbeddedGraph, names: list[str]) -> Any:
    """A graph of these names alone: files and gotchas, each file in a line with the next."""
    held = [("Turn", row[0]) for row in graph.query("MATCH (t:Turn) RETURN t.id", limit=1_000).rows]
    held += [("Gotcha", row[0]) for row in graph.query("MATCH (t:Gotcha) RETURN t.id", limit=1_000).rows]
    nodes = [Node("Turn", name, {"content": name, "at": 1_700_000_000_000_000}) for name in names]
    nodes += [Node("Gotcha", f"g:{name}", {"title": name, "content": name}) for name in names]
    edges = [Edge("NEXT", "Turn", a, "Turn", b, {"position": 1}) for a, b in pairwise(names)]
    graph.apply(Changes(removed_nodes=held), {})
    graph.apply(Changes(nodes=nodes, edges=edges), {})
    return SimpleNamespace(graph=graph, project="demo", tasks=SimpleNamespace(dump=lambda form: ""))


@settings(max_examples=10 if EXPLORES else 1)
@given(names=NAMES)
@example(
    names=["\x00", "\x1b", "a\x07", "a\x08", "\ufffd", "\ufffe", "\uffff", "\r\n", "<&>\"'", "\\%]", "한", "\u2028"]
)
def test_every_name_is_held_by_every_form(graph: EmbeddedGraph, names: list[str]) -> None:
    check_forms(graph, names)


@pytest.mark.deep
@settings(max_examples=200)
@given(names=NAMES)
def test_every_name_is_held_by_every_form_many_times(graph: EmbeddedGraph, names: list[str]) -> None:
    check_forms(graph, names)


def check_forms(graph: EmbeddedGraph, names: list[str]) -> None:
    parts = put(graph, names)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        count = graphml.write_graphml(parts, place / "graph.graphml")
        found = networkx.read_graphml(place / "graph.graphml")
        assert found.number_of_nodes() == 2 * len(names) and found.number_of_edges() == len(names) - 1
        assert count == found.number_of_nodes() + found.number_of_edges()
        assert jsonld.write_jsonld(parts, place / "graph.jsonld") == count
        document = json.loads((place / "graph.jsonld").read_text("utf-8"), parse_constant=pytest.fail)
        assert len({entry["@id"] for entry in document["@graph"] if "@id" in entry}) == 2 * len(names)
        parquet.write_parquet(parts, place / "tables")
        table = pyarrow.parquet.read_table(place / "tables" / "nodes" / "Turn.parquet")
        assert sorted(table["id"].to_pylist()) == sorted(names)
        assert markdown.write_markdown(parts, place / "page.md") == len(names)
        page = (place / "page.md").read_bytes().decode("utf-8")
        assert not [sign for sign in page if sign != "\n" and (ord(sign) < 32 or 127 <= ord(sign) < 160)]


def test_ids_that_xml_cannot_tell_apart_stay_two() -> None:
    names = ["a\x07", "a\x08", "a\ufffd", "a\ufffd0007", "a\t", "a ", "a\n", "a\r\n"]
    assert len({graphml._identifier(name) for name in names}) == len(names)
