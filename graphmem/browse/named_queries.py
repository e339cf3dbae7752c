"""Named queries: the Cypher files in `queries/graph/read`. Their header describes purpose and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from graphmem import resources
from graphmem.errors import NotFound, UsageError

_FOLDER = "queries/graph/read"


class NamedQuery(NamedTuple):
    """A named query. `parameters` are in the order of the header; `defaults` has the optional ones."""

    name: str
    purpose: str
    parameters: tuple[str, ...]
    defaults: dict[str, Any]
    text: str

    def row(self) -> dict[str, Any]:
        """Return the description that `schema` shows."""
        shown = [f"{name}={self.defaults[name]!r}" if name in self.defaults else name for name in self.parameters]
        return {"name": self.name, "purpose": self.purpose, "parameters": shown}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the query parameters. Raises UsageError for an unknown or missing parameter."""
        unknown = sorted(given.keys() - set(self.parameters))
        missing = [name for name in self.parameters if name not in given and name not in self.defaults]
        if unknown or missing:
            wrong = f"has no parameter `{unknown[0]}`" if unknown else f"needs `{missing[0]}`"
            raise UsageError(f"query `{self.name}` {wrong}; it takes {', '.join(self.parameters) or 'none'}")
        return {**self.defaults, **{name: _like(value, self.defaults.get(name)) for name, value in given.items()}}


def own_limit(text: str, arguments: Mapping[str, Any]) -> int | None:
    """Return the number of rows after which a query itself stops, None if it does not."""
    found = re.search(r"\bLIMIT (?:(\d+)|\$(\w+))\s*$", text)
    if found is None:
        return None
    return int(found[1]) if found[1] else arguments.get(found[2])


def _like(value: Any, default: Any) -> Any:
    """Convert a command-line value to a number if the default is a number."""
    if isinstance(default, int) and isinstance(value, str):
        try:
            return int(value)
        except ValueError as error:
            raise UsageError(f"`{value}` is not an integer") from error
    return value


@cache
def list_named_queries() -> tuple[NamedQuery, ...]:
    """Return all named queries, by name."""
    return tuple(_parsed(name) for name in resources.names(_FOLDER, ".cypher"))


def named_query(name: str) -> NamedQuery:
    """Return the query with this name. Raises NotFound that lists similar names."""
    for query in list_named_queries():
        if query.name == name:
            return query
    raise NotFound(f"there is no query `{name}`: `graphmem schema` lists them", name=name)


def _parsed(path: str) -> NamedQuery:
    text = resources.text(path)
    header = dict(re.findall(r"^// (Purpose|Parameters|Columns): (.*)$", text, re.M))
    parameters: list[str] = []
    defaults: dict[str, Any] = {}
    for part in header.get("Parameters", "").removesuffix(".").replace("none", "").split(","):
        parameter, equals, default = part.strip().partition("=")
        if parameter:
            parameters.append(parameter)
        if equals:
            defaults[parameter] = int(default) if default.isdigit() else default.strip("'\"")
    name = path.rpartition("/")[2].removesuffix(".cypher")
    body = re.sub(r"^//.*\n", "", text, flags=re.M).strip()
    return NamedQuery(name, header.get("Purpose", ""), tuple(parameters), defaults, body)
