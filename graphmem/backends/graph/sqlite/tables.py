"""The tables of a graph in SQLite, and the changes to their rows. All labels share one table, and so do all relation types: a
column that a label does not have takes one byte, and a pattern without labels needs no union of tables."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from graphmem.backends.graph.columns import edge_tables, edges_of, node_tables, row_count, to_tables
from graphmem.backends.graph.lists import encode_texts
from graphmem.backends.graph.schema import Columns, Relation, column_types
from graphmem.backends.graph.waiting import PendingEdges
from graphmem.model.changes import Changes, Edge, EdgeKey, EdgeTable, Node, NodeTable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Properties by which queries find nodes. The embedded engines scan a column for them.
_SOUGHT = ("qualified_name", "name", "path", "hash", "ref")
_OF_NODES, _OF_EDGES = {"key", "label", "id"}, {"key", "type", "source", "target"}  # columns that all rows have
_AT_ONCE = 20_000  # ids in one query


def table_statements(nodes: Mapping[str, Columns], relations: Mapping[str, Relation]) -> list[str]:
    """Return the statements that create the tables."""
    of_nodes = _all_columns(nodes.values(), _OF_NODES)
    of_edges = _all_columns((columns for _, columns in relations.values()), _OF_EDGES)
    sought = [
        f'CREATE INDEX nodes_{name} ON nodes("{name}") WHERE "{name}" IS NOT NULL'
        for name in _SOUGHT
        if name in of_nodes
    ]
    return [
        f"CREATE TABLE nodes(key INTEGER PRIMARY KEY, label TEXT NOT NULL, id TEXT NOT NULL{_listed(of_nodes)})",
        f"CREATE TABLE edges(key INTEGER PRIMARY KEY, type TEXT NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL"
        f"{_listed(of_edges)})",
        "CREATE UNIQUE INDEX nodes_id ON nodes(id, label)",
        "CREATE INDEX nodes_label ON nodes(label)",
        "CREATE UNIQUE INDEX edges_source ON edges(source, type, target)",
        "CREATE INDEX edges_target ON edges(target, type, source)",
        "CREATE INDEX edges_type ON edges(type)",
        *sought,
    ]


def _all_columns(tables: Iterable[Columns], common: set[str]) -> list[str]:
    return list(dict.fromkeys(name for columns in tables for name in columns if name not in common))


def _listed(names: Iterable[str]) -> str:
    return "".join(f', "{name}"' for name in names)


class TableWriter:
    """Writes changes to the tables, in the caller's transaction."""

    def __init__(self, db: sqlite3.Connection, nodes: Mapping[str, Columns], relations: Mapping[str, Relation]) -> None:
        self._db, self._nodes, self._relations = db, nodes, relations

    def put(self, changes: Changes, cursors: Mapping[str, int], waiting: PendingEdges) -> None:
        """Apply one batch and set these cursors. `waiting` are the relations that lack an end."""
        changes = to_tables(changes)
        waiting.prune(changes)
        self._remove(changes.removed_nodes, changes.removed_edges)
        self._merge_nodes(changes.node_tables)
        ready = waiting.take_ready((table.label, one) for table in changes.node_tables for one in table.columns["id"])
        for table in [*changes.edge_tables, *edge_tables([*ready, *changes.edges])]:
            waiting.add(self._merge_edges(table))
        gone, new = waiting.changes()
        self._remove([("Cursor", key) for key in gone], [])
        marks = [Node("Cursor", name, {"position": at}) for name, at in cursors.items()]
        self._merge_nodes(node_tables([*new, *marks]))

    def _merge_nodes(self, tables: Iterable[NodeTable]) -> None:
        for table in tables:
            names = [name for name in table.columns if name != "id"]
            types = column_types(table.label, self._nodes.get(table.label), names)
            columns = [_to_column(table.columns[name], types[name]) for name in names]
            update = ", ".join(f'"{name}" = excluded."{name}"' for name in names)
            self._db.executemany(
                f"INSERT INTO nodes(label, id{_listed(names)}) VALUES ({_marks(2 + len(names))})"
                f" ON CONFLICT (id, label) DO {'UPDATE SET ' + update if update else 'NOTHING'}",
                zip([table.label] * row_count(table), table.columns["id"], *columns, strict=True),
            )

    def _merge_edges(self, table: EdgeTable) -> list[Edge]:
        """Merge relations; return those that lack an end."""
        names = list(table.columns)[2:]
        types = column_types(table.type, self._relations[table.type][1], names)
        columns = [_to_column(table.columns[name], types[name]) for name in names]
        sources = self._keys(table.source_label, table.columns["source"])
        targets = self._keys(table.target_label, table.columns["target"])
        update = ", ".join(f'"{name}" = excluded."{name}"' for name in names)
        self._db.executemany(
            f"INSERT INTO edges(type, source, target{_listed(names)}) VALUES ({_marks(3 + len(names))})"
            f" ON CONFLICT (source, type, target) DO {'UPDATE SET ' + update if update else 'NOTHING'}",
            (
                (table.type, source, target, *rest)
                for source, target, *rest in zip(sources, targets, *columns, strict=True)
                if source is not None and target is not None
            ),
        )
        if None not in sources and None not in targets:
            return []
        return [
            edge
            for edge, *ends in zip(edges_of(table), sources, targets, strict=True)
            if None in ends  # the node may come later
        ]

    def _keys(self, label: str, ids: Sequence[str]) -> list[int | None]:
        """Return the keys of nodes of a label, None for missing ones."""
        wanted, known = list(dict.fromkeys(ids)), dict[str, int]()
        for start in range(0, len(wanted), _AT_ONCE):
            known |= self._db.execute(
                "SELECT id, key FROM nodes WHERE label = ? AND id IN (SELECT value FROM json_each(?))",
                (label, json.dumps(wanted[start : start + _AT_ONCE])),
            ).fetchall()
        return [known.get(one) for one in ids]

    def _remove(self, nodes: Iterable[tuple[str, str]], edges: Iterable[EdgeKey]) -> None:
        by_label: dict[str, list[str]] = defaultdict(list)
        for label, one in nodes:
            by_label[label].append(one)
        for label, ids in by_label.items():
            keys = [(key,) for key in self._keys(label, ids) if key is not None]
            for table, column in (("edges", "source"), ("edges", "target"), ("nodes", "key")):
                self._db.executemany(f"DELETE FROM {table} WHERE {column} = ?", keys)
        by_type: dict[tuple[str, str, str, bool], list[EdgeKey]] = defaultdict(list)
        for edge in edges:
            by_type[edge.type, edge.source_label, edge.target_label, not edge.target].append(edge)
        for (kind, source, target, every), removed in by_type.items():
            sources = self._keys(source, [edge.source for edge in removed])
            if every:
                self._db.executemany(
                    "DELETE FROM edges WHERE type = ? AND source = ?"
                    " AND (SELECT label FROM nodes WHERE nodes.key = edges.target) = ?",
                    [(kind, one, target) for one in sources],
                )
            else:
                targets = self._keys(target, [edge.target for edge in removed])
                self._db.executemany(
                    "DELETE FROM edges WHERE type = ? AND source = ? AND target = ?",
                    [(kind, *ends) for ends in zip(sources, targets, strict=True)],
                )


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _to_column(values: Sequence[Any], kind: str) -> Sequence[Any]:
    """Return a column of values of a type of the schema, as SQLite stores them."""
    if kind == "STRING":
        return encode_texts(values)
    if kind == "STRING[]":
        return [None if value is None else json.dumps(list(value), ensure_ascii=False) for value in values]
    if kind == "TIMESTAMP":
        return [_microseconds(value) if isinstance(value, datetime) else value for value in values]
    if kind == "DOUBLE":
        return [None if value is None else float(value) for value in values]
    return [None if value is None else int(value) for value in values]


def _microseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = aware - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def stored_parameter(value: Any) -> tuple[Any, str]:
    """Return a parameter as SQLite takes it, and its kind."""
    if isinstance(value, bool):
        return int(value), "BOOL"
    if isinstance(value, datetime):
        return _microseconds(value), "TIMESTAMP"
    if isinstance(value, list | tuple | set | frozenset):
        items = [stored_parameter(item) for item in value]
        text = json.dumps([item for item, _ in items], ensure_ascii=False, separators=(",", ":"))
        return text, "LIST:" + (items[0][1] if items else "")
    kinds = {str: "STRING", int: "INT64", float: "DOUBLE"}
    return value, kinds.get(type(value), "")
