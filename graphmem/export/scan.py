"""Scans the whole graph for exports, label by label and type by type. Rows are ordered by id, so that two exports of one
state are identical."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from string import Template
from typing import Any, NamedTuple

from graphmem import resources
from graphmem.ports.graph import GraphStore


class ExportedRows(NamedTuple):
    """Nodes of one label, or relations of one type between two labels (first columns: `source` and `target`)."""

    name: str
    columns: dict[str, str]
    rows: list[list[Any]]
    ends: tuple[str, str] = ("", "")


def scan_nodes(graph: GraphStore) -> Iterator[ExportedRows]:
    """Yield the rows of every label with nodes."""
    for label, columns in graph.schema()["nodes"].items():
        query = _template("nodes").substitute(label=label, columns=", ".join(f"n.{name} AS {name}" for name in columns))
        rows = graph.query(query).rows
        if rows:
            yield ExportedRows(label, columns, rows)


def scan_relations(graph: GraphStore) -> Iterator[ExportedRows]:
    """Yield the rows of every relation type, for each pair of labels."""
    for kind, relation in graph.schema()["relations"].items():
        columns: dict[str, str] = relation["properties"]
        shown = "".join(f", r.{name} AS {name}" for name in columns)
        for source, target in relation["pairs"]:
            query = _template("relations").substitute(type=kind, source=source, target=target, columns=shown)
            rows = graph.query(query).rows
            if rows:
                yield ExportedRows(kind, {"source": "STRING", "target": "STRING", **columns}, rows, (source, target))


@cache
def _template(name: str) -> Template:
    text = resources.text(f"queries/graph/export/{name}.cypher")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("//")))
