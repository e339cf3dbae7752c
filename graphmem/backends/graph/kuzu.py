"""The property graph in an embedded Kuzu database. All writes are tables (Arrow) created or merged in one transaction
with their cursors: 50,000 nodes take a third of a second, and unlike COPY a failed batch can be rolled back."""

from __future__ import annotations

import importlib.util  # noqa: F401  (kuzu 0.11.3 uses it without importing it)
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

import kuzu
import pyarrow as pa

from graphmem import resources
from graphmem.backends.freed import give_back
from graphmem.backends.graph.columns import Table, edge_tables, edges_of, length, node_tables, parted
from graphmem.backends.graph.schema import schema_statements, tables, without_comments
from graphmem.backends.graph.seal import Seal, move
from graphmem.backends.graph.seen import Seen
from graphmem.backends.graph.sentences import sentence
from graphmem.backends.graph.waiting import Waiting
from graphmem.errors import BufferFull, QueryTimeout, StoreBusy, StoreDamaged, StoreError, UsageError
from graphmem.model.changes import Changes, EdgeTable, Node, NodeTable
from graphmem.owntypes import Types
from graphmem.ports.graph import Rows

_WRITE = "queries/graph/write"
_READERS = 4
_LENT = 8 << 20  # bytes of tables that a connection may keep
_MANY = 1_000  # rows from which copying a table beats creating them
_SCANNED = 16 << 20  # bytes of a graph in which finding one node by its key takes as long as looking at all
_SHARE, _MOST = 8, 24 << 20  # of the buffer pool, and bytes: what one transaction may take of it
_ENDS = ("source_id", "target_id")  # columns of relations
_ARROW = {
    "STRING": pa.string(),
    "INT64": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOL": pa.bool_(),
    "TIMESTAMP": pa.timestamp("us"),
    "STRING[]": pa.list_(pa.string()),
}


