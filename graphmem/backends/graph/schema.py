"""The tables of the graph as their statements say (asking the engine takes 0.3 s). It runs nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from graphmem import resources

_FOLDER = "queries/graph/schema"
Columns = dict[str, str]


def schema_statements() -> list[str]:
    """The statements that create the graph, in order."""
    script = "\n".join(without_comments(resources.text(name)) for name in resources.names(_FOLDER, ".cypher"))
    return [statement.strip() for statement in script.split(";") if statement.strip()]


def schema_digest() -> str:
    """Names the schema: a graph file made with another one is not read but made again."""
    return hashlib.sha256("\n".join(schema_statements()).encode()).hexdigest()[:12]


def tables(statements: Iterable[str]) -> tuple[dict[str, Columns], dict[str, tuple[list[tuple[str, str]], Columns]]]:
    """The columns of node tables, and the pairs and columns of relation tables."""
    nodes: dict[str, Columns] = {}
    relations: dict[str, tuple[list[tuple[str, str]], Columns]] = {}
    for statement in statements:
        kind, name, body = re.fullmatch(r"CREATE (NODE|REL) TABLE (\w+)\((.*)\)", statement, re.S).groups()  # type: ignore[union-attr]
        parts = [part.split() for part in body.split(",")]
        columns = {part[0]: part[1] for part in parts if part[0] != "FROM"}
        if kind == "NODE":
            nodes[name] = columns
        else:
            relations[name] = ([(part[1], part[3]) for part in parts if part[0] == "FROM"], columns)
    return nodes, relations


def without_comments(script: str) -> str:
    """A script without its comment lines."""
    return re.sub(r"^//.*$", "", script, flags=re.M)
