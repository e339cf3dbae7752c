"""Builds and runs the shared server: guard, API, MCP, live updates and viewer, each on the stores of the caller only."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import anyio.to_thread
from fastapi import FastAPI, WebSocket
from fastapi.responses import Response
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem import settings
from graphmem.errors import UsageError
from graphmem.interfaces.http import answers
from graphmem.interfaces.http.live import serve_socket
from graphmem.interfaces.http.resources import resource_router
from graphmem.interfaces.http.routes import verb_router
from graphmem.interfaces.listening import listen
from graphmem.interfaces.longrunning import prepare_to_serve
from graphmem.interfaces.tenancy.accounts import Accounts
from graphmem.interfaces.tenancy.guard import SharedGuard
from graphmem.interfaces.tenancy.lanes import TenantHub, TenantLanes
from graphmem.interfaces.tenancy.limiting import Limiter
from graphmem.interfaces.tenancy.mcp import PATH, mcp_application
from graphmem.interfaces.tenancy.oidc import CALLBACK, Provider
from graphmem.interfaces.tenancy.routes import account_router
from graphmem.interfaces.tenancy.sessions import SharedAccess
from graphmem.interfaces.tenancy.slots import Slots
from graphmem.interfaces.tenancy.stores import Place, StorePool
from graphmem.interfaces.tenancy.tenant import Host
from graphmem.interfaces.web.viewer import drop_unseen_pages, mount
from graphmem.resources import VERSION

PORT = 8470
_MIN_COMPRESSED_BYTES = 1_000  # smaller responses (bytes) are not compressed
_TEND_S = 20.0  # seconds between two looks for what nobody uses
_WAIT_S = 10  # seconds that requests have to end when the server is stopped
_VISIBILITY = (
    "visibility", Literal["private", "team"] | None, "the store: private (yours alone) or team; default: see the guide", None,
)  # fmt: skip


def build(
    host: Host, hosts: set[str], cookie: str, schemes: tuple[str, ...], provider: Provider | None = None
) -> ASGIApp:
    """Return the ASGI application. `hosts` are the names by which clients may call it."""
    lanes = TenantLanes()
    hub = TenantHub(lanes)
    access = SharedAccess(host.accounts, provider)
    inner, mcp = mcp_application()

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        async with inner.router.lifespan_context(inner):
            tending = asyncio.create_task(_tend(host, access))
            try:
                yield
            finally:
                tending.cancel()

    app = FastAPI(
        title="graphmem", version=VERSION, lifespan=life, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="HTTP API of a shared server: `/api/…` of the caller's only project, `/p/PROJECT/api/…` of each.",
        responses=answers.REFUSALS | {429: {"model": answers.Failure, "description": "too many requests, or a quota is used up"}},
    )  # fmt: skip
    answers.install(app)

    @app.get(
        "/health", response_model=answers.Envelope, tags=["resources"], summary="Check that the server is running."
    )
    async def health() -> Response:
        return answers.success({"status": "ok", "version": VERSION})

    @app.websocket("/ws")
    async def live(socket: WebSocket) -> None:
        await serve_socket(hub, socket)

    app.include_router(account_router(access))
    app.include_router(verb_router(lanes, [_VISIBILITY]))
    app.include_router(resource_router(lanes))
    app.mount("/api", answers.not_found_route(app.routes))
    mount(app, lanes, hub)
    return SharedGuard(
        _with_mcp(GZipMiddleware(app, minimum_size=_MIN_COMPRESSED_BYTES), mcp),
        access,
        host,
        hosts,
        cookie,
        schemes,
        provider,
    )


async def _tend(host: Host, access: SharedAccess) -> None:
    """Give back, again and again, what nobody uses: stores with their owners, ended logins, counts of requests, pages."""
    while True:
        await asyncio.sleep(_TEND_S)
        access.drop_ended()
        host.limiter.drop_unused()
        drop_unseen_pages()
        await anyio.to_thread.run_sync(host.pool.close_unneeded)


def _with_mcp(app: ASGIApp, mcp: ASGIApp) -> ASGIApp:
    """Return an application that answers MCP at exactly one path."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await (mcp if scope.get("path") == PATH else app)(scope, receive, send)

    return answer


def serve(home: Path, *, host: str, port: int, create: bool = False) -> None:
    """Serve the projects in a folder until stopped. Raises NotFound if the folder is not that of a shared server, unless it shall
    be created, UsageError for an invalid address, StoreError if the port is in use, NotInstalled without the extra `server`."""
    chosen = settings.load_settings(home).server
    names, schemes = _names(host, port, chosen.url)
    accounts = Accounts(home, create=create)
    pool = StorePool(chosen.open_stores, chosen.log_url)
    try:
        shared = Host(
            Place(home.resolve()),
            accounts,
            pool,
            Limiter(chosen, accounts.ledger),
            chosen,
            Slots(chosen.concurrent_requests),
        )
        listener = listen(host, port)
        port = listener.getsockname()[1]
        names, schemes = _names(host, port, chosen.url)
        address = chosen.url.rstrip("/") or f"http://{f'[{host}]' if ':' in host else host}:{port}"
        provider = Provider(chosen, address + CALLBACK) if chosen.oidc_issuer else None
        app = build(shared, names, f"graphmem_{port}", schemes, provider)
        sys.stdout.write(f"graphmem serves {_counted(accounts)} on {address}\n")
        sys.stdout.write(
            f"  log in   {address}\n  agents   {address}/p/PROJECT/mcp\n  clients  graphmem team connect {address}\n"
        )
        sys.stdout.flush()
        _run(app, listener)
    finally:
        pool.close()
        accounts.close()


def _run(app: ASGIApp, listener: Any) -> None:
    import uvicorn

    prepare_to_serve()
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="on",
        ws_max_size=1 << 20,
        server_header=False,
        timeout_graceful_shutdown=_WAIT_S,
    )
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


def _counted(accounts: Accounts) -> str:
    projects, people = accounts.projects(), accounts.list()
    return f"{len(projects)} project{'s' * (len(projects) != 1)} to {len(people)} account{'s' * (len(people) != 1)}"


def _names(host: str, port: int, url: str) -> tuple[set[str], tuple[str, ...]]:
    """Return the host names that the server accepts, and the schemes of its addresses. Raises UsageError for a wildcard address
    without the setting `server.url`, and for an address that is no URL."""
    if host in ("0.0.0.0", "::", "") and not url:
        raise UsageError(
            "set `server.url` to the address that clients use, such as https://memory.example, or name a specific address: with a"
            " wildcard alone, pages of other sites could reach the server",
            host=host,
        )
    shown = f"[{host}]" if ":" in host else host
    names = {f"{shown}:{port}".lower()} | ({shown.lower()} if port == 80 else set())
    if _is_loopback(host):
        names |= {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    if not url:
        return names, ("http",)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise UsageError("`server.url` must be an address such as https://memory.example", key="server.url")
    return names | {parts.netloc.lower()}, (parts.scheme,)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
