"""Finds HTTP requests in a tree, and the routes they reach: the callers of a handler in another service or in a test. The
form of a request is data (`clients.scm` next to a language's other queries). Paths are compared by segment; a segment
computed at run time matches anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph import languages

if TYPE_CHECKING:
    from tree_sitter import Node

_VERB = re.compile(r"get|post|put|delete|patch|head|options", re.I)
_OPTION = re.compile(r"method['\"]?\s*:\s*['\"`](\w+)")
_PARTS = re.compile(r"""["'`]((?:\\.|[^"'`\\])*)["'`]|[\w.$\[\]()]+""")
_FILLED = re.compile(r"\$?\{[^{}]*\}|%[sdv]|<[^<>]*>|#\{[^{}]*\}|\$\w+")
_HOST = re.compile(r"^(?:https?:)?//[^/]*")
_ANY = "*"
_MOST = 3  # maximum routes that one request may reach


class Request(NamedTuple):
    """A request: `method` is upper case, "ANY" if unknown; `parts` are the path segments, "*" for a computed one. An
    `open` path starts with an unknown value, such as the address of the service."""

    method: str
    parts: tuple[str, ...]
    open: bool
    file: str
    line: int


def find_requests(path: str, language: str, root: Node) -> list[Request]:
    """Return the requests of one parsed file."""
    from tree_sitter import QueryCursor

    query = languages.query_about(language, "clients")
    found: dict[int, Request] = {}
    for _, captures in QueryCursor(query).matches(root) if query is not None else ():
        node = captures["path"][0]
        call = node.parent.parent if node.parent is not None else None
        if call is not None and call.parent is not None and call.parent.type == "decorator":
            continue
        told = _told(node)
        if told is not None:
            verb = _VERB.search(_text(captures.get("method"))) or _OPTION.search(_text(captures.get("options")))
            method = verb[verb.lastindex or 0].upper() if verb else "GET"
            found[node.start_byte] = Request(method, *told, path, node.start_point[0] + 1)
    return list(found.values())


def _text(nodes: Sequence[Node] | None) -> str:
    return (nodes[0].text or b"").decode("utf-8", "replace") if nodes else ""


def _told(node: Node) -> tuple[tuple[str, ...], bool] | None:
    """Return the segments of a path, and whether its start is unknown; None if nothing in it is a path."""
    written = _text([node])
    pieces = [match[1] if match[1] is not None else "{}" for match in _PARTS.finditer(written)]
    whole = (
        "".join(pieces) if len(pieces) > 1 and "string" not in node.type else written.lstrip("fFrRbB$@&").strip("\"'`")
    )
    if node.type == "macro_invocation":
        literal = re.search(r'"([^"]*)"', written)
        whole = literal[1] if literal else ""
    path = _FILLED.sub("\0", _HOST.sub("", whole)).partition("?")[0]
    unknown = path.startswith("\0")
    path = path.lstrip("\0") if unknown else path
    if not path.startswith("/") or (path == "/" and unknown):
        return None
    return tuple(_ANY if "\0" in part else part for part in path.strip("/").split("/")), unknown


def reached_routes(request: Request, routes: Sequence[tuple[str, str, str]]) -> list[int]:
    """Return which of these (method, path, file) a request reaches: the most specific matches, in its own file before
    others. None if too many match equally."""
    fits: dict[int, list[int]] = {}
    for number, (method, path, _) in enumerate(routes):
        if "ANY" in (method, request.method) or method == request.method:
            fits.setdefault(_fits(request, path), []).append(number)
    best = max(fits, default=-1)
    found = fits[best] if best > 0 else []
    own = [number for number in found if routes[number][2] == request.file]
    return (own or found) if len(own or found) <= _MOST else []


def _fits(request: Request, path: str) -> int:
    """Return how specifically a request matches a route: a literal segment in both counts twice, a variable in both once;
    -1 for no match, or only variables."""
    wanted = _segments(path)
    parts = request.parts
    if request.open and len(wanted) > len(parts):
        wanted = wanted[-len(parts) :]
    pairs = list(zip(wanted, parts, strict=False))
    if len(wanted) != len(parts) or not all(one == two or _ANY in (one, two) for one, two in pairs):
        return -1
    said = sum(one == two != _ANY for one, two in pairs if one)
    return 2 * said + pairs.count((_ANY, _ANY)) if said else -1


@cache
def _segments(path: str) -> tuple[str, ...]:
    """Return the segments of a route's path, "*" for a parameter."""
    parts = path.strip("^$/").split("/")
    return tuple(_ANY if re.search(r"^:|[{<*(\\]", part) else part for part in parts)
