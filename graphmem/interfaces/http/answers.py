"""Formats API responses: one envelope for results and errors, and the HTTP status of each error."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import (
    AccessDenied,
    ForbiddenQuery,
    GraphmemError,
    LimitReached,
    LogUnreachable,
    NotFound,
    QueryStopped,
    QueryTimeout,
    SourceError,
    StoreBusy,
    UsageError,
)
from graphmem.interfaces import envelope
from graphmem.interfaces.http import login
from graphmem.interfaces.languages import preferred_language
from graphmem.interfaces.noted import split_note
from graphmem.interfaces.verbs.verb import unflagged

_STATUS: tuple[tuple[type[GraphmemError], int], ...] = (
    (NotFound, 404), (ForbiddenQuery, 403), (AccessDenied, 403), (LimitReached, 429),
    (UsageError, 400), (SourceError, 400), (QueryTimeout, 408),
    (QueryStopped, 422), (StoreBusy, 503), (LogUnreachable, 503),
)  # fmt: skip
_UNFORESEEN = "Something went wrong that should not have. The log of `graphmem serve` says what."
_METHODS = ("GET", "DELETE", "PATCH", "POST", "PUT")
_NAMES = {404: "NotFound", 405: "NotAllowed"}


class Envelope(BaseModel):
    """A result."""

    data: Any
    meta: dict[str, Any]


class Problem(BaseModel):
    """An error: one sentence that says what to do."""

    code: str
    message: str
    data: dict[str, Any] = Field(default_factory=dict)


class Failure(BaseModel):
    """The envelope of an error."""

    error: Problem


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": text}
    for status, text in {
        400: "invalid request", 401: "missing or invalid token", 403: "a query that is not read-only, or a rejected origin",
        404: "not found", 405: "wrong HTTP method", 408: "query timeout", 421: "wrong host",
        422: "a parameter of the wrong type", 503: "the store is locked by another process, or its log is away",
    }.items()
}  # fmt: skip


def success(value: Any, **meta: Any) -> Response:
    """Return the envelope of a result. A note for the reader goes into `meta`."""
    value, note = split_note(value)
    data = _dump(envelope.to_json_values(value))
    said = _dump(meta | ({"note": unflagged(note)} if note else {}))
    answer = _json(f'{{"data": {data}, "meta": {said}}}', 200)
    # The duration in `meta` differs each time, so the tag is that of the data, and a weak one.
    answer.headers["etag"] = f'W/"{hashlib.blake2b(data.encode("utf-8", "replace"), digest_size=12).hexdigest()}"'
    return answer


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:  # a query may compute values that JSON cannot represent
        return json.dumps(_finite(value), ensure_ascii=False, default=str)


def failure(error: BaseException) -> Response:
    """Return the envelope of an error, with its status."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    body = envelope.failure(error)
    body["error"]["message"] = unflagged(body["error"]["message"])
    answer = _json(envelope.dumps(body), status)
    if isinstance(error, LimitReached) and error.data.get("retry_after_s"):
        answer.headers["retry-after"] = str(error.data["retry_after_s"])
    return answer


def _json(text: str, status: int) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(text.encode("utf-8", "replace"), status, headers, media_type="application/json")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list) else value


def install(app: FastAPI) -> None:
    """Make the application return the envelope for every API error."""

    @app.exception_handler(GraphmemError)
    async def on_own(request: Request, error: Exception) -> Response:
        return page_for_browser(request, failure(error), str(error))

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        why = f"{place}: {str(first['msg']).lower()}"
        return page_for_browser(request, _problem(422, "Invalid", why, {"place": place}), why)

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        why = str(error.detail)
        answer = _problem(error.status_code, _NAMES.get(error.status_code, "Refused"), why, {}, error.headers)
        return page_for_browser(request, answer, why)

    @app.exception_handler(Exception)
    async def on_unforeseen(request: Request, error: Exception) -> Response:
        return page_for_browser(request, failure(error), _UNFORESEEN)


def page_for_browser(request: Request, answer: Response, why: str) -> Response:
    """Return an error as a page with a way back if a browser will show it as one, otherwise the answer itself."""
    mode, path = request.headers.get("sec-fetch-mode"), request.url.path
    shows = mode == "navigate" if mode else "text/html" in request.headers.get("accept", "")
    if not shows or path.startswith("/api/"):
        return answer
    language = preferred_language(request.cookies.get("gm_language"), request.headers.get("accept-language", ""))
    headers = {"content-security-policy": login.POLICY}
    return Response(
        login.refusal_page(language, why, "/"), answer.status_code, headers, media_type="text/html; charset=utf-8"
    )


def _has_method(routes: Sequence[BaseRoute], scope: Scope) -> bool:
    return scope["type"] == "http" and any(route.matches(scope)[0] is Match.FULL for route in routes)


def not_found_route(routes: Sequence[BaseRoute]) -> ASGIApp:
    """Catch-all route of the API, before the viewer's pages: 404, or 405 if the path exists with another method."""
    known = list(routes)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        whole = {**scope, "path": scope["path"], "root_path": ""}
        allowed = [method for method in _METHODS if _has_method(known, {**whole, "method": method})]
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
        elif allowed:
            headers = {"allow": ", ".join(["GET", "HEAD", *allowed[1:]] if allowed[0] == "GET" else allowed)}
            refusal = _problem(405, "NotAllowed", "this path needs another HTTP method", {}, headers)
            await refusal(scope, receive, send)
        else:
            await _problem(404, "NotFound", "unknown path: /api/openapi.json lists all", {})(scope, receive, send)

    return answer


def _problem(status: int, code: str, message: str, data: dict[str, Any], headers: Any = None) -> Response:
    response = _json(envelope.dumps({"error": {"code": code, "message": message, "data": data}}), status)
    response.headers.update(headers or {})
    return response
