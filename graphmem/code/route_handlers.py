"""Names of HTTP routes as names of symbols: `/api/forget` or `POST /api/forget` means its handler. Requests to routes as relations:
who sends one depends on its handler."""

from __future__ import annotations

import re
from collections.abc import Collection
from weakref import WeakKeyDictionary

from graphmem.code.paths import REQUESTS
from graphmem.codegraph.routes import Route, find_routes
from graphmem.codegraph.view import View
from graphmem.errors import NotFound
from graphmem.model.code import CodeEdge, Symbol
from graphmem.patterns import compile_later

_ROUTE = re.compile(r"(?:([A-Z]{3,7}) )?(/[^\s:]*)")
_PARAMETER = re.compile(r"\{[^}]*\}|<[^>]*>|:\w+")
_FEW = 5
_REQUESTED = 0.8  # that a request reaches the route that its path fits
# frameworks whose routes are recognised, as names of libraries; to look for routes where there are none takes seconds
_FRAMEWORKS = compile_later(
    r"(?i)(?:^|\W)(?:flask|django|fastapi|starlette|express|koa|fastify|hono|nestjs|gin|echo|chi|fiber|net[./]http|gorilla|springframework"
    r"|axum|actix_web|rocket|action_controller|actioncontroller|illuminate|symfony|aspnetcore)(?:\W|$)"
)
_WITHOUT_IMPORT = frozenset({"ruby", "php", "csharp"})  # languages whose files need not name the framework
_routes: WeakKeyDictionary[View, list[Route]] = WeakKeyDictionary()


def find_handlers(view: View, name: str) -> list[Symbol]:
    """Return the handler of a route with this path (`POST /items/{id}`; the method may be left out, and any name of a
    parameter will do). Empty if the name has not the form of a route. Raises NotFound for an unknown route, one without a
    known handler, and one whose methods have different handlers."""
    found = _ROUTE.fullmatch(name)
    if found is None or not (routes := find_routes(view, view.index.root)):
        return []
    method, path = found[1], _generic(found[2])
    meant = [r for r in routes if _generic(r.path) == path and method in (None, r.method)]
    handlers = {r.handler.key: r.handler for r in meant if r.handler is not None}
    if len(handlers) == 1:
        return list(handlers.values())
    if handlers:
        some = sorted(f"{r.method} {r.path}" for r in meant)
        raise NotFound(f"`{name}` has several handlers; choose one: {', '.join(some)}", name=name, candidates=some)
    if meant:
        raise NotFound(
            f"the handler of `{name}` is unknown: it is registered at {meant[0].file}:{meant[0].line}", name=name
        )
    last = path.rstrip("/").rpartition("/")[2]
    like = sorted({f"{r.method} {r.path}" for r in routes if last and last in r.path})[:_FEW]
    hint = f"; similar: {', '.join(like)}" if like else f"; `graphmem code routes` lists all {len(routes)}"
    raise NotFound(f"no route `{name}`{hint}", name=name, candidates=like)


def _generic(path: str) -> str:
    return _PARAMETER.sub("{}", path).rstrip("/") or "/"


def request_edges(view: View) -> list[CodeEdge]:
    """Return who sends requests to which handlers of routes."""
    return [
        CodeEdge(REQUESTS, sender.key, handler.key, line, "request", _REQUESTED)
        for route in _routes_of(view)
        if (handler := route.handler) is not None and _handles(route, handler)
        for sender, line in route.callers
        if sender.key != handler.key
    ]


def names_of_routes(view: View, handlers: Collection[str]) -> tuple[str, ...]:
    """Return the routes outside of tests whose handlers are among these symbols (keys): `GET /orders/{id}`."""
    found = (route for route in _routes_of(view) if route.handler is not None and _handles(route, route.handler))
    return tuple(
        f"{route.method} {route.path}"
        for route in found
        if route.handler is not None and route.handler.key in handlers and route.handler.key not in view.tests
    )


def _handles(route: Route, handler: Symbol) -> bool:
    """Return whether a symbol is the handler itself, not what stands around a handler without a name."""
    around = handler.file == route.file and handler.line < route.line <= handler.end_line
    return not around or bool(handler.decorators)


def _routes_of(view: View) -> list[Route]:
    """Return the routes of a tree that uses one of the known frameworks."""
    known = _routes.get(view)
    if known is None:
        languages = {record.language for record in view.graph.files}
        is_web = languages & _WITHOUT_IMPORT or any(map(_FRAMEWORKS.search, view.index.externals))
        known = _routes[view] = find_routes(view, view.index.root) if is_web else []
    return known
