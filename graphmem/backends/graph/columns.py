"""Nodes and relations column by column, as the engine takes them: single ones are gathered into tables, and a table is
parted, counted or taken apart again. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, repeat
from operator import not_
from typing import Any, TypeVar

from graphmem.model.changes import Edge, EdgeTable, Node, NodeTable

Table = TypeVar("Table", NodeTable, EdgeTable)


def node_tables(nodes: Iterable[Node]) -> list[NodeTable]:
    """The nodes of each label and set of properties as one table."""
    groups: dict[tuple[str, tuple[str, ...]], list[Node]] = {}
    for node in nodes:
        groups.setdefault((node.label, tuple(node.properties)), []).append(node)
    return [
        NodeTable(label, {"id": [n.id for n in rows]} | {name: [n.properties[name] for n in rows] for name in names})
        for (label, names), rows in groups.items()
    ]


def edge_tables(edges: Iterable[Edge]) -> list[EdgeTable]:
    """The relations of each type, pair of labels and set of properties as one table."""
    groups: dict[tuple[str, str, str, tuple[str, ...]], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((edge[0], edge[1], edge[3], tuple(edge.properties)), []).append(edge)
    return [
        EdgeTable(
            kind,
            source,
            target,
            {"source": [e.source for e in rows], "target": [e.target for e in rows]}
            | {name: [e.properties[name] for e in rows] for name in names},
        )
        for (kind, source, target, names), rows in groups.items()
    ]


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
