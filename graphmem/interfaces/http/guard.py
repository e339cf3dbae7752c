"""Checks every request and WebSocket before it reaches the API: host, origin, path, and a token (header, for
programs) or a session (cookie, for browsers)."""

from __future__ import annotations

import asyncio
import http.cookies
import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote_to_bytes

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.errors import StoreError
from graphmem.interfaces.http import bodies, login
from graphmem.interfaces.http.access import LONGEST_S, Access
from graphmem.interfaces.languages import preferred_language
from graphmem.ports.callers import PROGRAM, for_agent

_PUBLIC = frozenset({"/health"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REFUSED = 1008  # policy violation
_LOOK_S = 1.0  # seconds between two looks whether the session of an idle WebSocket is still valid
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

    def __init__(self, status: int, code: str, message: str, *, target: str = "", retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.status, self.code, self.message, self.target = status, code, message, target


class Admission(NamedTuple):
    """An accepted request: its scope for the application, the context in which it is answered, and whether a WebSocket that it
    opened may stay open; the argument says whether it was just used."""

    scope: Scope
    acting: AbstractContextManager[object]
    is_valid: Callable[[bool], bool]


class Request(NamedTuple):
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


def _parse(scope: Scope) -> Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    jar = http.cookies.SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except http.cookies.CookieError:
        jar.clear()
    return Request(scope, headers, {name: morsel.value for name, morsel in jar.items()})


class Guard:
    """ASGI middleware. `hosts` are the host names (with ports) of this server. `cookie` is the session cookie's name;
    it contains the port, because browsers share cookies between ports. With the scheme "https" alone, browsers send it only
    encrypted."""

    _advice = "open the link printed by `graphmem serve`, or send `Authorization: Bearer TOKEN` (`graphmem token new`)"

    def __init__(
        self, app: ASGIApp, access: Access, hosts: Collection[str], cookie: str, schemes: Sequence[str] = ("http",)
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for scheme in schemes for host in hosts)
        self._cookie = cookie
        self._attributes = f"Path=/; HttpOnly; SameSite=Strict{'; Secure' if tuple(schemes) == ('https',) else ''}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, log in or out, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = _parse(scope)
        try:
            _check_path(scope)
            self._check_source(request)
            if scope["type"] == "http" and await self._answers_stranger(request, receive, send):
                return
            admission = self._admit(request)
            if scope["type"] == "http" and scope["method"] not in SAFE:
                receive = await _limited(receive)
        except Refusal as refusal:
            await _refuse(request, receive, send, refusal, self._login_page)
            return
        with admission.acting:
            if scope["type"] == "websocket":
                async with _while_valid(admission.is_valid, receive, send) as (receive, send):
                    await self._app(admission.scope, receive, send)
            else:
                await self._app(admission.scope, receive, _with_headers(send))

    def _admit(self, request: Request) -> Admission:
        """Return in whose name a request is answered. Raises Refusal for anyone unknown."""
        if request.path in _PUBLIC:
            return Admission(request.scope, nullcontext(), lambda used: True)
        try:
            scheme, _, shown = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() == "bearer" and self._access.is_valid_token(shown.strip()):
                return self._as_program(request, shown.strip())
            session = request.cookies.get(self._cookie, "")
            if session and self._access.knows_session(session, request.host):
                # Without fetch metadata, a page of another port could have sent the request.
                if request.path.startswith("/api") and "sec-fetch-site" not in request.headers:
                    raise Refusal(403, "WrongOrigin", "the API needs a token, or a browser that sends fetch metadata")
                return self._as_browser(request, session)
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        raise Refusal(401, "WrongToken", self._advice)

    def _as_program(self, request: Request, token: str) -> Admission:
        return Admission(request.scope, for_agent(PROGRAM), lambda used: self._access.is_valid_token(token))

    def _as_browser(self, request: Request, session: str) -> Admission:
        def is_valid(used: bool) -> bool:
            return self._access.knows_session(session, request.host, is_used=used)

        return Admission(request.scope, nullcontext(), is_valid)

    def _check_source(self, request: Request) -> None:
        """Reject requests from pages of other sites or ports, and host names that were rebound to this machine."""
        if request.host not in self._hosts:
            raise Refusal(421, "WrongHost", "this server only accepts its own host name")
        origin = request.headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            raise Refusal(403, "WrongOrigin", "requests from other pages are rejected")
        unsafe = request.scope["type"] == "websocket" or request.scope["method"] not in SAFE
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

    async def _answers_stranger(self, request: Request, receive: Receive, send: Send) -> bool:
        """Answer what needs no token or session, and return whether the request was of that kind."""
        if request.path not in (login.LOGIN, login.LOGOUT):
            return False
        await self._visit(request, receive, send)
        return True

    async def _visit(self, request: Request, receive: Receive, send: Send) -> None:
        """Handle login and logout. Only a POST changes anything."""
        method = request.scope["method"]
        if method in ("GET", "HEAD") and request.path == login.LOGIN:
            is_own = request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            if is_own and self._is_logged_in(request):
                await lead(send, "/")  # a link that was used before leads somebody who is logged in to the viewer
                return
            given = parse_qs(request.scope["query_string"].decode("latin-1"))
            await show(send, 200, self._login_page(request.language, key=given.get(login.FIELD, [""])[0]))
            return
        if method != "POST":
            raise Refusal(405, "NotAllowed", "use a POST request")
        if request.headers.get("origin") is None and request.headers.get("sec-fetch-site") != "same-origin":
            raise Refusal(403, "WrongOrigin", "a writing request from a page needs an Origin header")
        if request.path == login.LOGOUT:
            self._access.log_out(request.cookies.get(self._cookie, ""))
            await lead(send, login.LOGIN, f"{self._cookie}=; {self._attributes}; Max-Age=0")
            return
        shown = parse_qs((await _body(receive)).decode("utf-8", "replace")).get(login.FIELD, [""])[0].strip()
        try:
            session = self._access.log_in(shown, request.host)
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        if session is None and self._is_logged_in(request):
            await lead(send, "/")
            return
        if session is None:
            why = _WRONG if shown.startswith("graphmem_") else _USED
            await show(send, 401, self._login_page(request.language, why))
            return
        await lead(send, "/", f"{self._cookie}={session}; {self._attributes}; Max-Age={int(LONGEST_S)}")

    def _login_page(self, language: str, why: str = "", key: str = "") -> bytes:
        return login.login_page(language, why, key)

    def _is_logged_in(self, request: Request) -> bool:
        return self._access.knows_session(request.cookies.get(self._cookie, ""), request.host)


@asynccontextmanager
async def _while_valid(
    is_valid: Callable[[bool], bool], receive: Receive, send: Send
) -> AsyncIterator[tuple[Receive, Send]]:
    """Context manager: the channels of a WebSocket, which end once it may no longer stay open, also while nothing is sent. An
    open page keeps its session alive by what it sends."""
    ended = asyncio.Event()

    async def look() -> None:
        while is_valid(False):
            await asyncio.sleep(_LOOK_S)
        ended.set()

    async def checked_receive() -> Message:
        message = asyncio.ensure_future(receive())
        over = asyncio.ensure_future(ended.wait())
        try:
            await asyncio.wait((message, over), return_when=asyncio.FIRST_COMPLETED)
            if (
                message.done()
                and not ended.is_set()
                and (message.result()["type"] != "websocket.receive" or is_valid(True))
            ):
                return message.result()
        finally:
            over.cancel()
            if not message.done():
                message.cancel()
        with suppress(RuntimeError):  # it was closed meanwhile
            await send({"type": "websocket.close", "code": _REFUSED, "reason": "the session has ended"})
        return {"type": "websocket.disconnect", "code": _REFUSED}

    async def checked_send(message: Message) -> None:
        if message["type"] != "websocket.send" or is_valid(False):
            await send(message)

    watcher = asyncio.create_task(look())
    try:
        yield checked_receive, checked_send
    finally:
        watcher.cancel()


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
    except bodies.TooLate:
        raise Refusal(408, "TooLate", bodies.LATE) from None


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


async def answer(send: Send, status: int, body: bytes, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    whole = _encoded(_HEADERS | {"cache-control": "no-store", "content-length": str(len(body))} | named)
    await send({"type": "http.response.start", "status": status, "headers": whole})
    await send({"type": "http.response.body", "body": body})


async def show(send: Send, status: int, page: bytes) -> None:
    await answer(send, status, page, content_type="text/html; charset=utf-8", content_security_policy=login.POLICY)


async def lead(send: Send, target: str, cookie: str = "") -> None:
    await answer(send, 303, b"", location=target, **({"set_cookie": cookie} if cookie else {}))


async def _refuse(
    request: Request, receive: Receive, send: Send, refusal: Refusal, login_page: Callable[[str], bytes]
) -> None:
    if request.scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _REFUSED, "reason": refusal.message[:100]})
        return
    if request.navigates:
        language = request.language
        unknown = refusal.status == 401
        page = login_page(language) if unknown else login.refusal_page(language, refusal.message, refusal.target)
        await show(send, refusal.status, page)
        return
    error: dict[str, Any] = {"error": {"code": refusal.code, "message": refusal.message, "data": {}}}
    more = {"www_authenticate": "Bearer"} if refusal.status == 401 else {}
    more |= {"retry_after": str(refusal.retry_after_s)} if refusal.retry_after_s else {}
    await answer(send, refusal.status, json.dumps(error).encode(), content_type="application/json", **more)
