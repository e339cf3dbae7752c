"""Requests to a shared server. Errors are one sentence that says whether the server refused or is away."""

from __future__ import annotations

from typing import Any

import httpx

from graphmem.errors import AccessDenied, GraphmemError, LimitReached, StoreBusy, error_named
from graphmem.interfaces.team.connection import Connection

_TIMEOUT_S = 30.0
_CONNECT_S = 3.0


class ServerAway(StoreBusy):
    """The server does not answer now. What was recorded here is sent later."""


def ask(connection: Connection, method: str, path: str, **given: Any) -> Any:
    """Return the data of an answer; `given` are arguments of `httpx.request`. Raises ServerAway, or what the server refused with:
    AccessDenied, LimitReached, NotFound, UsageError."""
    headers = {"Authorization": f"Bearer {connection.token}"}
    address = f"{connection.address if connection.project else connection.url.rstrip('/')}{path}"
    try:
        answer = httpx.request(
            method,
            address,
            headers=headers,
            timeout=httpx.Timeout(_TIMEOUT_S, connect=_CONNECT_S),
            follow_redirects=False,
            **given,
        )
        body = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        reason = "did not answer as graphmem does" if isinstance(error, ValueError) else "does not answer"
        after = (
            "what is recorded here is kept and sent later"
            if connection.project
            else "this store is not connected: check the address, and connect again"
        )
        raise ServerAway(f"the shared server at {connection.url} {reason}; {after}") from error
    if answer.status_code == 200:
        return body["data"]
    raise _refusal(connection, answer.status_code, body.get("error") or {})


def _refusal(connection: Connection, status: int, error: dict[str, Any]) -> GraphmemError:
    message = str(error.get("message") or f"status {status}")
    if status == 401:
        return AccessDenied(
            f"the shared server at {connection.url} refuses the token: `graphmem team connect` with a new one"
        )
    if status == 429:
        return LimitReached(message)
    if status >= 500:
        return ServerAway(f"the shared server at {connection.url} cannot answer now ({message})")
    return error_named(str(error.get("code")), message, {})
