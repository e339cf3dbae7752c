"""Stands before every request and every WebSocket: the right host, the right origin, no tricks with the path, and the token
(as a header, or as the cookie that a link sets). What passes is from the user of this installation."""

from __future__ import annotations

import http.cookies
import json
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.interfaces.http.access import Access

OPEN_PATH = "/open"
_PUBLIC = frozenset({"/health"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REFUSED = 1008  # policy violation
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    # The viewer's library compiles templates in the page; nothing may be loaded from, or sent to, anywhere else.
    (b"content-security-policy", b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval';"
     b" style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self';"
     b" worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"),
)  # fmt: skip


class Refusal(Exception):
    """A request that does not pass: status, code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class Guard:
    """ASGI middleware. `hosts` are the names (with ports) under which this server may be asked."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Collection[str], cookie: str) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on, answer a link, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._check_path(scope)
            self._check_source(scope, headers)
            target = self._link(scope)
            if target is not None:
                await self._welcome(target, send)
                return
            self._check_token(scope, headers)
        except Refusal as refusal:
            await _refuse(scope, receive, send, refusal)
            return
        await self._app(scope, receive, _marked(send))

    def _check_path(self, scope: Scope) -> None:
        """Nothing that another layer could read as another path."""
        raw = scope.get("raw_path") or scope["path"].encode()
        for path in (raw, unquote_to_bytes(raw), unquote_to_bytes(unquote_to_bytes(raw))):
            parts = path.split(b"/")
            if b".." in parts or b"." in parts or b"\\" in path or any(byte < 32 or byte == 127 for byte in path):
                raise Refusal(400, "BadPath", "the path holds what a path may not hold")
        if not raw.startswith(b"/") or b"//" in unquote_to_bytes(raw):
            raise Refusal(400, "BadPath", "a path has one slash at a time")

    def _check_source(self, scope: Scope, headers: dict[str, str]) -> None:
        """Pages of other sites, also of other ports, and names that were made to point here, get nothing."""
        if headers.get("host", "").lower() not in self._hosts:
            raise Refusal(421, "WrongHost", "this server answers to its own address alone")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self._hosts}:
            raise Refusal(403, "WrongOrigin", "requests from other pages are refused")
        site = headers.get("sec-fetch-site", "none")
        if site not in ("none", "same-origin") and headers.get("sec-fetch-mode") != "navigate":
            raise Refusal(403, "WrongOrigin", "requests from other pages are refused")
        unsafe = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if unsafe and origin is None and "authorization" not in headers and "cookie" in headers:
            raise Refusal(403, "WrongOrigin", "a page that writes has to say where it is from")

    def _check_token(self, scope: Scope, headers: dict[str, str]) -> None:
        if scope["path"] in _PUBLIC:
            return
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._access.knows(shown.strip()):
            return
        jar = http.cookies.SimpleCookie()
        try:
            jar.load(headers.get("cookie", ""))
        except http.cookies.CookieError:
            jar.clear()
        if self._cookie in jar and self._access.knows(jar[self._cookie].value):
            return
        raise Refusal(
            401, "WrongToken", "open the link that `graphmem serve` prints, or send `Authorization: Bearer TOKEN`"
        )

    def _link(self, scope: Scope) -> str | None:
        """Where a valid link leads, without what made it valid; None for a request that is no link."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        shown = dict(given)
        if scope["path"] == OPEN_PATH:
            if not self._access.spend(shown.get("key", "")):
                raise Refusal(401, "WrongToken", "this link was used before: run `graphmem serve --open` for a new one")
            return "/"
        if "token" not in shown:
            return None
        if not self._access.knows(shown["token"]):
            raise Refusal(401, "WrongToken", "the token is not the one of this installation")
        rest = urlencode([(name, value) for name, value in given if name != "token"])
        return str(scope["path"]) + ("?" + rest if rest else "")

    async def _welcome(self, target: str, send: Send) -> None:
        """Set the cookie and lead on. Lax: a Strict one is left out where another program opens the link."""
        cookie = f"{self._cookie}={self._access.token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"
        headers = [
            (b"location", target.encode("utf-8")),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _marked(send: Send) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
        await send(message)

    return marked


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _REFUSED, "reason": refusal.message[:100]})
        return
    error: dict[str, Any] = {"error": {"code": refusal.code, "message": refusal.message, "data": {}}}
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store"), *_HEADERS]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(error).encode()})
