"""Translates expressions of Cypher to SQL, with the kind of their values: SQLite has no times, truth values and lists, so whoever
reads the rows must know which numbers and texts are some."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from graphmem.backends.graph.schema import Columns
from graphmem.backends.graph.sqlite import syntax as s
from graphmem.backends.graph.sqlite.scope import LIST, NODE, PATH, RELATION, Select, Value
from graphmem.errors import UsageError
from graphmem.plurals import counted

AGGREGATES = frozenset({"count", "sum", "min", "max", "avg", "collect"})
_LOGIC = {"AND", "OR", "XOR", "NOT"}
_COMPARED = {"=", "<>", "<", "<=", ">", ">="}
_UNITS_US = {
    "microsecond": 1, "millisecond": 1_000, "second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000,
    "day": 86_400_000_000, "week": 604_800_000_000,
}  # fmt: skip
_INTERVAL = re.compile(r"(\d+)\s*(\w+?)s?$")
_SPELLED = {"tolower": "lower", "toupper": "upper", "prefix": "starts_with", "length": "size"}
# Functions of SQL, with the kind of what they return; `lower` and `upper` of SQLite know ASCII only.
_SIMPLE: dict[str, tuple[str, str]] = {
    "lower": ("u_lower({})", "STRING"),
    "upper": ("u_upper({})", "STRING"),
    "trim": ("trim({})", "STRING"),
    "left": ("substr({}, 1, {})", "STRING"),
    "substring": ("substr({}, {}, {})", "STRING"),
    "starts_with": ("(substr({0}, 1, length({1})) = {1})", "BOOL"),
    "ends_with": ("(length({1}) = 0 OR substr({0}, -length({1})) = {1})", "BOOL"),
    "contains": ("(instr({}, {}) > 0)", "BOOL"),
    "timestamp": ("to_time({})", "TIMESTAMP"),
    "abs": ("abs({})", "INT64"),
}
_CASTS = {"STRING": "TEXT", "INT64": "INTEGER", "DOUBLE": "REAL"}


class Expressions:
    """The expressions of one query; `kinds` are those of its parameters."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Columns]],
        kinds: Mapping[str, str],
        exists: Callable[[s.Match, Select], str],
    ) -> None:
        """`tables`: the columns of labels (NODE) and types (RELATION)."""
        self._tables, self._kinds, self._exists = tables, kinds, exists
        self.used: set[str] = set()  # parameters

    def condition(self, one: s.Expression, scope: Select) -> str:
        """Return the SQL of a condition."""
        return self.value(one, scope).sql

    def value(self, one: s.Expression, scope: Select) -> Value:
        """Return an expression as SQL. Raises UsageError for what has no translation."""
        match one:
            case s.Literal():
                return _literal(one.value)
            case s.Parameter():
                self.used.add(one.name)
                if one.name not in self._kinds:
                    raise UsageError(f"the query needs a value for `${one.name}`")
                return Value(f":{one.name}", self._kinds[one.name])
            case s.Variable():
                found = scope.find(one.name)
                return Value(found.sql, found.kind)
            case s.Property():
                return self._property(one, scope)
            case s.ListOf():
                items = [self.value(item, scope) for item in one.items]
                return Value(f"json_array({', '.join(map(_as_item, items))})", LIST + _common(items))
            case s.Case():
                return self._case(one, scope)
            case s.Cast():
                inner = self.value(one.value, scope)
                kind = _CASTS.get(one.kind)
                return Value(f"CAST({inner.sql} AS {kind})" if kind else inner.sql, one.kind)
            case s.Exists():
                return Value(self._exists(one.match, scope), "BOOL")
        return self._call(one, scope)

    def column(self, table: str, names: tuple[str, ...], name: str, variable: str) -> str:
        """Return the kind of a property; "" if it differs between labels. Raises UsageError if there is none of that name."""
        tables = self._tables[table]
        kinds = {tables[one][name] for one in names or tables if name in tables[one]}
        if not kinds:
            raise UsageError(f"Cypher: `{variable}` has no property `{name}`: `graphmem schema` lists them")
        return kinds.pop() if len(kinds) == 1 else ""

    def _property(self, one: s.Property, scope: Select) -> Value:
        found = scope.find(one.variable)
        row = found.join()
        return Value(f'{row}."{one.name}"', self.column(found.kind, found.names, one.name, one.variable))

    def _case(self, one: s.Case, scope: Select) -> Value:
        results = [self.value(result, scope) for _, result in one.branches]
        branches = "".join(
            f" WHEN {self.condition(when, scope)} THEN {then.sql}"
            for (when, _), then in zip(one.branches, results, strict=True)
        )
        otherwise = self.value(one.otherwise, scope) if one.otherwise else Value("NULL")
        return Value(f"CASE{branches} ELSE {otherwise.sql} END", _common([*results, otherwise]))

    def _call(self, one: s.Call, scope: Select) -> Value:
        name = _SPELLED.get(one.name, one.name)
        if name in AGGREGATES:
            return self._aggregate(one, scope)
        if name in ("IN", "list_contains"):
            item, values = one.arguments if name == "IN" else one.arguments[::-1]
            return Value(f"({self.value(item, scope).sql} IN {self._members(values, scope)})", "BOOL")
        given = [self.value(argument, scope) for argument in one.arguments]
        texts = [value.sql for value in given]
        if name in _LOGIC:
            return Value(_logic(name, texts), "BOOL")
        if name in _COMPARED:
            _require_comparable(*given)
            return Value(f"({texts[0]} {name} {texts[1]})", "BOOL")
        if name in ("IS NULL", "IS NOT NULL"):
            return Value(f"({texts[0]} {name})", "BOOL")
        if name in ("STARTS WITH", "ENDS WITH", "CONTAINS"):
            name = name.lower().replace(" ", "_")
        if name in ("label", "type", "id") and len(one.arguments) == 1:
            return self._about(name, one.arguments[0], scope)
        return _function(name, one, given)

    def _members(self, values: s.Expression, scope: Select) -> str:
        if isinstance(values, s.ListOf):
            return f"({', '.join(self.value(item, scope).sql for item in values.items)})"
        return f"(SELECT value FROM json_each({self.value(values, scope).sql}))"

    def _about(self, name: str, one: s.Expression, scope: Select) -> Value:
        """Return the label of a node or relation, or its key."""
        if not isinstance(one, s.Variable):
            raise s.Unsupported(f"Cypher: `{name}` takes a node or relation")
        found = scope.find(one.name)
        if name == "id":
            return Value(found.sql, "INT64")
        return Value(f"{found.join()}.{'label' if found.kind == NODE else 'type'}", "STRING")

    def _aggregate(self, one: s.Call, scope: Select) -> Value:
        distinct = "DISTINCT " if one.is_distinct else ""
        if not one.arguments:
            return Value("count(*)", "INT64")
        value = self.value(one.arguments[0], scope)
        if one.name == "collect":
            items = f"json_group_array({distinct}{_as_item(value)}) FILTER (WHERE {value.sql} IS NOT NULL)"
            return Value(items, LIST + value.kind)
        kinds = {"count": "INT64", "avg": "DOUBLE"}
        return Value(f"{one.name}({distinct}{value.sql})", kinds.get(one.name, value.kind))


