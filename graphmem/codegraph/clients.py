"""Finds HTTP requests in a tree, and the routes they reach: the callers of a handler in another service or in a test. The
form of a request is data (`clients.scm` next to a language's other queries), and so is what variables are assigned
(@variable and @value). Paths are compared by segment; a segment computed at run time matches anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.request_paths import UNWRITTEN, Assignments, written_paths

if TYPE_CHECKING:
    from tree_sitter import Node

_VERB = re.compile(r"get|post|put|delete|patch|head|options", re.I)
_OPTION = re.compile(r"method['\"]?\s*:\s*['\"`](\w+)")
_PARTS = re.compile(r"""["'`]((?:\\.|[^"'`\\])*)["'`]|[\w.$\[\]()]+""")
_FILLED = re.compile(r"\$?\{[^{}]*\}|%[sdv]|<[^<>]*>|#\{[^{}]*\}|\$\w+")
_HOST = re.compile(r"^(?:https?:)?//[^/]*")
_ANY = "*"
# what sends requests; of anything else a variable is no path
_SENDER = re.compile(r"(?i)client|request|session|agent|api|app\b|http|axios|fetch|ky\b|got\b|page|cy\b|browser|server")
_STEPS = 3_000_000  # maximum segments and routes that all requests of a tree are compared with: a few seconds
_MOST = 3  # maximum routes that one request may reach


class Request(NamedTuple):
    """A request: `method` is upper case, "ANY" if unknown; `parts` are the path segments, "*" for a computed one. An
    `open` path starts with an unknown value, such as the address of the service. `name`: that of the route, if it is asked for by
    its name."""

    method: str
    parts: tuple[str, ...]
    open: bool
    file: str
    line: int
    name: str = ""


def find_requests(path: str, language: str, root: Node) -> list[Request]:
    """Return the requests of one parsed file."""
    from tree_sitter import QueryCursor

    query = languages.query_about(language, "clients")
    found: dict[tuple[int, int], Request] = {}
    assigned = Assignments()
    asked: list[tuple[Node, str]] = []
    for _, captures in QueryCursor(query).matches(root) if query is not None else ():
        if "variable" in captures:
            assigned.add(captures["variable"][0], captures["value"][0])
            continue
        node = captures["path"][0]
        call = node.parent.parent if node.parent is not None else None
        if call is not None and call.parent is not None and call.parent.type == "decorator":
            continue
        verb = _VERB.search(_text(captures.get("method"))) or _OPTION.search(_text(captures.get("options")))
        method = verb[verb.lastindex or 0].upper() if verb else "GET"
        if node.type not in UNWRITTEN or _SENDER.search(_text(captures.get("client") or captures.get("_f"))):
            asked.append((node, method))
    for node, method in asked:
        for written in written_paths(node, assigned):
            told = ((), False) if written.name else _told(written.text, written.kind)
            if told is not None:
                found[node.start_byte, written.at] = Request(method, *told, path, node.start_point[0] + 1, written.name)
    return list(found.values())


def _text(nodes: Sequence[Node] | None) -> str:
    return (nodes[0].text or b"").decode("utf-8", "replace") if nodes else ""


def _told(written: str, kind: str) -> tuple[tuple[str, ...], bool] | None:
    """Return the segments of a path, and whether its start is unknown; None if nothing in it is a path. `kind` is the type of the
    node with this text."""
    pieces = [match[1] if match[1] is not None else "{}" for match in _PARTS.finditer(written)]
    whole = "".join(pieces) if len(pieces) > 1 and "string" not in kind else written.lstrip("fFrRbB$@&").strip("\"'`")
    if kind == "macro_invocation":
        literal = re.search(r'"([^"]*)"', written)
        whole = literal[1] if literal else ""
    path = _FILLED.sub("\0", _HOST.sub("", whole)).partition("?")[0]
    unknown = path.startswith("\0")
    path = path.lstrip("\0") if unknown else path
    if not path.startswith("/") or (path == "/" and unknown):
        return None
    return tuple(_ANY if "\0" in part else part for part in path.strip("/").split("/")), unknown


class RouteIndex:
    """Routes by their path segments, the last one first: the start of a request's path may be unknown."""

    def __init__(self, routes: Sequence[tuple[str, str, str]], names: Mapping[str, list[int]]) -> None:
        """`routes`: (method, path, file) of each; `names`: their numbers by the names that requests may use instead."""
        self._routes = routes
        self._named = names
        self._steps = _STEPS
        self._root = _Segment()
        for number, (_, path, _) in enumerate(routes):
            segment = self._root
            for part in reversed(_segments(path)):
                segment = segment.before.setdefault(part, _Segment())
            segment.routes.append(number)

    def reached_by(self, request: Request) -> list[int]:
        """Return the numbers of the routes that a request reaches: the most specific matches, in its own file before
        others. None if too many match."""
        if request.name:
            named = self._named.get(request.name, [])
            return named if len(named) <= _MOST else []
        by_fit: dict[int, list[int]] = {}
        for number, fit in self._matches(request):
            method = self._routes[number][0]
            if "ANY" in (method, request.method) or method == request.method:
                by_fit.setdefault(fit, []).append(number)
        found = by_fit[max(by_fit)] if by_fit else []
        own = [number for number in found if self._routes[number][2] == request.file]
        most = 1 if request.open and len(request.parts) == 1 else _MOST  # `url + "/log"` may be anything
        return sorted(own or found) if len(own or found) <= most else []

    def _matches(self, request: Request) -> Iterator[tuple[int, int]]:
        """Yield each route that a request fits, and how well: a literal segment in both counts twice, a variable in both
        once, a whole path a little. What has no literal in common does not fit."""
        waiting = [
            (self._root, len(request.parts), 0, 0)
        ]  # segment, parts left (-1: before an open path), literals, variables
        while waiting and self._steps > 0:
            segment, left, literals, variables = waiting.pop()
            self._steps -= 1
            if left <= 0:
                if literals:  # an open path rather begins with a host than with more segments
                    self._steps -= len(segment.routes)
                    yield from ((number, 4 * literals + 2 * variables + left) for number in segment.routes)
                    if request.open:
                        waiting += [(before, -1, literals, variables) for before in segment.before.values()]
                continue
            part = request.parts[left - 1]
            for name in segment.before if part == _ANY else (part, _ANY):
                if (before := segment.before.get(name)) is not None:
                    same_literal = name == part != _ANY and (part != "" or request.parts == ("",))
                    both_variable = name == part == _ANY
                    waiting.append((before, left - 1, literals + same_literal, variables + both_variable))


class _Segment:
    """A segment of paths: the routes that begin with it, and the segments in front of it."""

    __slots__ = ("before", "routes")

    def __init__(self) -> None:
        self.routes: list[int] = []
        self.before: dict[str, _Segment] = {}


def _segments(path: str) -> tuple[str, ...]:
    """Return the segments of a route's path, "*" for a parameter."""
    parts = path.strip("^$/").split("/")
    return tuple(_ANY if re.search(r"^:|[{<*(\\]", part) else part for part in parts)
