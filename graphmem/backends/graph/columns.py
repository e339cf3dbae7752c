"""Nodes and relations column by column, as the engine takes them: single ones are gathered into tables, and a table is
parted, counted or taken apart again. Nothing here writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress, repeat
from operator import itemgetter, not_
from typing import Any, TypeVar

from graphmem.model.changes import Edge, EdgeTable, Node, NodeTable

Table = TypeVar("Table", NodeTable, EdgeTable)


def node_tables(nodes: Iterable[Node]) -> list[NodeTable]:
    """The nodes of each label and set of properties as one table."""
    groups: dict[tuple[str, tuple[str, ...]], list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node[0], tuple(node[2])].append(node)
    return [
        NodeTable(label, {"id": _column(rows, 1)} | _properties(_column(rows, 2), names))
        for (label, names), rows in groups.items()
    ]


def edge_tables(edges: Iterable[Edge]) -> list[EdgeTable]:
    """The relations of each type, pair of labels and set of properties as one table."""
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
    """A table's relations one by one."""
    names = list(table.columns)[2:]
    return [
        Edge(table.type, table.source_label, source, table.target_label, target, dict(zip(names, values, strict=True)))
        for source, target, *values in zip(*table.columns.values(), strict=True)
    ]


def keys_of(table: NodeTable | EdgeTable) -> list[Any]:
    """What tells its rows apart from all others of the graph."""
    columns = table.columns
    if isinstance(table, NodeTable):
        return list(zip(repeat(table.label), columns["id"]))
    labels = repeat((table.type, table.source_label, table.target_label))
    return list(zip(labels, columns["source"], columns["target"]))  # noqa: B905 (without end)


def length(table: NodeTable | EdgeTable) -> int:
    """How many rows it has."""
    return len(next(iter(table.columns.values())))


def parted(table: Table, chosen: Sequence[bool]) -> tuple[Table, Table]:
    """The chosen rows, and the others."""
    others = list(map(not_, chosen))
    return _where(table, chosen), _where(table, others)


def _where(table: Table, chosen: Sequence[bool]) -> Table:
    if all(chosen):
        return table
    return table._replace(columns={name: list(compress(values, chosen)) for name, values in table.columns.items()})
