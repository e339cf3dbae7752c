"""Names of HTTP routes as names of symbols: `/api/forget` or `POST /api/forget` means its handler."""

from __future__ import annotations

import re

from graphmem.codegraph.routes import find_routes
from graphmem.codegraph.view import View
from graphmem.errors import NotFound
from graphmem.model.code import Symbol

_ROUTE = re.compile(r"(?:([A-Z]{3,7}) )?(/[^\s:]*)")
_PARAMETER = re.compile(r"\{[^}]*\}|<[^>]*>|:\w+")
_FEW = 5


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
