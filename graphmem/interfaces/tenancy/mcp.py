"""MCP over HTTP on a shared server. Each request is a session of its own and carries its token, so there is no session to steal and
nothing to revoke but the token."""

from __future__ import annotations

from typing import Any, cast

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import AccessDenied, UsageError
from graphmem.interfaces.mcp.server import ToolRunner, build
from graphmem.interfaces.tenancy.facade import TenantMemory
from graphmem.interfaces.tenancy.rights import VISIBILITIES
from graphmem.interfaces.tenancy.tenant import TENANT, Tenant
from graphmem.memory import Memory

PATH = "/mcp"
_KEY = "graphmem.tenant"
_CHOOSING = frozenset({"remember", "search", "cypher", "forget"})  # tools that list the parameter; all accept it
_ABOUT = "private: yours alone; team: all of the project"


class _TenantRunner:
    """Runs the tools of one request on the memory of its caller."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant

    async def call(self, name: str, given: dict[str, Any]) -> str:
        """Run a tool and return its answer. Raises GraphmemError."""
        rest = dict(given)
        tenant, chosen = self._tenant.current(), rest.pop("visibility", None)
        if chosen is not None:
            if chosen not in VISIBILITIES:
                raise UsageError(f"`visibility` is one of {', '.join(VISIBILITIES)}", parameter="visibility")
            tenant = Tenant(tenant.host, tenant.caller, tenant.project, chosen, tenant.address)
        async with tenant.hold_slot():
            return await ToolRunner(cast(Memory, TenantMemory(tenant))).call(name, rest)


def _runner_of(context: Any) -> _TenantRunner:
    tenant = context.request.scope.get(_KEY) if context.request is not None else None
    if not isinstance(tenant, Tenant):
        raise AccessDenied("this request belongs to no account")
    return _TenantRunner(tenant)


def _adapted(tool: types.Tool) -> types.Tool:
    if tool.name not in _CHOOSING:
        return tool
    schema = dict(tool.input_schema)
    schema["properties"] = {**schema["properties"], "visibility": {"enum": list(VISIBILITIES), "description": _ABOUT}}
    return tool.model_copy(update={"input_schema": schema})


def mcp_application() -> tuple[Starlette, ASGIApp]:
    """Return the application of the SDK, whose lifespan must run, and what answers requests to it."""
    server: Server[Any] = build(_runner_of, _adapted)
    inner = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard checks hosts
    )  # fmt: skip

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http" or scope["method"] != "POST"
        ):  # there is no stream to listen to, and no session to end
            await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST")]})
            await send({"type": "http.response.body", "body": b""})
            return
        await inner({**scope, _KEY: TENANT.get()}, receive, send)

    return inner, answer