def has_aggregate(one: s.Expression | None) -> bool:
    """Return whether an expression counts or collects rows."""
    match one:
        case s.Call():
            return one.name in AGGREGATES or any(map(has_aggregate, one.arguments))
        case s.Case():
            inner = [part for branch in one.branches for part in branch]
            return any(map(has_aggregate, [*inner, one.otherwise]))
        case s.ListOf():
            return any(map(has_aggregate, one.items))
        case s.Cast():
            return has_aggregate(one.value)
    return False


def _function(name: str, one: s.Call, given: list[Value]) -> Value:
    texts = [value.sql for value in given]
    if name == "coalesce" and given:
        return Value(texts[0] if len(texts) == 1 else f"coalesce({', '.join(texts)})", _common(given))
    if name == "concat" and given:
        return Value("(" + " || ".join(f"coalesce({text}, '')" for text in texts) + ")", "STRING")
    if name == "size" and len(given) == 1:
        kind = given[0].kind
        if kind == PATH:
            return Value(texts[0], "INT64")
        is_list = kind.startswith(LIST) or kind.endswith("[]")
        return Value(f"{'json_array_length' if is_list else 'length'}({texts[0]})", "INT64")
    if name == "interval" and len(one.arguments) == 1 and isinstance(one.arguments[0], s.Literal):
        found = _INTERVAL.match(str(one.arguments[0].value))
        if found and found[2] in _UNITS_US:
            return Value(str(int(found[1]) * _UNITS_US[found[2]]), "INTERVAL")
    if name == "NEGATE":
        return Value(f"(-{texts[0]})", given[0].kind)
    if name in ("+", "-", "*", "/", "%") and len(given) == 2:
        kind = _common(given)
        sign = "||" if name == "+" and kind == "STRING" else name
        return Value(f"({texts[0]} {sign} {texts[1]})", "DOUBLE" if "DOUBLE" in [v.kind for v in given] else kind)
    if name in _SIMPLE:
        text, kind = _SIMPLE[name]
        if max(text.count("{}"), text.count("{1}") and 2) == len(given):
            return Value(text.format(*texts), kind)
    raise s.Unsupported(f"Cypher: no function or operator `{one.name}` for {counted(len(given), 'argument')}")


def _literal(value: Any) -> Value:
    if value is None:
        return Value("NULL")
    if isinstance(value, bool):
        return Value(str(int(value)), "BOOL")
    if isinstance(value, int | float):
        return Value(repr(value), "INT64" if isinstance(value, int) else "DOUBLE")
    text = str(value).replace("'", "''")
    return Value(f"'{text}'", "STRING")


def _logic(name: str, texts: list[str]) -> str:
    if name == "NOT":
        return f"(NOT {texts[0]})"
    if name == "XOR":
        return f"(({texts[0]}) <> ({texts[1]}))"
    return f"({texts[0]} {name} {texts[1]})"


def _as_item(value: Value) -> str:
    """Return an item of a list: a list inside of a list stays one."""
    return f"json({value.sql})" if value.kind.startswith(LIST) or value.kind.endswith("[]") else value.sql


def _common(values: list[Value]) -> str:
    return next((value.kind for value in values if value.kind), "")


def _require_comparable(left: Value, right: Value) -> None:
    """Refuse to compare a time with a text: SQLite would answer, but not what a graph engine does."""
    kinds = {left.kind, right.kind}
    if "TIMESTAMP" in kinds and kinds & {"STRING", "INT64", "DOUBLE", "BOOL"}:
        raise UsageError(
            f"Cypher: a {left.kind} cannot be compared with a {right.kind}: convert one of them, as in timestamp('2026-01-31')"
        )
    if kinds & {NODE, RELATION} and len(kinds) > 1:
        raise UsageError("Cypher: a node or relation can only be compared with another one")
