"""Checks every request and WebSocket before it reaches the API: host, origin, path, and a token (header, for
programs) or a session (cookie, for browsers)."""

from __future__ import annotations

import http.cookies
import json
from collections.abc import Collection
from contextlib import nullcontext
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote_to_bytes

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.errors import StoreError
from graphmem.interfaces.http import bodies, login
from graphmem.interfaces.http.access import LONGEST_S, Access
from graphmem.interfaces.languages import preferred_language
from graphmem.ports.callers import PROGRAM, for_agent

_PUBLIC = frozenset({"/health"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REFUSED = 1008  # policy violation
_FORM_BYTES = 10_000
# The viewer's library compiles templates in the page. Loading from or sending to other hosts is blocked.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none';"
    " base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer` our own forms would have the origin `null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "content-security-policy": _POLICY,
}
_ELSEWHERE = "You came here from another page. Nothing happens until you open it yourself."
_USED = "This link was already used or has expired."
_WRONG = "Invalid or expired key or token."


class Refusal(Exception):
    """A rejected request: status, code and a sentence. `target` is the link that a confirmation page offers."""

    def __init__(self, status: int, code: str, message: str, *, target: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.target = status, code, message, target


class _Request(NamedTuple):
    """The relevant parts of a request. `navigates`: the browser will show the response as a page."""

    scope: Scope
    headers: dict[str, str]
    cookies: dict[str, str]

    @property
    def host(self) -> str:
        return self.headers.get("host", "").lower()

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    @property
    def navigates(self) -> bool:
        if self.scope["type"] != "http":
            return False
        mode = self.headers.get("sec-fetch-mode")
        return mode == "navigate" if mode else "text/html" in self.headers.get("accept", "")

    @property
    def language(self) -> str:
        return preferred_language(self.cookies.get("gm_language"), self.headers.get("accept-language", ""))


def _parse(scope: Scope) -> _Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    jar = http.cookies.SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except http.cookies.CookieError:
        jar.clear()
    return _Request(scope, headers, {name: morsel.value for name, morsel in jar.items()})


class Guard:
    """ASGI middleware. `hosts` are the host names (with ports) of this server. `cookie` is the session cookie's name;
    it contains the port, because browsers share cookies between ports."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Collection[str], cookie: str) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in hosts)
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, log in or out, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = _parse(scope)
        try:
            _check_path(scope)
            self._check_source(request)
            if scope["type"] == "http" and request.path in (login.LOGIN, login.LOGOUT):
                await self._visit(request, receive, send)
                return
            session = self._check_right(request)
            if scope["type"] == "http" and scope["method"] not in _SAFE:
                receive = await _limited(receive)
        except Refusal as refusal:
            await _refuse(request, receive, send, refusal)
            return
        if scope["type"] == "websocket" and session:
            receive = self._while_valid(request, session, receive, send)
        with nullcontext() if session else for_agent(PROGRAM):
            await self._app(scope, receive, _with_headers(send))

    def _check_source(self, request: _Request) -> None:
        """Reject requests from pages of other sites or ports, and host names that were rebound to this machine."""
        if request.host not in self._hosts:
            raise Refusal(421, "WrongHost", "this server only accepts its own host name")
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            raise Refusal(403, "WrongOrigin", "requests from other pages are rejected")
        unsafe = request.scope["type"] == "websocket" or request.scope["method"] not in _SAFE
        site = request.headers.get("sec-fetch-site", "none")
        if site not in ("none", "same-origin"):
            # A link in an e-mail or on another port's page is not the user's request: it leads to a confirmation
            # page. The login page does nothing by itself.
            if not request.navigates or unsafe or request.path.startswith("/api"):
                raise Refusal(403, "WrongOrigin", "requests from other pages are rejected")
            if request.path != login.LOGIN:
                raise Refusal(403, "WrongOrigin", _ELSEWHERE, target=_target(request.scope))
        if unsafe and origin is None and "authorization" not in request.headers and "cookie" in request.headers:
            raise Refusal(403, "WrongOrigin", "a writing request from a page needs an Origin header")

    def _check_right(self, request: _Request) -> str | None:
        """Return the session of a browser, or None for a program with a token. Raises Refusal for anyone else."""
        if request.path in _PUBLIC:
            return None
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        try:
            if scheme.lower() == "bearer" and self._access.is_valid_token(shown.strip()):
                return None
            session = request.cookies.get(self._cookie, "")
            if session and self._access.knows_session(session, request.host):
                # Without fetch metadata, a page of another port could have sent the request.
                if request.path.startswith("/api") and "sec-fetch-site" not in request.headers:
                    raise Refusal(403, "WrongOrigin", "the API needs a token, or a browser that sends fetch metadata")
                return session
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        why = "open the link printed by `graphmem serve`, or send `Authorization: Bearer TOKEN` (`graphmem token new`)"
        raise Refusal(401, "WrongToken", why)

    async def _visit(self, request: _Request, receive: Receive, send: Send) -> None:
        """Handle login and logout. Only a POST changes anything."""
        method = request.scope["method"]
        if method in ("GET", "HEAD") and request.path == login.LOGIN:
            is_own = request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            if is_own and self._is_logged_in(request):
                await _lead(send, "/")  # a link that was used before leads somebody who is logged in to the viewer
                return
            given = parse_qs(request.scope["query_string"].decode("latin-1"))
            await _show(send, 200, login.login_page(request.language, key=given.get(login.FIELD, [""])[0]))
            return
        if method != "POST":
            raise Refusal(405, "NotAllowed", "use a POST request")
        if request.headers.get("origin") is None and request.headers.get("sec-fetch-site") != "same-origin":
            raise Refusal(403, "WrongOrigin", "a writing request from a page needs an Origin header")
        if request.path == login.LOGOUT:
            self._access.log_out(request.cookies.get(self._cookie, ""))
            await _lead(send, login.LOGIN, f"{self._cookie}=; {_ATTRIBUTES}; Max-Age=0")
            return
        shown = parse_qs((await _body(receive)).decode("utf-8", "replace")).get(login.FIELD, [""])[0].strip()
        try:
            session = self._access.log_in(shown, request.host)
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        if session is None and self._is_logged_in(request):
            await _lead(send, "/")
            return
        if session is None:
            why = _WRONG if shown.startswith("graphmem_") else _USED
            await _show(send, 401, login.login_page(request.language, why))
            return
        await _lead(send, "/", f"{self._cookie}={session}; {_ATTRIBUTES}; Max-Age={int(LONGEST_S)}")

    def _is_logged_in(self, request: _Request) -> bool:
        return self._access.knows_session(request.cookies.get(self._cookie, ""), request.host)

    def _while_valid(self, request: _Request, session: str, receive: Receive, send: Send) -> Receive:
        """Close a WebSocket when its session ends; while open, it keeps the session alive."""

        async def checked() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and not self._access.knows_session(session, request.host):
                await send({"type": "websocket.close", "code": _REFUSED, "reason": "the session has ended"})
                return {"type": "websocket.disconnect", "code": _REFUSED}
            return message

        return checked


_ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict"


def _check_path(scope: Scope) -> None:
    """Reject paths that another layer could interpret differently."""
    raw = scope.get("raw_path") or scope["path"].encode()
    for path in (raw, unquote_to_bytes(raw), unquote_to_bytes(unquote_to_bytes(raw))):
        parts = path.split(b"/")
        if b".." in parts or b"." in parts or b"\\" in path or any(byte < 32 or byte == 127 for byte in path):
            raise Refusal(400, "BadPath", "the path contains invalid characters")
    if not raw.startswith(b"/") or b"//" in unquote_to_bytes(raw):
        raise Refusal(400, "BadPath", "the path contains repeated slashes")


def _target(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return quote(scope["path"], errors="replace") + (f"?{query}" if query else "")


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > _FORM_BYTES:
            raise Refusal(413, "TooLarge", "invalid key or token")
        if message["type"] != "http.request" or not message.get("more_body"):
            return body


async def _limited(receive: Receive) -> Receive:
    try:
        return await bodies.read_body(receive)
    except bodies.TooLarge:
        raise Refusal(413, "TooLarge", bodies.SENTENCE) from None


def _with_headers(send: Send) -> Send:
    async def completed(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = [*message.get("headers", ())]
            names = {name.lower() for name, _ in given}
            cache = {} if b"cache-control" in names else {"cache-control": "no-store"}
            message["headers"] = given + _encoded(_HEADERS | cache)
        await send(message)

    return completed


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _answer(send: Send, status: int, body: bytes, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    whole = _encoded(_HEADERS | {"cache-control": "no-store", "content-length": str(len(body))} | named)
    await send({"type": "http.response.start", "status": status, "headers": whole})
    await send({"type": "http.response.body", "body": body})


async def _show(send: Send, status: int, page: bytes) -> None:
    await _answer(send, status, page, content_type="text/html; charset=utf-8", content_security_policy=login.POLICY)


async def _lead(send: Send, target: str, cookie: str = "") -> None:
    await _answer(send, 303, b"", location=target, **({"set_cookie": cookie} if cookie else {}))


async def _refuse(request: _Request, receive: Receive, send: Send, refusal: Refusal) -> None:
    if request.scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _REFUSED, "reason": refusal.message[:100]})
        return
    if request.navigates:
        language = request.language
        unknown = refusal.status == 401
        page = login.login_page(language) if unknown else login.refusal_page(language, refusal.message, refusal.target)
        await _show(send, refusal.status, page)
        return
    error: dict[str, Any] = {"error": {"code": refusal.code, "message": refusal.message, "data": {}}}
    more = {"www_authenticate": "Bearer"} if refusal.status == 401 else {}
    await _answer(send, refusal.status, json.dumps(error).encode(), content_type="application/json", **more)
