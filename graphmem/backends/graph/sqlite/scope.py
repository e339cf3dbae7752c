"""The SELECT that a query is translated to, while it grows: its tables, its conditions, and what each name stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from graphmem.errors import UsageError

NODE, RELATION, PATH = "NODE", "RELATION", "PATH"
LIST = "LIST:"  # prefix of the kind of lists, which are JSON; the kind of the items follows


class Value(NamedTuple):
    """An expression of SQL, and the kind of its values: a type of the schema, one of the above, or "" if unknown."""

    sql: str
    kind: str = ""


@dataclass
class Binding:
    """What a name stands for. Nodes and relations are known by their key; their row is joined once a property is needed."""

    kind: str
    sql: str
    owner: Select
    names: tuple[str, ...] = ()  # labels or types that it can have; any if empty
    row: str = ""  # the alias of its row, once that is joined
    is_optional: bool = False

    @property
    def table(self) -> str:
        """Return the table of its row."""
        return "nodes" if self.kind == NODE else "edges"

    def join(self) -> str:
        """Return the alias of its row."""
        if self.kind not in (NODE, RELATION):
            raise UsageError("Cypher: only nodes and relations have properties")
        if not self.row:
            self.row = self.owner.new_name(self.table[0])
            if self.is_optional:
                self.owner.joins.append(f"LEFT JOIN {self.table} AS {self.row} ON {self.row}.key = {self.sql}")
            else:
                self.owner.tables.append(f"{self.table} AS {self.row}")
                self.owner.conditions.append(f"{self.row}.key = {self.sql}")
        return self.row


@dataclass
class Select:
    """One SELECT. `base` is the table expression that it continues; an inner one (`EXISTS`) also knows the names outside."""

    new_name: Callable[[str], str]
    base: str = ""
    bindings: dict[str, Binding] = field(default_factory=dict)
    joins: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def find(self, name: str) -> Binding:
        """Return what a name stands for. Raises UsageError if nothing."""
        if name not in self.bindings:
            raise UsageError(f"Cypher: `{name}` is not defined at this point")
        return self.bindings[name]

    def bind(self, name: str, kind: str, sql: str, names: tuple[str, ...] = (), row: str = "") -> Binding:
        """Define a name, or something without one."""
        made = Binding(kind, sql, self, names, row)
        if name:
            if name in self.bindings:
                raise UsageError(f"Cypher: `{name}` is defined twice")
            self.bindings[name] = made
        return made

    def source(self) -> str:
        """Return the SQL from FROM on."""
        first = " ".join([self.base, *self.joins]) if self.base else ""
        tables = ", ".join(filter(None, [first, *self.tables]))
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        return (f" FROM {tables}" if tables else "") + where
