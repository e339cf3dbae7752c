"""The write connection of a graph: changes become statements over Arrow tables. The graph decides when transactions begin
and end. All writes create, merge or copy tables: 50,000 nodes take a third of a second, and unlike COPY from files a
failed batch can be rolled back."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa

from graphmem import resources
from graphmem.backends.freed import trim_heap, zeroed_allocations
from graphmem.backends.graph.columns import Table, edge_tables, edges_of, node_tables, partition_rows, row_count
from graphmem.backends.graph.engines import GraphConnection
from graphmem.backends.graph.lists import encode_list, encode_texts
from graphmem.backends.graph.schema import Columns, Relation, column_types, without_comments
from graphmem.backends.graph.seen import HashSet64
from graphmem.backends.graph.waiting import PendingEdges
from graphmem.model.changes import Changes, EdgeTable, Node, NodeTable

_WRITE = "queries/graph/write"
_LENT = 8 << 20  # bytes of tables that a connection may hold
_MIN_COPIED_ROWS = 1_000  # rows from which copying a table is faster than creating rows
_SHARE, _MOST = 8, 24 << 20  # share of the buffer pool, and bytes, that one transaction may use
_SCANNED = 16 << 20  # bytes of a graph in which finding one node by key takes as long as a scan
_MAX_UPDATED = 1_000  # values that may be updated between two checkpoints: each keeps 33 KB, see `keeps_updates`
_SAME_BLOCK = 16  # rows of a table from which most are in the same blocks of 2,048 as others, which are kept once
_RECENT = 100_000  # nodes that are remembered; beyond that, any removal may concern one of them
_ENDS = ("source_id", "target_id")  # columns of relations
_ARROW = {
    "STRING": pa.string(),
    "INT64": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOL": pa.bool_(),
    "TIMESTAMP": pa.timestamp("us"),
    "STRING[]": pa.string(),  # see `lists`
}


class GraphWriter:
    """The writer of one graph. Not thread-safe: the graph has a lock."""

    def __init__(
        self,
        connect: Callable[[], Any],
        path: Path | None,
        nodes: Mapping[str, Columns],
        relations: Mapping[str, Relation],
    ) -> None:
        self._path = path
        self._nodes, self._relations = nodes, relations
        self._connection = GraphConnection(connect)
        self._held = 0  # bytes passed to the open transaction, and a minimum per batch; 0 if none is open
        self._lent = 0  # bytes of tables passed to the connection, which holds them until it is closed
        self._created: set[str] = set()  # tables in which the open transaction created or merged single rows
        self._seen: HashSet64 | None = (
            None  # known only for a graph that was empty here, until something else writes to it
        )
        self._waiting = PendingEdges()
        self._updated = 0  # values that were updated after the last checkpoint
        self.touched: set[str] = set()  # tables that were changed after the last checkpoint, but for new nodes
        self._recent: set[tuple[str, str]] = set()  # nodes with relations written after the last checkpoint

    def begin_graph(self, schema: Iterable[str]) -> None:
        """Create the tables of a new graph; otherwise load the waiting relations."""
        if not self.all("CALL show_tables() RETURN name LIMIT 1"):
            self._seen = HashSet64()
            for statement in ("BEGIN TRANSACTION", *schema, "COMMIT"):  # one commit each would take twice as long
                self.run(statement.replace("STRING[]", "STRING"))
        self._waiting = self._stored()

    def run(self, statement: str, parameters: dict[str, Any] | None = None) -> Any:
        """Run a statement and return its result, which the caller closes."""
        with zeroed_allocations():  # this creates pages
            return self._connection.run(statement, parameters or {})

    def all(self, cypher: str) -> list[list[Any]]:
        """Return the rows of a query, including uncommitted changes."""
        result = self.run(cypher)
        rows = result.get_all()
        result.close()
        return list(rows)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _stored(self) -> PendingEdges:
        return PendingEdges(self.all("MATCH (c:Cursor) WHERE c.body IS NOT NULL RETURN c.id, c.body"))

    # -- transactions

    @property
    def is_open(self) -> bool:
        """Return whether a transaction is open."""
        return self._held > 0

    @property
    def is_filling(self) -> bool:
        """Return whether the graph was empty when it was opened, and nothing failed since."""
        return self._seen is not None

    def begin(self) -> None:
        """Begin a transaction, or continue the open one."""
        if not self._held:
            self.run("BEGIN TRANSACTION")

    def must_settle(self, changes: Changes) -> bool:
        """Return whether these changes need a commit first: uncommitted rows cannot always be removed or found, and rows
        cannot be copied after single ones."""
        if changes.removed_nodes or changes.removed_edges:
            return True
        edges = [*changes.edge_tables, *edge_tables(changes.edges)]
        if any(_name(table) in self._created for table in edges):
            return True
        rows = rows_of(changes)
        tables: list[NodeTable | EdgeTable] = [*changes.node_tables, *changes.edge_tables]
        return any(_is_much(table, rows) and _name(table) in self._created for table in tables)

    def may_wait(self, rows: int, pool: int) -> bool:
        """Return whether the transaction may stay open for the next batch, after one of so many rows; `pool`: bytes of
        buffer."""
        self._held += 1
        return self._seen is not None and rows >= _MIN_COPIED_ROWS and self._held < min(_MOST, pool // _SHARE)

    def commit(self) -> None:
        """Commit the transaction, and release the memory of its tables."""
        self._held = 0
        self.run("COMMIT")
        self._created.clear()
        if self._connection.renew(after=-1) if self._lent > _LENT else self._connection.renew():
            self._lent = 0
            trim_heap()

    def discard(self) -> None:
        """Let nothing be written any more when the engine is closed."""
        self._held = 0
        with contextlib.suppress(RuntimeError):
            self.run("CALL force_checkpoint_on_close=false")

    def checkpoint(self) -> None:
        """Write committed changes to the graph's file. No transaction may be open."""
        self.run("CHECKPOINT")
        self._recent.clear()
        self.touched.clear()
        self._updated = 0

    @property
    def keeps_updates(self) -> bool:
        """Return whether a checkpoint is due because of memory. Until then, the engine keeps a block of 2,048 values for each
        transaction that updated one of them: 33 KB. Its own checkpoint, at 16 MB of write-ahead log, would come after
        gigabytes."""
        return self._updated > _MAX_UPDATED

    def _note_updates(self, rows: int, columns: int) -> None:
        self._updated += columns * min(rows, _SAME_BLOCK)

    def removes_recent(self, changes: Changes) -> bool:
        """Return whether these changes remove a relation that was written after the last checkpoint, or may do so."""
        ends = {*changes.removed_nodes, *((key.source_label, key.source) for key in changes.removed_edges)}
        return bool(ends) and (len(self._recent) > _RECENT or not self._recent.isdisjoint(ends))

    def _note_ends(self, table: EdgeTable) -> None:
        if len(self._recent) <= _RECENT:
            self._recent.update((table.source_label, one) for one in table.columns["source"])
            self._recent.update((table.target_label, one) for one in table.columns["target"])

    def rollback(self) -> None:
        """Roll back the transaction."""
        self._held = 0
        self._created.clear()
        try:
            self.run("ROLLBACK")
        except RuntimeError as error:
            if "No active transaction" not in str(error):
                raise
        self._waiting, self._seen = self._stored(), None

    # -- writing

    def put(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        """Apply removals, nodes, then relations; those with a missing end wait for it. All nodes are in tables."""
        self._waiting.prune(changes)
        self._remove(changes)
        self._merge_nodes(changes.node_tables)
        ready = self._waiting.take_ready(
            (table.label, one) for table in changes.node_tables for one in table.columns["id"]
        )
        self._merge_edges([*changes.edge_tables, *edge_tables([*ready, *changes.edges])], rows_of(changes))
        gone, new = self._waiting.changes()
        self._remove(Changes(removed_nodes=[("Cursor", key) for key in gone]))
        marks = [Node("Cursor", name, {"position": at}) for name, at in cursors.items()]
        self._merge_nodes(node_tables([*new, *marks]))

    def refine(self, name: str, labels: Iterable[str]) -> None:
        """Run a statement over the whole graph, for each label if it has a label placeholder."""
        self._seen = None  # its removals are not reported
        for statement in {_template(name).substitute(label=label): None for label in labels}:
            self.run(statement)

    def write(self, template: str, rows: pa.Table, **names: str) -> Any:
        """Run a statement that writes a table of rows, in the open transaction."""
        return self._run(template, names, {"rows": rows})

    def _run(self, template: str, names: Mapping[str, str], parameters: Mapping[str, Any]) -> Any:
        self._held += parameters["rows"].nbytes
        self._lent += parameters["rows"].nbytes
        return self.run(_template(template).substitute(names), dict(parameters))

    def _find(self, template: str, rows: pa.Table, keys: Sequence[str], **names: str) -> list[tuple[pa.Table, Any]]:
        """Write rows to nodes found by these columns; return rows and results. For a table the engine scans all nodes of
        a label, so a few rows are written one by one through the key index."""
        size = self._path.stat().st_size if self._path else 0
        if len(rows) > 1 + size // _SCANNED:
            return [(rows, self._run(template, names | {key: key for key in keys}, {"rows": rows}))]
        names |= {key: f"${key}" for key in keys}
        singles = [rows.take([number]) for number in range(len(rows))] if len(rows) > 1 else [rows]
        values = [{key: row[key][0].as_py() for key in keys} for row in singles]
        return [(row, self._run(template, names, {"rows": row, **at})) for row, at in zip(singles, values, strict=True)]

    def _remove(self, changes: Changes) -> None:
        if self._seen is not None:
            self._seen.remove(changes.removed_nodes)
        for label, ids in _grouped(changes.removed_nodes, lambda row: row[0]).items():
            self._find("remove_node", pa.table({"node_id": [row[1] for row in ids]}), ["node_id"], label=label)
        keys = _grouped(
            changes.removed_edges, lambda key: (key.type, key.source_label, key.target_label, not key.target)
        )
        for (kind, source, target, every), group in keys.items():
            names = {"type": kind, "source": source, "target": target}
            table = {"source_id": [key.source for key in group]}
            if every:
                self._find("remove_edges_from", pa.table(table), ["source_id"], **names)
            else:
                table["target_id"] = [key.target for key in group]
                self._find("remove_edge", pa.table(table), _ENDS, **names)

    def _merge_nodes(self, tables: Iterable[NodeTable]) -> None:
        for whole in tables:
            for create, table in self._parted(whole):
                columns = table.columns
                names = [name for name in columns if name != "id"]
                types = column_types(table.label, self._nodes.get(table.label), names)
                rows = pa.table({name: _array(columns[name], types[name]) for name in columns})
                if create and self._copied(table):
                    self.write("copy_nodes", rows, label=table.label, columns=", ".join(columns))
                elif create:
                    properties = "".join(f", {name}: {name}" for name in names)
                    self.write("create_node", rows, label=table.label, properties=properties)
                else:
                    self._note_updates(len(rows), len(names))
                    self.touched.add(table.label)
                    self._find("merge_node", rows, ["id"], label=table.label, set=_assignments("n", names))

    def _merge_edges(self, tables: Iterable[EdgeTable], rows_of_all: int) -> None:
        """Merge relations: first all that exist, because Kuzu 0.11.3 reads uncommitted relations wrongly where others were
        removed. Each table is prepared while the previous one is copied."""
        parts = [part for whole in tables for part in self._parted(whole)]
        others = [(table, self._update_edges(table)) for create, table in parts if not create]
        with ThreadPoolExecutor(1) as pool:
            copied: Future[Any] | None = None
            for table in (table for create, table in parts if create):
                rows = self._every(self._complete(table)) if self._copied(table, rows_of_all) else None
                if copied is not None:
                    copied.result()
                copied = pool.submit(self.write, "copy_edges", rows, **_labels(table)) if rows is not None else None
                if rows is None:
                    self._create_edges(table, self._arrow(table))
            if copied is not None:
                copied.result()
        for table, rows in others:
            self._created.add(_name(table))
            self._create_edges(table, rows)

    def _copied(self, table: Table, rows_of_all: int = 0) -> bool:
        """Return whether new rows are copied: not after others were created in the same transaction. Kuzu 0.11.3 inserts
        copied rows before those, so that relations would connect other nodes, and sometimes crashes."""
        if _is_much(table, rows_of_all) and _name(table) not in self._created:
            return True
        self._created.add(_name(table))
        return False

    def _every(self, table: EdgeTable) -> pa.Table:
        """Return the table with a column for each property that the relation may have."""
        types, rows = self._relations[table.type][1], self._arrow(table)
        for name in types.keys() - table.columns.keys():
            rows = rows.append_column(f"{name}_", pa.nulls(len(rows), _ARROW[types[name]]))
        return rows.select(["source_id", "target_id", *(f"{name}_" for name in types)])

    def _arrow(self, table: EdgeTable) -> pa.Table:
        types = column_types(table.type, self._relations[table.type][1], list(table.columns)[2:])
        ends = {f"{end}_id": pa.array(table.columns[end], pa.string()) for end in ("source", "target")}
        names = list(table.columns)[2:]
        return pa.table(ends | {f"{name}_": _array(table.columns[name], types[name]) for name in names})

    def _complete(self, table: EdgeTable) -> EdgeTable:
        """Return the relations with both ends; the others wait."""
        assert self._seen is not None
        sources = self._seen.has(table.source_label, table.columns["source"])
        targets = self._seen.has(table.target_label, table.columns["target"])
        complete, others = partition_rows(table, sources & targets)
        self._waiting.add(edges_of(others))
        return complete

    def _update_edges(self, table: EdgeTable) -> pa.Table:
        """Update the relations that exist; return the rows of the others, each pair once. There is no MERGE: run several
        times in one transaction, it loses relations."""
        rows, names = self._arrow(table), list(table.columns)[2:]
        self._note_updates(len(rows), len(names))
        self.touched.add(table.type)
        found = self._find("update_edge", rows, _ENDS, set=_assignments("e", names, suffix="_"), **_labels(table))
        there = {tuple(row) for _, result in found for row in result.get_all()}
        last = {pair: number for number, pair in enumerate(_pairs(rows))}
        others = [number for pair, number in last.items() if pair not in there]
        return rows.take(pa.array(others, pa.int64()))

    def _create_edges(self, table: EdgeTable, rows: pa.Table) -> None:
        """Create relations one by one; those without both ends wait for them."""
        if not len(rows):
            return
        self.touched.add(table.type)
        self._note_ends(table)  # those of a copied table are in a checkpoint
        names, labels = list(table.columns)[2:], _labels(table)
        properties = "{" + ", ".join(f"{name}: {name}_" for name in names) + "}" if names else ""
        written = self._find("create_edge", rows, _ENDS, properties=properties, **labels)
        lacking = [part for part, result in written if result.get_all() != [[len(part)]]]
        if lacking:
            found = self._find("ends_of_edges", pa.concat_tables(lacking), _ENDS, **labels)
            there = {tuple(row) for _, result in found for row in result.get_all()}
            ends = {pair for part in lacking for pair in _pairs(part)}
            self._waiting.add(e for e in edges_of(table) if (e.source, e.target) in ends - there)

    def _parted(self, table: Table) -> Iterator[tuple[bool, Table]]:
        """Yield the rows to create, then those to merge, if any."""
        if self._seen is None:
            parts = [(False, table)]
        else:
            new, known = partition_rows(table, self._seen.new(table))
            parts = [(True, new), (False, known)]
        yield from (part for part in parts if row_count(part[1]))


def _pairs(rows: pa.Table) -> list[tuple[str, str]]:
    """Return the ids of both ends of each relation."""
    return list(zip(*(rows[end].to_pylist() for end in _ENDS), strict=True))


def _array(values: Sequence[Any], kind: str) -> pa.Array:
    """Return a column of values of a type of the schema."""
    if kind == "STRING[]":
        values = [*map(encode_list, values)]
    elif kind == "STRING":
        values = encode_texts(values)
    return pa.array(values, _ARROW[kind])


def rows_of(changes: Changes) -> int:
    """Return the number of nodes (all in tables) and relations."""
    return sum(map(row_count, changes.node_tables)) + sum(map(row_count, changes.edge_tables)) + len(changes.edges)


def _is_much(table: NodeTable | EdgeTable, rows_of_all: int) -> bool:
    """Return whether copying pays off. For relations also if the whole batch is large: in a transaction that copies
    anyway, a table adds less than looking up both ends of each row."""
    return (rows_of_all if isinstance(table, EdgeTable) else row_count(table)) >= _MIN_COPIED_ROWS


def _name(table: NodeTable | EdgeTable) -> str:
    """Return the engine's table name: each pair of labels has one for a type."""
    if isinstance(table, NodeTable):
        return table.label
    return f"{table.type} {table.source_label} {table.target_label}"


def _labels(table: EdgeTable) -> dict[str, str]:
    return {"type": table.type, "source": table.source_label, "target": table.target_label}


@cache
def _template(name: str) -> Template:
    return Template(without_comments(resources.text(f"{_WRITE}/{name}.cypher")))


def _assignments(variable: str, names: Sequence[str], suffix: str = "") -> str:
    return "SET " + ", ".join(f"{variable}.{name} = {name}{suffix}" for name in names) if names else ""


def _grouped(rows: Iterable[Any], key: Any) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups
