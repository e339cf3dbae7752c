"""The syntax tree of the openCypher that the queries of graphmem use: what `parsing` makes and `translation` reads. It is
smaller than the language on purpose: each form here has a test that compares its rows with those of a graph engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphmem.errors import UsageError


class Unsupported(UsageError):
    """Cypher that has no translation, while a graph engine may understand it."""


@dataclass(frozen=True)
class Literal:
    """A number, text, truth value or null."""

    value: Any


@dataclass(frozen=True)
class Parameter:
    """`$name`."""

    name: str


@dataclass(frozen=True)
class Variable:
    """A name that a pattern, `UNWIND` or `WITH` defines."""

    name: str


@dataclass(frozen=True)
class Property:
    """`n.name`."""

    variable: str
    name: str


@dataclass(frozen=True)
class Call:
    """A function of arguments; an operator is one, too. `count(*)` has none."""

    name: str
    arguments: tuple[Expression, ...]
    is_distinct: bool = False


@dataclass(frozen=True)
class ListOf:
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Case:
    """`CASE WHEN … THEN … ELSE … END`."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True)
class Cast:
    """`CAST(x AS TYPE)`."""

    value: Expression
    kind: str


@dataclass(frozen=True)
class Exists:
    """`EXISTS { MATCH … WHERE … }`."""

    match: Match


Expression = Literal | Parameter | Variable | Property | Call | ListOf | Case | Cast | Exists


@dataclass(frozen=True)
class NodePattern:
    """`(n:Label {id: x})`; several labels are alternatives."""

    variable: str
    labels: tuple[str, ...]
    properties: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class RelationPattern:
    """`-[r:TYPE*1..3]->`; `direction` is "->", "<-" or "-". Without `hops` it is one relation."""

    variable: str
    types: tuple[str, ...]
    direction: str
    hops: tuple[int, int] | None = None
    is_shortest: bool = False


@dataclass(frozen=True)
class Path:
    """Nodes with relations between them."""

    variable: str
    nodes: tuple[NodePattern, ...]
    relations: tuple[RelationPattern, ...]


@dataclass(frozen=True)
class Match:
    """`MATCH` or `OPTIONAL MATCH` with its condition."""

    paths: tuple[Path, ...]
    where: Expression | None
    is_optional: bool = False


@dataclass(frozen=True)
class Unwind:
    """`UNWIND list AS name`."""

    values: Expression
    variable: str


@dataclass(frozen=True)
class Item:
    """A column of `WITH` or `RETURN`; `name` is its alias, or its text."""

    value: Expression
    name: str


@dataclass(frozen=True)
class Projection:
    """`WITH` or `RETURN`."""

    items: tuple[Item, ...]
    is_distinct: bool
    order: tuple[tuple[Expression, bool], ...]  # whether it is descending
    skip: Expression | None
    limit: Expression | None
    where: Expression | None = None


@dataclass(frozen=True)
class Merge:
    """`MERGE (a)-[r:TYPE]->(b) SET r.name = x` between two nodes that are known."""

    variable: str
    type: str
    source: str
    target: str
    set: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class Delete:
    """`DETACH DELETE n`, or `DELETE r` of a relation."""

    variable: str


Clause = Match | Unwind | Projection | Merge | Delete


@dataclass(frozen=True)
class Statement:
    """Parts that `UNION ALL` joins (`UNION` if the rows are distinct). The last clause of each is its `RETURN`, or a write."""

    parts: tuple[tuple[Clause, ...], ...]
    is_distinct: bool = False
