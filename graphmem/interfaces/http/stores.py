"""Several stores behind one server. A program names one with the header `Graphmem-Store`, a browser with the switch at the top
of the viewer; without a name, the first store answers. A store is opened when it is first named."""

from __future__ import annotations

import asyncio
import http.cookies
import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import GraphmemError, NotFound, UsageError
from graphmem.interfaces.http.lanes import Lane, LaneExecutor
from graphmem.interfaces.http.live import Hub
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

T = TypeVar("T")
HEADER, COOKIE, PARAMETER = "graphmem-store", "gm_store", "store"
_chosen: ContextVar[str] = ContextVar("store", default="")


class StoreChoice(NamedTuple):
    """A store that the server offers, by its name."""

    name: str
    path: Path | None
    project: str | None = None


def name_stores(first: str, others: Sequence[Path]) -> list[StoreChoice]:
    """Return the choices of further stores, by the name of their folder; a number makes equal names differ. Raises UsageError for a
    folder without a store."""
    taken, found = {first}, []
    for path in others:
        if not (path / "log.db").exists():
            raise UsageError(f"{path} is not a store: name a folder that graphmem has made", path=str(path))
        name, number = path.resolve().name, 2
        while name in taken:
            name, number = f"{path.resolve().name}-{number}", number + 1
        taken.add(name)
        found.append(StoreChoice(name, path))
    return found


class SwitchedLanes(LaneExecutor):
    """The lanes of the first store, which lead to those of the store that a request names."""

    def __init__(self, store: Path | None, project: str | None, others: Sequence[Path]) -> None:
        super().__init__(store, project)
        self.choices = {choice.name: choice for choice in name_stores(self.project, others)}
        self._opened: dict[str, LaneExecutor] = {}

    @property
    def names(self) -> list[str]:
        """Return the names of all stores, the first one first."""
        return [self.project, *self.choices]

    @property
    def name(self) -> str:
        """Return the name of the store that the request names."""
        return _chosen.get() or self.project

    async def open(self, name: str) -> None:
        """Open a store. Raises NotFound for an unknown name."""
        if name == self.project or name in self._opened:
            return
        if name not in self.choices:
            raise NotFound(f"unknown store `{name}`: choose from {', '.join(self.names)}", store=name)
        choice = self.choices[name]
        opened = await anyio.to_thread.run_sync(LaneExecutor, choice.path, choice.project)
        if self._opened.setdefault(name, opened) is not opened:  # another request was faster
            opened.close()

    def bound(self) -> LaneExecutor:
        """Return the executor of the store that the request names."""
        return self._opened.get(_chosen.get(), self)

    async def run(self, call: Callable[[Memory], T], lane: Lane = "quick") -> T:
        """Run a call on the named store."""
        other = self.bound()
        return await (super().run(call, lane) if other is self else other.run(call, lane))

    async def verb(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Run a verb on the named store."""
        other = self.bound()
        return await (super().verb(verb, given) if other is self else other.verb(verb, given))

    async def counted(self, name: str, call: Callable[[Memory], T]) -> T:
        """Return a repeated result of the named store."""
        other = self.bound()
        return await (super().counted(name, call) if other is self else other.counted(name, call))

    def close(self) -> None:
        """Close all stores."""
        for opened in self._opened.values():
            opened.close()
        super().close()


class SwitchedHub(Hub):
    """The hub of the first store, which leads to that of the store that a page or listener names."""

    def __init__(self, lanes: SwitchedLanes) -> None:
        super().__init__(lanes)
        self._lanes = lanes
        self._hubs: dict[str, Hub] = {}
        self._watchers: list[asyncio.Task[None]] = []

    def bound(self) -> Hub:
        """Return the hub of the named store; it follows that store from now on."""
        executor = self._lanes.bound()
        if executor is self._lanes:
            return self
        name = self._lanes.name
        if name not in self._hubs:
            self._hubs[name] = Hub(executor)
            self._watchers.append(asyncio.create_task(self._hubs[name].watch()))
        return self._hubs[name]

    async def watch(self) -> None:
        """Poll for news until cancelled; then the hubs of other stores end, too."""
        try:
            await super().watch()
        finally:
            for watcher in self._watchers:
                watcher.cancel()


class StoreSelection:
    """ASGI middleware that finds out which store a request names."""

    def __init__(self, app: ASGIApp, lanes: SwitchedLanes) -> None:
        self._app, self._lanes = app, lanes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with its store opened; refuse one with an unknown name."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        name = _named(scope)
        try:
            await self._lanes.open(name or self._lanes.project)
        except GraphmemError as error:
            if scope["path"].startswith("/api") or scope["type"] == "websocket":
                await _refuse(scope, receive, send, error)
                return
            name = ""  # a page of a store that is no longer offered shows the first one
        token = _chosen.set(name if name != self._lanes.project else "")
        try:
            await self._app(scope, receive, send)
        finally:
            _chosen.reset(token)


def _named(scope: Scope) -> str:
    """Return the store that a request names: in its header, in the address, or, for a page, in the cookie of the switch."""
    headers = Headers(scope=scope)
    if name := headers.get(HEADER):
        return unquote(name)
    is_page = scope["type"] == "http" and not scope["path"].startswith(("/api", "/health"))
    if not is_page and scope["path"] != "/ws":
        return ""
    query = parse_qs(bytes(scope["query_string"]).decode("latin-1"))
    if PARAMETER in query:
        return query[PARAMETER][0]
    jar = http.cookies.SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except http.cookies.CookieError:
        return ""
    return unquote(str(jar[COOKIE].value)) if is_page and COOKIE in jar else ""


async def _refuse(scope: Scope, receive: Receive, send: Send, error: GraphmemError) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": str(error)[:100]})
        return
    body = json.dumps({"error": {"code": type(error).__name__, "message": error.message, "data": {}}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send(
        {"type": "http.response.start", "status": 404 if isinstance(error, NotFound) else 503, "headers": headers}
    )
    await send({"type": "http.response.body", "body": body})