class KuzuGraph:
    """GraphStore over one Kuzu database file, or in memory where `path` is None. Writes are serialised by a lock;
    reads run on connections of their own. Opening raises StoreDamaged where the files are not what was left, or
    StoreBusy where another process has them open. A `frozen` one is only read: no file is touched, and it has to be there."""

    def __init__(
        self,
        path: Path | None,
        *,
        buffer_pool_mb: int = 2_048,
        threads: int = 2,
        own: Types | None = None,
        frozen: bool = False,
    ) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._frozen = frozen
        self._options: dict[str, Any] = {
            "buffer_pool_size": buffer_pool_mb << 20,
            "max_num_threads": threads,
            "read_only": frozen,
        }
        self._schema = schema_statements(own)
        self._nodes, self._relations = tables(self._schema)
        self._entities = ["Entity", *(own.labels if own else ())]
        self._readers: queue.LifoQueue[kuzu.Connection | None] = queue.LifoQueue()
        self.refusal: StoreError | None = None  # why queries are not answered: the graph is not what the log says
        self._state: Literal["open", "asleep", "closed"] = "closed"
        self._used = 0.0
        self._open()

    def _open(self) -> None:
        self._seal = Seal(self._path) if self._path else None
        broken = self._seal.broken() if self._seal else ""
        if broken:
            raise StoreDamaged(f"the graph cannot be trusted: {broken}", path=str(self._path))
        if self._frozen:
            if self._seal is None or not self._seal.closed():
                raise StoreError("the graph was not closed", path=str(self._path))
            self._seal = None
        self.reverted = bool(self._seal and self._seal.revert())  # what came after the last checkpoint is missing
        try:
            self._db = kuzu.Database(str(self._path) if self._path else ":memory:", **self._options)
            self._writer = kuzu.Connection(self._db)
        except (RuntimeError, IndexError) as error:
            if "lock" in str(error).lower():
                raise StoreBusy("another process has the graph open", path=str(self._path)) from error
            raise StoreDamaged(f"the graph cannot be opened ({error})", path=str(self._path)) from error
        if self._path:
            if not self._frozen:
                self._path.chmod(0o600)
            self._inode = self._path.stat().st_ino
        self._lent = 0  # bytes of tables that the connection was given: it keeps them until it is closed
        self._seen: Seen | None = None  # known only of a graph that was empty here, until something else writes to it
        if not self._all("CALL show_tables() RETURN name LIMIT 1"):
            self._seen = Seen()
            for statement in self._schema:
                self._writer.execute(statement)
        self._waiting, self._held = self._stored(), 0  # bytes of a transaction that was left open
        self._created: set[str] = set()  # tables in which it created or merged single rows
        if self._seal:
            self._seal.write()
        for _ in range(_READERS):
            # One thread each: nodes of several labels, read by two at once, were seen with values of other nodes. A
            # scan of 100,000 nodes takes no longer.
            self._readers.put(kuzu.Connection(self._db, num_threads=1))
        self._state = "open"

    def _stored(self) -> Waiting:
        return Waiting(self._all("MATCH (c:Cursor) WHERE c.body IS NOT NULL RETURN c.id, c.body"))

    def _all(self, cypher: str) -> list[list[Any]]:
        result: Any = self._writer.execute(cypher)
        rows = result.get_all()
        result.close()
        return list(rows)

    # -- GraphStore

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        nodes = [*changes.node_tables, *node_tables(changes.nodes)]
        tables: list[NodeTable | EdgeTable] = [*nodes, *changes.edge_tables]
        rows = sum(map(length, tables)) + len(changes.edges)
        apart = any(_is_much(table, rows) and _name(table) in self._created for table in tables)
        if apart or changes.removed_nodes or changes.removed_edges:  # what is not committed cannot always be removed
            self._settle()
        with self._transaction(rows):
            self._waiting.prune(changes)
            self._remove(changes)
            self._merge_nodes(nodes)
            ready = self._waiting.ready((table.label, one) for table in nodes for one in table.columns["id"])
            self._merge_edges([*changes.edge_tables, *edge_tables([*ready, *changes.edges])], rows)
            gone, new = self._waiting.changes()
            self._remove(Changes(removed_nodes=[("Cursor", key) for key in gone]))
            marks = [Node("Cursor", name, {"position": at}) for name, at in cursors.items()]
            self._merge_nodes(node_tables([*new, *marks]))

    def refine(self, names: Sequence[str]) -> None:
        with self._transaction():
            self._seen = None  # what they remove is not told
            for name in names:
                for statement in {_template(name).substitute(label=label): None for label in self._entities}:
                    self._writer.execute(statement)

    @contextmanager
    def _transaction(self, rows: int = 0) -> Iterator[None]:
        """Every commit writes the last pages of all tables anew. So a large batch for a graph that was empty is left open for
        the next one, as long as its tables are small beside the buffer; were it lost, it would be projected again."""
        if self._frozen:
            raise StoreError("the graph is only read here", path=str(self._path))
        with self._lock:
            self._wake()
            if not self._held:
                self._writer.execute("BEGIN TRANSACTION")
            try:
                yield
                self._held += 1
                more = self._seen is not None and rows >= _MANY
                if not more or self._held >= min(_MOST, self._options["buffer_pool_size"] // _SHARE):
                    self._commit()
            except BaseException as error:
                self._held = 0
                self._created.clear()
                self._rollback()
                self._waiting, self._seen = self._stored(), None
                if "buffer pool is full" in str(error):
                    pool = self._options["buffer_pool_size"] >> 20
                    raise BufferFull(
                        f"{pool} MB of buffer are too few for this graph: raise `buffer_pool_mb` under [graph] in"
                        " settings.toml"
                    ) from error
                raise

    def _commit(self) -> None:
        self._held = 0
        self._writer.execute("COMMIT")
        self._created.clear()
        if self._lent > _LENT:
            self._writer.close()
            self._writer, self._lent = kuzu.Connection(self._db), 0
            give_back()
        if self._seal:
            self._seal.write()

    def _settle(self) -> None:
        """What was left open is committed before somebody looks."""
        if self._held:
            with self._transaction():
                pass

    def _rollback(self) -> None:
        try:
            self._writer.execute("ROLLBACK")
        except RuntimeError as error:
            if "No active transaction" not in str(error):
                raise

    def cursors(self) -> dict[str, int]:
        with self._lock:
            self._wake()
            return {
                row[0]: row[1] for row in self._all("MATCH (c:Cursor) WHERE c.body IS NULL RETURN c.id, c.position")
            }

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        self._settle()
        with self._reader() as reader:
            reader.set_query_timeout(int(timeout * 1000))
            try:
                result = reader.execute(cypher, dict(parameters or {}))
            except RuntimeError as error:
                raise _translated(error, timeout) from error
            if isinstance(result, list):
                raise UsageError("one statement at a time: remove the `;`")
            rows: list[list[Any]] = []
            while result.has_next() and (limit is None or len(rows) < limit):
                rows.append([self._cleaned(value) for value in result.get_next()])
            answer = Rows(result.get_column_names(), rows, truncated=result.has_next())
            result.close()
            return answer

    @contextmanager
    def _reader(self) -> Iterator[kuzu.Connection]:
        """A connection of its own for each concurrent query, so that a slow one holds up nobody."""
        if self.refusal:
            raise self.refusal
        while (reader := self._readers.get()) is None:
            with self._lock:
                self._wake()
        self._used = time.monotonic()
        try:
            yield reader
        finally:
            self._readers.put(reader)

    def _cleaned(self, value: Any) -> Any:
        """A value as others give it: times aware, whole numbers as int, and a node that was matched without a label
        without the columns of all other labels."""
        if isinstance(value, list):
            return [self._cleaned(inner) for inner in value]
        if isinstance(value, datetime):
            return value.replace(tzinfo=UTC)
        if isinstance(value, Decimal):
            return int(value)
        if not isinstance(value, dict):
            return value
        columns = self._nodes.get(value.get("_label", ""), value)
        return {name: self._cleaned(inner) for name, inner in value.items() if name in columns or name.startswith("_")}

    def schema(self) -> dict[str, Any]:
        return {
            "nodes": {label: dict(columns) for label, columns in sorted(self._nodes.items()) if label != "Cursor"},
            "relations": {
                name: {"pairs": sorted(pairs), "properties": dict(columns)}
                for name, (pairs, columns) in sorted(self._relations.items())
            },
        }

    def adopt(self, fresh: KuzuGraph) -> None:
        """Take the place of another graph's file, which is closed by this. Queries wait meanwhile."""
        if self._path is None or fresh._path is None:
            raise StoreError("a graph in memory cannot be put in the place of another one")
        with self._lock:
            fresh.close()
            self._shut("asleep")
            move(fresh._path, self._path)
            self._open()
            self.refusal = None

    def close(self) -> None:
        """Wait for running queries, write everything and release the files."""
        with self._lock:
            self._shut("closed")

    # -- resting

    @property
    def unused(self) -> float:
        """Seconds since somebody asked something, or wrote; 0 where the engine is not open."""
        return time.monotonic() - self._used if self._state == "open" else 0.0

    def rest(self) -> None:
        """Close the engine until somebody asks or writes: it holds 150 MB for empty tables, and is opened in 0.1 s."""
        with self._lock:
            if self._path and self._state == "open":
                self._shut("asleep")

    def lost(self) -> str:
        """Why its file cannot be gone on with: it went away behind its back, was damaged while this one was asleep, or replaced
        while it was open. "" where it is as it was left."""
        if self._path is None or self._state == "closed":
            return ""
        if not self._path.exists() or (self._state == "open" and self._path.stat().st_ino != self._inode):
            return "the graph was gone"
        broken = Seal(self._path).broken() if self._state == "asleep" else ""
        return broken and f"the graph cannot be trusted: {broken}"

    def _wake(self) -> None:
        """Under the lock. Raises StoreError for a closed graph, StoreDamaged where its files were changed meanwhile."""
        self._used = time.monotonic()
        if self._state == "closed":
            self._readers.put(None)
            raise StoreError("the graph was closed: open the store again")
        if self._state == "asleep":
            try:
                if lost := self.lost():  # an empty one would answer that nothing is there
                    raise StoreDamaged(lost, path=str(self._path))
                self._open()
            except StoreError as error:
                self._readers.put(None)
                raise type(error)(f"{error.message}: run `graphmem rebuild`", path=str(self._path)) from error

    def _shut(self, then: Literal["asleep", "closed"]) -> None:
        """Whoever asks from now on finds that there is no connection, and looks why."""
        if self._state == "open":
            self._settle()
            connected = _READERS
            while connected:
                reader = self._readers.get()
                if reader is not None:
                    reader.close()
                    connected -= 1
            self._writer.close()
            self._db.close()
            if self._seal:
                self._seal.close()
        self._state = then
        if self._readers.empty():
            self._readers.put(None)

    # -- writing

    def _write(self, template: str, rows: pa.Table, **names: str) -> Any:
        return self._run(template, names, {"rows": rows})

    def _run(self, template: str, names: Mapping[str, str], parameters: Mapping[str, Any]) -> Any:
        self._held += parameters["rows"].nbytes
        self._lent += parameters["rows"].nbytes
        return self._writer.execute(_template(template).substitute(names), dict(parameters))

    def _find(self, template: str, rows: pa.Table, keys: Sequence[str], **names: str) -> list[tuple[pa.Table, Any]]:
        """Write rows to nodes that are found by these columns; returns rows and results. For a table the engine looks at all
        nodes of a label, so a few rows go one by one, each found in the index of keys."""
        size = self._path.stat().st_size if self._path else 0
        if len(rows) > 1 + size // _SCANNED:
            return [(rows, self._run(template, names | {key: key for key in keys}, {"rows": rows}))]
        names |= {key: f"${key}" for key in keys}
        singles = [rows.take([number]) for number in range(len(rows))]
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
                types, columns = self._nodes[table.label], table.columns
                rows = pa.table({name: pa.array(columns[name], _ARROW[types[name]]) for name in columns})
                names = [name for name in columns if name != "id"]
                if create and self._copied(table):
                    self._write("copy_nodes", rows, label=table.label, columns=", ".join(columns))
                elif create:
                    properties = "".join(f", {name}: {name}" for name in names)
                    self._write("create_node", rows, label=table.label, properties=properties)
                else:
                    self._find("merge_node", rows, ["id"], label=table.label, set=_assignments("n", names))

    def _merge_edges(self, tables: Iterable[EdgeTable], rows_of_all: int) -> None:
        """Each table is made ready while the one before is copied."""
        with ThreadPoolExecutor(1) as pool:
            copied: Future[Any] | None = None
            for whole in tables:
                for create, table in self._parted(whole):
                    rows = self._every(self._complete(table)) if create and self._copied(table, rows_of_all) else None
                    if copied is not None:
                        copied.result()
                    copied = (
                        pool.submit(self._write, "copy_edges", rows, **_labels(table)) if rows is not None else None
                    )
                    if rows is None:
                        self._put_edges(table, create)
            if copied is not None:
                copied.result()

    def _copied(self, table: Table, rows_of_all: int = 0) -> bool:
        """Whether new rows are copied: not after others were created in the same transaction. Kuzu 0.11.3 puts what is copied
        before those, so that relations to them would lead to other nodes, and at times it ends the process."""
        if _is_much(table, rows_of_all) and _name(table) not in self._created:
            return True
        self._created.add(_name(table))
        return False

    def _every(self, table: EdgeTable) -> pa.Table:
        """With a column for each property that the relation may have."""
        types, rows = self._relations[table.type][1], self._arrow(table)
        for name in types.keys() - table.columns.keys():
            rows = rows.append_column(f"{name}_", pa.nulls(len(rows), _ARROW[types[name]]))
        return rows.select(["source_id", "target_id", *(f"{name}_" for name in types)])

    def _arrow(self, table: EdgeTable) -> pa.Table:
        types = self._relations[table.type][1]
        ends = {f"{end}_id": pa.array(table.columns[end], pa.string()) for end in ("source", "target")}
        names = list(table.columns)[2:]
        return pa.table(ends | {f"{name}_": pa.array(table.columns[name], _ARROW[types[name]]) for name in names})

    def _complete(self, table: EdgeTable) -> EdgeTable:
        """Those of which both ends are there; the others wait."""
        assert self._seen is not None
        sources = self._seen.has(table.source_label, table.columns["source"])
        targets = self._seen.has(table.target_label, table.columns["target"])
        complete, others = parted(table, sources & targets)
        self._waiting.add(edges_of(others))
        return complete

    def _put_edges(self, table: EdgeTable, create: bool) -> None:
        rows, names, labels = self._arrow(table), list(table.columns)[2:], _labels(table)
        if create:
            properties = "{" + ", ".join(f"{name}: {name}_" for name in names) + "}" if names else ""
            written = self._find("create_edge", rows, _ENDS, properties=properties, **labels)
        else:
            written = self._find("merge_edge", rows, _ENDS, set=_assignments("e", names, suffix="_"), **labels)
        lacking = [part for part, result in written if result.get_all() != [[len(part)]]]
        if lacking:
            found = self._find("ends_of_edges", pa.concat_tables(lacking), _ENDS, **labels)
            there = {tuple(row) for _, result in found for row in result.get_all()}
            ends = {pair for part in lacking for pair in zip(*(part[end].to_pylist() for end in _ENDS), strict=True)}
            self._waiting.add(e for e in edges_of(table) if (e.source, e.target) in ends - there)

    def _parted(self, table: Table) -> Iterator[tuple[bool, Table]]:
        """The rows to create, then those to merge, where there are any."""
        if self._seen is None:
            parts = [(False, table)]
        else:
            new, known = parted(table, self._seen.new(table))
            parts = [(True, new), (False, known)]
        yield from (part for part in parts if length(part[1]))


def _is_much(table: NodeTable | EdgeTable, rows_of_all: int) -> bool:
    """Whether copying pays. Of relations also where the whole batch is much: to a transaction that copies anyway the table adds
    less than finding both ends of each row."""
    return (rows_of_all if isinstance(table, EdgeTable) else length(table)) >= _MANY


def _name(table: NodeTable | EdgeTable) -> str:
    """Of the engine's table: each pair of labels has one for a type."""
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


def _translated(error: RuntimeError, timeout: float) -> QueryTimeout | UsageError:
    text = str(error)
    if "Interrupted" in text:
        return QueryTimeout(f"the query ran longer than {timeout:g} s and was stopped: add a LIMIT or narrow it")
    return UsageError(f"Cypher: {sentence(text)}")
