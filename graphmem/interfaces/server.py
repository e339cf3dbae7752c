"""Builds and runs the HTTP server: request guard, API, live updates and viewer. It listens on loopback unless another
address is given."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import sys
import webbrowser
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, WebSocket
from fastapi.responses import Response
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp

from graphmem import settings
from graphmem.errors import UsageError
from graphmem.interfaces.http import answers, description
from graphmem.interfaces.http.access import Access
from graphmem.interfaces.http.guard import Guard
from graphmem.interfaces.http.lanes import LaneExecutor
from graphmem.interfaces.http.live import Hub, serve_socket
from graphmem.interfaces.http.login import FIELD, LOGIN
from graphmem.interfaces.http.requests import ConditionalRequests
from graphmem.interfaces.http.resources import resource_router
from graphmem.interfaces.http.results import Running, answer_model
from graphmem.interfaces.http.routes import verb_router
from graphmem.interfaces.http.stores import StoreSelection, SwitchedHub, SwitchedLanes
from graphmem.interfaces.http.tokens import Tokens
from graphmem.interfaces.listening import listen
from graphmem.interfaces.longrunning import prepare_to_serve
from graphmem.interfaces.web.viewer import mount
from graphmem.resources import VERSION

PORT = 37777
_MIN_COMPRESSED_BYTES = 1_000  # smaller responses (bytes) are not compressed


def build(lanes: LaneExecutor, access: Access, host: str = "127.0.0.1", port: int = PORT, own_name: str = "") -> Any:
    """Return the ASGI application. `own_name` is a host name for loopback that only this server uses."""
    hub = SwitchedHub(lanes) if isinstance(lanes, SwitchedLanes) else Hub(lanes)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(hub.watch()), asyncio.create_task(lanes.warm())]
        yield
        for task in tasks:
            task.cancel()

    app = FastAPI(
        title="graphmem", version=VERSION, lifespan=life, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="HTTP API of the project's memory. Results are `{data, meta}`, errors `{error: {code, message, data}}`.",
        responses=answers.REFUSALS,
    )  # fmt: skip
    answers.install(app)

    @app.get(
        "/health",
        response_model=answer_model("Health", Running),
        tags=["resources"],
        summary="Check that the server is running.",
    )
    async def health() -> Response:
        return answers.success({"status": "ok", "version": VERSION})

    @app.api_route("/health", methods=["DELETE", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"], include_in_schema=False)
    async def refuse_health() -> Response:
        raise HTTPException(405, "use a GET request", {"allow": "GET, HEAD"})

    @app.websocket("/ws")
    async def live(socket: WebSocket) -> None:
        await serve_socket(hub, socket)

    app.include_router(verb_router(lanes))
    app.include_router(resource_router(lanes))
    description.install(app)
    app.mount("/api", answers.not_found_route(app.routes))
    mount(app, lanes, hub)
    inner: ASGIApp = StoreSelection(app, lanes) if isinstance(lanes, SwitchedLanes) else app
    return Guard(
        GZipMiddleware(ConditionalRequests(inner), minimum_size=_MIN_COMPRESSED_BYTES),
        access,
        _names(host, port, own_name),
        f"graphmem_{port}",
    )


def _names(host: str, port: int, own_name: str = "") -> set[str]:
    """Return the host names that the server accepts."""
    shown = f"[{host}]" if ":" in host else host
    loopback = {"127.0.0.1", "localhost", "[::1]", own_name} if _is_loopback(host) else set()
    names = {shown.lower(), *loopback} - {""}
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    store: Path | None, project: str | None, *, host: str, port: int, show: bool, others: Sequence[Path] = ()
) -> None:  # fmt: skip
    """Serve until stopped. `show` opens a browser, `others` are further stores to switch to. Raises UsageError for an invalid
    address, StoreError if the port is in use."""
    import uvicorn

    if host in ("0.0.0.0", "::", ""):
        raise UsageError(
            "name a specific address: with a wildcard, pages of other sites could reach the server", host=host
        )
    listener = listen(host, port)
    port = listener.getsockname()[1]
    access = Access(Tokens(settings.stores_home()))
    lanes = SwitchedLanes(store, project, others) if others else LaneExecutor(store, project)
    try:
        # Browsers resolve names below `localhost` themselves, and send cookies by host name regardless of the port.
        # With a unique name, no other local server receives the session cookie.
        own_name = f"graphmem-{secrets.token_hex(4)}.localhost" if _is_loopback(host) else ""
        app = build(lanes, access, host, port, own_name)
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        link = f"{f'http://{own_name}:{port}' if own_name else address}{LOGIN}?{FIELD}={access.create_login_key()}"
        sys.stdout.write(f"graphmem serves {lanes.project} on {address}\n  open (once)  {link}\n")
        sys.stdout.write("  programs     graphmem token new\n")
        sys.stdout.flush()
        if show:
            webbrowser.open(link)
        prepare_to_serve()
        config = uvicorn.Config(app, log_level="warning", lifespan="on", ws_max_size=1 << 20, server_header=False)
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        lanes.close()
