"""Translates a query of the subset in `syntax` to one statement of SQL over the tables `nodes` and `edges`. A part of the query
up to `WITH` or `OPTIONAL MATCH` becomes a table expression, which the next part continues."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

from graphmem.backends.graph.schema import Columns, Relation
from graphmem.backends.graph.sqlite import syntax as s
from graphmem.backends.graph.sqlite.expressions import Expressions, has_aggregate
from graphmem.backends.graph.sqlite.scope import LIST, NODE, PATH, RELATION, Binding, Select, Value
from graphmem.errors import UsageError

_ROW = "#row"  # the name of the number of a row, for `OPTIONAL MATCH`


class Sql(NamedTuple):
    """A statement; the names and kinds of its columns, and the parameters that it uses."""

    text: str
    columns: list[str]
    kinds: list[str]
    parameters: frozenset[str]


class Write(NamedTuple):
    """A query that writes: the rows that it found, and what is made of them. Columns of the rows are c0, c1, …"""

    rows: str
    statements: list[str]


class Translator:
    """Translates one query."""

    def __init__(
        self, nodes: Mapping[str, Columns], relations: Mapping[str, Relation], kinds: Mapping[str, str] | None = None
    ) -> None:
        """`kinds` are those of the parameters."""
        types = {name: columns for name, (_, columns) in relations.items()}
        self._tables: dict[str, Mapping[str, Columns]] = {NODE: nodes, RELATION: types}
        self._values = Expressions(self._tables, kinds or {}, self._exists)
        self._expressions: list[str] = []
        self._numbers = count(1)

    def _new_name(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers)}"

    # -- statements

    def read(self, statement: s.Statement) -> Sql:
        """Return the SQL of a query that reads. Raises UsageError for what has no translation."""
        parts: list[str] = []
        columns: list[str] = []
        kinds: list[str] = []
        for clauses in statement.parts:
            last = clauses[-1]
            if not isinstance(last, s.Projection):
                raise UsageError("Cypher: queries only read")
            text, values = self._project(self._clauses(clauses[:-1]), last)
            parts.append(f"SELECT * FROM ({text})" if len(statement.parts) > 1 else text)
            if columns and len(columns) != len(last.items):
                raise UsageError("Cypher: all parts of a UNION need the same columns")
            columns = columns or [item.name for item in last.items]
            kinds = [a or b.kind for a, b in zip(kinds, values, strict=True)] if kinds else [v.kind for v in values]
        union = " UNION " if statement.is_distinct else " UNION ALL "
        return Sql(self._with() + union.join(parts), columns, kinds, frozenset(self._values.used))

    def write(self, statement: s.Statement, rows: str) -> Write:
        """Return the SQL of a query that merges relations, or deletes relations or nodes; `rows` is the name of a table for
        what it finds."""
        (clauses,) = statement.parts
        writes = [clause for clause in clauses if isinstance(clause, s.Merge | s.Delete)]
        select = self._clauses(clauses[: len(clauses) - len(writes)])
        found: list[str] = []
        made: list[str] = []
        for one in writes:
            if isinstance(one, s.Delete):
                gone = select.find(one.variable)
                made += _deletion(rows, _column(found, gone.sql), is_relation=gone.kind == RELATION)
            else:
                ends = [_column(found, select.find(end).sql) for end in (one.source, one.target)]
                given = {
                    name: _column(found, self._values.value(value, select).sql) for name, value in dict(one.set).items()
                }
                made.append(_merge(rows, one.type, ends, given))
        columns = ", ".join(f"{sql} AS c{number}" for number, sql in enumerate(found))
        return Write(f"{self._with()}SELECT DISTINCT {columns}{select.source()}", made)

    def _with(self) -> str:
        return f"WITH RECURSIVE {', '.join(self._expressions)} " if self._expressions else ""

    # -- clauses

    def _clauses(self, clauses: tuple[s.Clause, ...]) -> Select:
        select = Select(self._new_name)
        for clause in clauses:
            match clause:
                case s.Match() if clause.is_optional:
                    select = self._optional(select, clause)
                case s.Match():
                    select = self._match(select, clause)
                case s.Unwind():
                    self._unwind(select, clause)
                case s.Projection():
                    select = self._continue(select, clause)
        return select

    def _unwind(self, select: Select, clause: s.Unwind) -> None:
        values, name = self._values.value(clause.values, select), self._new_name("u")
        select.tables.append(f"json_each({values.sql}) AS {name}")
        select.bind(clause.variable, values.kind.removeprefix(LIST), f"{name}.value")

    def _continue(self, select: Select, clause: s.Projection) -> Select:
        """Return the select after a `WITH`."""
        text, values = self._project(select, clause)
        following = self._select_from(text)
        for number, (item, value) in enumerate(zip(clause.items, values, strict=True)):
            bound = following.bind(item.name, value.kind, f"{following.base}.c{number}")
            if isinstance(item.value, s.Variable):
                known = select.find(item.value.name)
                bound.names, bound.is_optional = known.names, known.is_optional
            else:
                bound.is_optional = True
        if clause.where:
            following.conditions.append(self._values.condition(clause.where, following))
        return following

    def _select_from(self, text: str) -> Select:
        """Return a select from a new table expression."""
        name = self._new_name("t")
        self._expressions.append(f"{name} AS MATERIALIZED ({text})")
        return Select(self._new_name, base=name)

    def _project(self, select: Select, clause: s.Projection) -> tuple[str, list[Value]]:
        """Return the SELECT of a `WITH` or `RETURN`, and its columns."""
        values = [self._values.value(item.value, select) for item in clause.items]
        counted = [has_aggregate(item.value) for item in clause.items]
        columns = ", ".join(f"{value.sql} AS c{number}" for number, value in enumerate(values))
        groups = [str(number + 1) for number, one in enumerate(counted) if not one] if any(counted) else []
        order = [self._sort_key(key, select, clause, any(counted), values) for key in clause.order]
        text = f"SELECT {'DISTINCT ' if clause.is_distinct else ''}{columns}{select.source()}"
        if groups:
            text += f" GROUP BY {', '.join(groups)}"
        if order:
            text += f" ORDER BY {', '.join(order)}"
        if clause.skip or clause.limit:
            bounds = [self._values.value(one, select).sql if one else None for one in (clause.limit, clause.skip)]
            text += f" LIMIT {bounds[0] or -1}" + (f" OFFSET {bounds[1]}" if bounds[1] else "")
        return text, values

    def _sort_key(
        self, key: tuple[s.Expression, bool], select: Select, clause: s.Projection, counts: bool, values: list[Value]
    ) -> str:
        one, descending = key
        named = one.name if isinstance(one, s.Variable) else ""
        places = [n for n, item in enumerate(clause.items) if (item.name == named if named else item.value == one)]
        if places:
            text, kind = f"c{places[0]}", values[places[0]].kind
        elif counts or clause.is_distinct:
            raise s.Unsupported("Cypher: rows that are counted or distinct can only be sorted by their columns")
        else:
            text, kind = self._values.value(one, select)
        if kind in (NODE, RELATION):
            raise UsageError(
                f"Cypher: cannot sort by `{named}`, which is a node or relation: sort by a property, or rename the column"
            )
        return text + (" DESC NULLS FIRST" if descending else " NULLS LAST")

    # -- patterns

    def _match(self, select: Select, clause: s.Match) -> Select:
        for path in clause.paths:
            select = self._path(select, path)
        if clause.where:
            select.conditions.append(self._values.condition(clause.where, select))
        return select

    def _optional(self, select: Select, clause: s.Match) -> Select:
        """Rows that the pattern completes, then the others with nothing."""
        before = self._materialize(select, numbered=True)
        known = set(before.bindings)
        found = self._materialize(self._match(before, clause))
        row = f"{found.base}.{_exported(found, _ROW)}"
        others = ", ".join(_exported(before, name) if name in known else "NULL" for name in found.bindings)
        without = f"{_exported(before, _ROW)} NOT IN (SELECT {row} FROM {found.base})"
        following = self._select_from(
            f"SELECT * FROM {found.base} UNION ALL SELECT {others} FROM {before.base} WHERE {without}"
        )
        for name, binding in found.bindings.items():
            if name != _ROW:
                column = _exported(found, name)
                bound = following.bind(name, binding.kind, f"{following.base}.{column}", binding.names)
                bound.is_optional = binding.is_optional or name not in known
        return following

    def _materialize(self, select: Select, numbered: bool = False) -> Select:
        """Return a select that continues with the rows of this one."""
        columns = [f"{binding.sql} AS c{number}" for number, binding in enumerate(select.bindings.values())]
        if numbered:
            columns.append(f"row_number() OVER () AS c{len(columns)}")
        following = self._select_from(f"SELECT {', '.join(columns) or '1 AS c0'}{select.source()}")
        for number, (name, binding) in enumerate(select.bindings.items()):
            bound = following.bind(name, binding.kind, f"{following.base}.c{number}", binding.names)
            bound.is_optional = binding.is_optional
        if numbered:
            following.bind(_ROW, "INT64", f"{following.base}.c{len(columns) - 1}")
        return following

    def _exists(self, clause: s.Match, outer: Select) -> str:
        if any(relation.hops for path in clause.paths for relation in path.relations):
            raise s.Unsupported("Cypher: EXISTS takes no pattern of several hops")
        inner = Select(self._new_name, bindings=dict(outer.bindings))
        self._match(inner, clause)
        return f"EXISTS (SELECT 1{inner.source()})"

    def _path(self, select: Select, path: s.Path) -> Select:
        if path.variable and not (len(path.relations) == 1 and path.relations[0].hops):
            raise s.Unsupported("Cypher: only a path of several hops can have a name")
        known: Binding | None = None  # the node that the path has come to
        if not path.relations:
            self._node(select, path.nodes[0])
        for relation, near, far in zip(path.relations, path.nodes, path.nodes[1:], strict=False):
            if relation.hops:
                select, known = self._walk(select, relation, (near, far), known, path.variable)
            else:
                known = self._relation(select, relation, near, far, known)
        return select

    def _node(self, select: Select, pattern: s.NodePattern, sql: str = "") -> Binding:
        """Add a node, or the conditions on a known one; `sql` is the key that it has."""
        self._require(NODE, pattern.labels)
        known = select.bindings.get(pattern.variable)
        if known is not None:
            if known.kind != NODE:
                raise UsageError(f"Cypher: `{pattern.variable}` is not a node")
            if sql:
                select.conditions.append(f"{known.sql} = {sql}")
        elif sql:
            known = select.bind(pattern.variable, NODE, sql, pattern.labels)
        else:
            row = self._new_name("n")
            select.tables.append(f"nodes AS {row}")
            known = select.bind(pattern.variable, NODE, f"{row}.key", pattern.labels, row)
        if pattern.labels:
            select.conditions.append(f"{known.join()}.label IN ({_texts(pattern.labels)})")
        for name, value in pattern.properties:
            self._values.column(NODE, known.names, name, pattern.variable or "the node")
            select.conditions.append(f'{known.join()}."{name}" = {self._values.value(value, select).sql}')
        return known

    def _require(self, table: str, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in self._tables[table]:
                raise UsageError(f"Cypher: no label or relation `{name}`: `graphmem schema` lists them")

    def _relation(
        self, select: Select, pattern: s.RelationPattern, near: s.NodePattern, far: s.NodePattern, known: Binding | None
    ) -> Binding:
        """Add one relation and its ends; return the far one."""
        self._require(RELATION, pattern.types)
        row = self._new_name("e")
        select.tables.append(f"edges AS {row}")
        select.bind(pattern.variable, RELATION, f"{row}.key", pattern.types, row)
        if pattern.types:
            select.conditions.append(f"{row}.type IN ({_texts(pattern.types)})")
        if pattern.direction != "-":
            here, there = ("source", "target") if pattern.direction == "->" else ("target", "source")
            if known is None:
                self._node(select, near, f"{row}.{here}")
            else:
                select.conditions.append(f"{row}.{here} = {known.sql}")
            return self._node(select, far, f"{row}.{there}")
        is_swapped = known is None and near.variable not in select.bindings and far.variable in select.bindings
        if is_swapped:
            known = self._node(select, far)
        one = known or self._node(select, near)
        select.conditions.append(f"({row}.source = {one.sql} OR {row}.target = {one.sql})")
        other = f"CASE WHEN {row}.source = {one.sql} THEN {row}.target ELSE {row}.source END"
        found = self._node(select, near if is_swapped else far, other)
        return one if is_swapped else found

    def _walk(
        self,
        select: Select,
        pattern: s.RelationPattern,
        ends: tuple[s.NodePattern, s.NodePattern],
        known: Binding | None,
        variable: str,
    ) -> tuple[Select, Binding]:
        """Add a path of several relations: which nodes can be reached in how many steps. Paths of the same length between
        the same nodes are one row, and a shortest one has no others. Return its far end."""
        self._require(RELATION, pattern.types)
        near, far = ends
        outward = known is not None or near.variable in select.bindings or far.variable not in select.bindings
        if not outward:
            near, far = far, near
        start = known or self._node(select, near)
        name = near.variable or "#start"
        select.bindings[name] = start
        following = self._materialize(select)
        start = following.find(name)
        assert pattern.hops
        walk, row = self._new_name("w"), self._new_name("w")
        self._expressions.append(_recursion(walk, following.base, start.sql, pattern, outward))
        least, most = pattern.hops
        found = f"(SELECT start, node, min(depth) AS depth FROM {walk} GROUP BY start, node)"
        following.tables.append(f"{found if pattern.is_shortest else walk} AS {row}")
        following.conditions += [f"{row}.start = {start.sql}", f"{row}.depth BETWEEN {least} AND {most}"]
        following.bind(variable, PATH, f"{row}.depth")
        reached = self._node(following, far, f"{row}.node")
        return following, reached if outward else start


def _recursion(name: str, base: str, seed: str, pattern: s.RelationPattern, outward: bool) -> str:
    """Return the table expression of all steps from the seeds."""
    assert pattern.hops
    kinds = f" AND e.type IN ({_texts(pattern.types)})" if pattern.types else ""
    ways = [("source", "target"), ("target", "source")]
    if pattern.direction != "-":
        ways = [ways[0] if (pattern.direction == "->") == outward else ways[1]]
    steps = " ".join(
        f"UNION SELECT w.start, e.{there}, w.depth + 1 FROM {name} AS w JOIN edges AS e ON e.{here} = w.node{kinds}"
        f" WHERE w.depth < {pattern.hops[1]}"
        for here, there in ways
    )
    return f"{name}(start, node, depth) AS (SELECT {seed}, {seed}, 0 FROM {base} WHERE {seed} IS NOT NULL {steps})"


def _texts(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _exported(select: Select, name: str) -> str:
    """Return the column of a table expression that has what a name stands for."""
    return select.bindings[name].sql.rpartition(".")[2]


def _column(found: list[str], sql: str) -> str:
    """Return the column for an expression, which is added to those."""
    found.append(sql)
    return f"c{len(found) - 1}"


def _merge(rows: str, kind: str, ends: list[str], given: Mapping[str, str]) -> str:
    names = "".join(f', "{name}"' for name in given)
    values = "".join(f", {column}" for column in given.values())
    update = ", ".join(f'"{name}" = excluded."{name}"' for name in given)
    return (
        f"INSERT INTO edges(type, source, target{names}) SELECT '{kind}', {ends[0]}, {ends[1]}{values} FROM {rows} WHERE true"
        f" ON CONFLICT (source, type, target) DO {'UPDATE SET ' + update if update else 'NOTHING'}"
    )


def _deletion(rows: str, column: str, *, is_relation: bool) -> list[str]:
    keys = f"(SELECT {column} FROM {rows})"
    if is_relation:
        return [f"DELETE FROM edges WHERE key IN {keys}"]
    return [f"DELETE FROM edges WHERE {end} IN {keys}" for end in ("source", "target")] + [
        f"DELETE FROM nodes WHERE key IN {keys}"
    ]
