"""Nodes and relations as column tables, the engine's input: gathers single ones into tables; splits and counts tables. No
writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from graphmem.model.changes import Changes, Edge, EdgeTable, Node, NodeTable

if TYPE_CHECKING:
    import numpy as np  # takes 0.1 s to load, and a client of an owner needs none of it

    Flags = np.ndarray[Any, np.dtype[np.bool_]]

Table = TypeVar("Table", NodeTable, EdgeTable)


def to_tables(changes: Changes) -> Changes:
    """Return the changes with all nodes in tables."""
    return replace(changes, nodes=[], node_tables=[*changes.node_tables, *node_tables(changes.nodes)])


def node_tables(nodes: Iterable[Node]) -> list[NodeTable]:
    """Return one table of nodes per label and set of properties."""
    groups: dict[tuple[str, tuple[str, ...]], list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node[0], tuple(node[2])].append(node)
    return [
        NodeTable(label, {"id": _column(rows, 1)} | _properties(_column(rows, 2), names))
        for (label, names), rows in groups.items()
    ]


def edge_tables(edges: Iterable[Edge]) -> list[EdgeTable]:
    """Return one table of relations per type, pair of labels and set of properties."""
    groups: dict[tuple[str, str, str, tuple[str, ...]], list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge[0], edge[1], edge[3], tuple(edge[5])].append(edge)
    return [
        EdgeTable(
            kind,
            source,
            target,
            {"source": _column(rows, 2), "target": _column(rows, 4)} | _properties(_column(rows, 5), names),
        )
        for (kind, source, target, names), rows in groups.items()
    ]


def _column(rows: Iterable[Any], place: Any) -> list[Any]:
    return list(map(itemgetter(place), rows))


def _properties(bodies: list[dict[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: _column(bodies, name) for name in names}


def edges_of(table: EdgeTable) -> list[Edge]:
    """Return the relations of a table one by one."""
    names = list(table.columns)[2:]
    return [
        Edge(table.type, table.source_label, source, table.target_label, target, dict(zip(names, values, strict=True)))
        for source, target, *values in zip(*table.columns.values(), strict=True)
    ]


def row_count(table: NodeTable | EdgeTable) -> int:
    """Return the number of rows."""
    return len(next(iter(table.columns.values())))


def partition_rows(table: Table, chosen: Flags) -> tuple[Table, Table]:
    """Return the selected rows, and the others."""
    return _where(table, chosen), _where(table, ~chosen)


def _where(table: Table, chosen: Flags) -> Table:
    if chosen.all():
        return table
    if not chosen.any():
        return table._replace(columns=dict.fromkeys(table.columns, ()))
    flags = chosen.tolist()
    return table._replace(columns={name: list(compress(values, flags)) for name, values in table.columns.items()})
