"""The graph's tables, parsed from their statements (querying the engine takes 0.3 s), including custom types."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphmem import resources
from graphmem.errors import StoreError
from graphmem.owntypes import RELATIONS, Types

_FOLDER = "queries/graph/schema"
Columns = dict[str, str]
Relation = tuple[list[tuple[str, str]], Columns]  # pairs of labels that it connects
_WIDE = ("MENTIONS", "MEMBER_OF")  # relations that accept custom types wherever they accept an Entity
# Older files may contain anything.
_WRITTEN = "with no page that holds what its memory held before, no time beyond the bounds, and no compression"
_STATEMENT = re.compile(r"CREATE (NODE|REL) TABLE `?(\w+)`?\((.*)\)", re.S)


def schema_statements(own: Types | None = None) -> list[str]:
    """Return the statements that create the graph, in order: nodes before relations."""
    script = "\n".join(without_comments(resources.text(name)) for name in resources.names(_FOLDER, ".cypher"))
    core = [statement.strip() for statement in script.split(";") if statement.strip()]
    return _with_own(core, own) if own and own.entities else core


def _with_own(core: Sequence[str], own: Types) -> list[str]:
    """Return the core schema with a table for each custom type, with the columns of an Entity, and its relations. An
    existing relation gets another pair of labels."""
    made = [_STATEMENT.fullmatch(statement).groups() for statement in core]  # type: ignore[union-attr]
    entity = next(columns for _, name, columns in made if name == "Entity")
    nodes = [(name, columns) for kind, name, columns in made if kind == "NODE"]
    nodes += [(label, entity) for label in own.labels]
    relations = [
        (name, ", ".join([*_pairs(name, columns, own), columns])) for kind, name, columns in made if kind == "REL"
    ]
    relations += [
        (name, f"FROM `{start}` TO `{end}`, project STRING")
        for name, (start, end) in own.ends.items()
        if name not in RELATIONS
    ]
    return [f"CREATE NODE TABLE `{name}`({columns})" for name, columns in nodes] + [
        f"CREATE REL TABLE `{name}`({columns})" for name, columns in relations
    ]


def _pairs(name: str, columns: str, own: Types) -> Iterator[str]:
    """Yield the pairs of labels that a relation gets for custom types."""
    for start, end in re.findall(r"FROM (\w+) TO (\w+)", columns) if name in _WIDE else ():
        for label in own.labels if "Entity" in (start, end) else ():
            ends = (label if one == "Entity" else one for one in (start, end))
            yield "FROM `{}` TO `{}`".format(*ends)
    if name in own.ends:
        yield "FROM `{}` TO `{}`".format(*own.ends[name])


def schema_digest(own: Types | None = None) -> str:
    """Return a digest of the schema and the file format: a graph file with another digest is rebuilt."""
    return hashlib.sha256("\n".join([_WRITTEN, *schema_statements(own)]).encode()).hexdigest()[:12]


def parse_tables(statements: Iterable[str]) -> tuple[dict[str, Columns], dict[str, Relation]]:
    """Return the columns of node tables, and the pairs and columns of relation tables."""
    nodes: dict[str, Columns] = {}
    relations: dict[str, Relation] = {}
    for statement in statements:
        kind, name, body = _STATEMENT.fullmatch(statement).groups()  # type: ignore[union-attr]
        parts = [part.replace("`", "").split() for part in body.split(",")]
        columns = {part[0]: part[1] for part in parts if part[0] != "FROM"}
        if kind == "NODE":
            nodes[name] = columns
        else:
            relations[name] = ([(part[1], part[3]) for part in parts if part[0] == "FROM"], columns)
    return nodes, relations


def describe_schema(nodes: Mapping[str, Columns], relations: Mapping[str, Relation]) -> dict[str, Any]:
    """Return labels, relation types and their properties, as `GraphStore.schema` does."""
    return {
        "nodes": {label: dict(columns) for label, columns in sorted(nodes.items()) if label != "Cursor"},
        "relations": {
            name: {"pairs": sorted(pairs), "properties": dict(columns)}
            for name, (pairs, columns) in sorted(relations.items())
        },
    }


def column_types(table: str, columns: Columns | None, names: Iterable[str]) -> Columns:
    """Return the columns of a table of the schema. Raises StoreError if it lacks the table or one of these columns."""
    if columns is None:
        raise StoreError(f"the graph schema has no table {table}: add it to queries/graph/schema", table=table)
    missing = [name for name in names if name not in columns]
    if missing:
        raise StoreError(
            f"the table {table} of the graph schema has no column {missing[0]}: add it in queries/graph/schema",
            table=table,
            columns=missing,
        )
    return columns


def without_comments(script: str) -> str:
    """Return a script without its comment lines."""
    return re.sub(r"^//.*$", "", script, flags=re.M)
