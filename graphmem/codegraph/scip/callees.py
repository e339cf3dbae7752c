"""Finds the names at the calls of a file. An index of SCIP has no calls, only references: one at such a place is a call."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.languages import make_parser, query_about


class Callee(NamedTuple):
    """The name at a call. `line` counts from 1, `column` in bytes from 0."""

    line: int
    column: int
    name: str


def is_supported(language: str) -> bool:
    """Return whether the calls of a language can be found."""
    return language in languages.all_languages() and query_about(language, "callees") is not None


def callees_in(language: str, source: bytes) -> list[Callee]:
    """Return the names at the calls of a supported language's source, in order."""
    from tree_sitter import QueryCursor

    query = query_about(language, "callees")
    if query is None:
        return []
    nodes = QueryCursor(query).captures(make_parser(language).parse(source).root_node).get("name", [])
    places = {
        (node.start_point[0] + 1, node.start_point[1], (node.text or b"").decode("utf-8", "replace")) for node in nodes
    }
    return [Callee(*place) for place in sorted(places)]
