"""What all routes of the API do with requests: refuse unknown query parameters, answer HEAD, and answer 304 to a client that
has the current answer already."""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.errors import UsageError

_PATHS = ("/api/", "/health")


async def refuse_unknown_parameters(request: Request) -> None:
    """Raise UsageError for a query parameter that the route does not have: a misspelt filter would filter nothing."""
    known = {field.alias for field in request.scope["route"].dependant.query_params}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        offered = ", ".join(sorted(known)) or "none"
        raise UsageError(f"unknown parameter `{unknown[0]}`: this route takes {offered}", parameter=unknown[0])


class ConditionalRequests:
    """ASGI middleware for HEAD and If-None-Match. Answers keep `no-store`: what a memory says should not stay on a disk."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a HEAD request like GET without its body, and with 304 what the client has already."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(_PATHS):
            await self._app(scope, receive, send)
            return
        wanted = Headers(scope=scope).get("if-none-match", "")
        is_head = scope["method"] == "HEAD"
        is_silent = is_head

        async def answer(message: Message) -> None:
            nonlocal is_silent
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if message["status"] == 200 and _is_known(headers.get("etag"), wanted):
                    message["status"], is_silent = 304, True
                    del headers["content-length"], headers["content-type"]
            elif is_silent:
                if message.get("more_body"):
                    return
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"} if is_head else scope, receive, answer)


def _is_known(tag: str | None, wanted: str) -> bool:
    if tag is None or not wanted:
        return False
    names = {name.strip().removeprefix("W/") for name in wanted.split(",")}
    return "*" in names or tag.removeprefix("W/") in names
