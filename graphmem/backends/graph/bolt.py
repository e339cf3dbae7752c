"""The property graph on a server that speaks Bolt (Neo4j, ArcadeDB, Memgraph). One database is the graph of one store; nothing of
it is on this machine. Each batch is one transaction with its cursors, as with the embedded engines."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from graphmem.backends.graph.bolt_connection import BoltConnection, Transaction, parse_graph_url, sentence_of
from graphmem.backends.graph.bolt_values import ValueReader, to_column
from graphmem.backends.graph.columns import edge_tables, edges_of, node_tables, row_count, to_tables
from graphmem.backends.graph.dialect import to_bolt, write_template
from graphmem.backends.graph.schema import column_types, describe_schema, parse_tables, schema_statements
from graphmem.backends.graph.waiting import PendingEdges
from graphmem.errors import StoreError, UsageError
from graphmem.model.changes import Changes, Edge, EdgeKey, EdgeTable, Node, NodeTable
from graphmem.owntypes import Types
from graphmem.ports.callers import HAS_CALLER_LEFT
from graphmem.ports.graph import GraphStore, Rows
from graphmem.text.cypher_columns import list_columns

_PAGE = 1_000  # rows of one statement
_EMPTIED = 5_000  # nodes that one transaction removes
_WRITE_S, _READ_S = 600.0, 120.0  # seconds that a batch, and a query without a limit of its own, may take
_CHECK_S = 10.0  # seconds between two looks whether the database still has this graph
_OWNER = "graph of "  # prefix of the cursor that says whose graph a database has
# Properties by which queries find nodes. The embedded engines scan a column for them.
_SOUGHT = {
    "Symbol": ("qualified_name", "name", "project"), "File": ("path",), "Entity": ("name",), "Commit": ("hash",),
    "Session": ("ref",), "Task": ("ref",), "Fact": ("kind",),
}  # fmt: skip


class BoltGraph:
    """OwnedGraph in a database of a server. A graph of another schema is dropped. Opening raises StoreError if the database has
    data of somebody else. Safe for concurrent threads."""

    def __init__(
        self, url: str, owner: tuple[str, str], *, own: Types | None = None, dry: bool = False, frozen: bool = False
    ) -> None:
        """`owner`: the id of the store, and a digest of its schema. A `dry` graph keeps nothing: for trials. A `frozen` one is
        only read, and must be there."""
        self._place, self._owner, self._own, self._dry, self._frozen = parse_graph_url(url), owner, own, dry, frozen
        self._server = BoltConnection(self._place)
        self._nodes, self._relations = parse_tables(schema_statements(own))
        self._entities = ["Entity", *(own.labels if own else ())]
        self._values = ValueReader(self._nodes, self._relations)
        self._lock = threading.RLock()
        self._waiting: PendingEdges | None = None
        self._used = self._checked = time.monotonic()
        self._damage, self._is_closed = "", False
        self.is_new = False  # whether it was not there before
        self.refusal: StoreError | None = None
        self.reverted = False
        try:
            self._claim()
        except BaseException:
            self._server.close()
            raise

    # -- whose graph it is

    def _claim(self) -> None:
        """Make an empty database that of this store. Raises StoreError if it is that of somebody else."""
        if self._dry:
            return
        owner = self._find_owner()
        if owner == self._owner:
            return
        if self._frozen:
            raise StoreError(f"the graph server ({self._place.name}) does not have the graph of this store")
        if owner and owner[0] == self._owner[0]:
            self.drop()
        elif owner or self._run("some_node"):
            whose = "the graph of another store" if owner else "data that graphmem did not write"
            raise StoreError(
                f"the graph server ({self._place.name}) has {whose} in this database: name an empty one in `graph.url`"
            )
        self.is_new = True
        self._begin()

    def _begin(self) -> None:
        """Create indexes in an empty database, and note whose it is."""
        for label in self._nodes:
            self._declare("index_nodes", f"id_{label.lower()}", label=label)
            for name in _SOUGHT.get(label, ()):
                self._declare("index_property", f"{name}_{label.lower()}", label=label, property=name)
        mark = Node("Cursor", _OWNER + " ".join(self._owner), {"position": 0})
        with self._server.transaction(_WRITE_S, is_writing=True) as db:
            self._merge_nodes(db, node_tables([mark]))

    def _declare(self, statement: str, name: str, **given: str) -> None:
        with self._server.transaction(_WRITE_S, is_writing=True) as db:
            db.run(write_template(statement).substitute(name=name, **given))

    def _find_owner(self) -> tuple[str, str] | None:
        """Return store and schema of the graph in the database, or None."""
        for name, _ in self._run("cursors"):
            if name.startswith(_OWNER):
                store, _, schema = name.removeprefix(_OWNER).partition(" ")
                return store, schema
        return None

    def drop(self) -> None:
        """Remove everything from the database."""
        statement = write_template("empty").substitute()
        while True:
            with self._server.transaction(_WRITE_S, is_writing=True) as db:
                removed = db.run(statement, {"most": _EMPTIED}).rows
            if removed in ([], [[0]]):
                return

    # -- GraphStore

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        changes = to_tables(changes)
        with self._lock, self._writing() as db:
            waiting = self._waiting = self._waiting or PendingEdges(_rows(db, "waiting"))
            waiting.prune(changes)
            self._remove(db, changes.removed_nodes, changes.removed_edges)
            self._merge_nodes(db, changes.node_tables)
            ready = waiting.take_ready(
                (table.label, one) for table in changes.node_tables for one in table.columns["id"]
            )
            for table in [*changes.edge_tables, *edge_tables([*ready, *changes.edges])]:
                waiting.add(self._merge_edges(db, table))
            gone, new = waiting.changes()
            self._remove(db, [("Cursor", key) for key in gone], [])
            marks = [Node("Cursor", name, {"position": at}) for name, at in cursors.items()]
            self._merge_nodes(db, node_tables([*new, *marks]))

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """Context manager: one transaction; of a dry graph, nothing is kept."""
        self._require_open(is_writing=True)
        try:
            with self._server.transaction(_WRITE_S, is_writing=not self._dry) as db:
                yield db
        except BaseException:
            self._waiting = None  # read again: the server has what was there before
            raise

    def _require_open(self, *, is_writing: bool = False) -> None:
        if self._is_closed:
            raise StoreError("the graph was closed: open the store again")
        if self._frozen and is_writing:
            raise StoreError("the graph was opened read-only")
        self._used = time.monotonic()

    def _merge_nodes(self, db: Transaction, tables: Iterable[NodeTable]) -> None:
        for table in tables:
            names = [name for name in table.columns if name != "id"]
            types = column_types(table.label, self._nodes.get(table.label), names)
            columns = [to_column(table.columns[name], types[name]) for name in names]
            sets = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] if names else None
            rows = [{"id": one, "set": sets[number] if sets else {}} for number, one in enumerate(table.columns["id"])]
            _write(db, "merge_node", rows, label=table.label)

    def _merge_edges(self, db: Transaction, table: EdgeTable) -> list[Edge]:
        """Merge relations; return those that lack an end."""
        names = list(table.columns)[2:]
        types = column_types(table.type, self._relations[table.type][1], names)
        columns = [to_column(table.columns[name], types[name]) for name in names]
        rows = [
            {"number": number, "source": table.columns["source"][number], "target": table.columns["target"][number],
             "set": {name: column[number] for name, column in zip(names, columns, strict=True)}}
            for number in range(row_count(table))
        ]  # fmt: skip
        found = _write(db, "merge_edge", rows, type=table.type, source=table.source_label, target=table.target_label)
        there = {row[0] for row in found}
        return [] if len(there) == len(rows) else [e for n, e in enumerate(edges_of(table)) if n not in there]

    def _remove(self, db: Transaction, nodes: Iterable[tuple[str, str]], edges: Iterable[EdgeKey]) -> None:
        by_label: dict[str, list[str]] = defaultdict(list)
        for label, one in nodes:
            by_label[label].append(one)
        for label, ids in by_label.items():
            _write(db, "remove_node", ids, label=label)
        by_type: dict[tuple[str, str, str, bool], list[EdgeKey]] = defaultdict(list)
        for key in edges:
            by_type[key.type, key.source_label, key.target_label, not key.target].append(key)
        for (kind, source, target, every), keys in by_type.items():
            names = {"type": kind, "source": source, "target": target}
            if every:
                _write(db, "remove_edges_from", [key.source for key in keys], **names)
            else:
                rows = [{"source": key.source, "target": key.target} for key in keys]
                _write(db, "remove_edge", rows, **names)

    def refine(self, names: Sequence[str]) -> None:
        with self._lock, self._writing() as db:
            for name in names:
                for statement in {write_template(name).substitute(label=label): None for label in self._entities}:
                    db.run(statement)

    def cursors(self) -> dict[str, int]:
        self._require_open()
        return {name: at for name, at in self._run("cursors") if not name.startswith(_OWNER)}

    def _run(self, name: str) -> list[list[Any]]:
        with self._server.transaction(_READ_S) as db:
            return _rows(db, name)

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        return self._query(to_bolt(cypher), parameters, limit, timeout or _READ_S, None)

    def query_untrusted(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float,
        has_left: Callable[[], bool] | None = None,
    ) -> Rows:
        """Run untrusted Cypher in a transaction that is rolled back; the server is the process that is protected from it."""
        return self._query(to_bolt(cypher), parameters, limit, timeout, has_left or HAS_CALLER_LEFT.get())

    def _query(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None,
        limit: int | None,
        limit_s: float,
        has_left: Callable[[], bool] | None,
    ) -> Rows:
        import neo4j.exceptions as errors

        self._require_open()
        if self.refusal:
            raise self.refusal
        try:
            with self._server.transaction(limit_s, has_left=has_left) as db:
                answer = db.run(cypher, parameters, limit)
        except errors.ClientError as error:
            raise UsageError(f"Cypher: {sentence_of(error)}") from error
        rows = [[self._values.read(value) for value in row] for row in answer.rows]
        columns = answer.columns or list_columns(cypher)  # ArcadeDB names none where there are no rows
        return Rows(columns, rows, truncated=answer.is_cut)

    def schema(self) -> dict[str, Any]:
        return describe_schema(self._nodes, self._relations)

    def close(self) -> None:
        self._is_closed = True
        self._server.close()

    # -- OwnedGraph

    @property
    def unused_s(self) -> float:
        """Return seconds since the last query or write; 0 while there is no connection."""
        return time.monotonic() - self._used if self._server.is_open else 0.0

    def release_memory(self) -> None:
        """Close the connections until the next use."""
        with self._lock:
            self._server.close()

    def find_damage(self) -> str:
        """Return why the graph cannot be used: somebody emptied the database, or used it for something else."""
        if not self._is_closed and not self._dry and time.monotonic() - self._checked > _CHECK_S:
            self._damage = "" if self._find_owner() == self._owner else "the graph was missing"
            self._checked = time.monotonic()
        return self._damage

    def make_fresh(self) -> BoltGraph:
        """Return an empty graph in the same database, which `adopt` makes this one. Queries are refused until then."""
        self.refusal = StoreError("the graph on the server is being rebuilt: try again when `graphmem process` is done")
        with self._lock:
            self.drop()
            return BoltGraph(self._place_url(), self._owner, own=self._own)

    def _place_url(self) -> str:
        return self._place.url + (f"?database={self._place.database}" if self._place.database else "")

    def adopt(self, fresh: GraphStore) -> None:
        if not isinstance(fresh, BoltGraph) or fresh._place != self._place:
            raise StoreError("only a graph in the same database can replace the graph on a server")
        with self._lock:
            fresh.close()
            self._waiting, self._damage, self.refusal = None, "", None


def _rows(db: Transaction, name: str) -> list[list[Any]]:
    return db.run(write_template(name).substitute()).rows


def _write(db: Transaction, name: str, rows: Sequence[Any], **names: str) -> list[list[Any]]:
    """Run a statement with pages of rows; return what it answers."""
    statement, answers = write_template(name).substitute(names), list[list[Any]]()
    for start in range(0, len(rows), _PAGE):
        answers += db.run(statement, {"rows": rows[start : start + _PAGE]}).rows
    return answers
