"""Checks every request to a shared server, and says whom it concerns: the account of its token or login, and the project that its
path names. `/p/NAME/api/search` is `/api/search` of the project NAME."""

from __future__ import annotations

import http.cookies
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from graphmem.errors import AccessDenied, GraphmemError, LimitReached, StoreError
from graphmem.interfaces.http import login
from graphmem.interfaces.http.access import LONGEST_S
from graphmem.interfaces.http.guard import Admission, Guard, Refusal, Request, answer, lead, show
from graphmem.interfaces.http.requests import COMMON_PARAMETERS
from graphmem.interfaces.tenancy import oidc
from graphmem.interfaces.tenancy.rights import VISIBILITIES, Caller, Right, Visibility
from graphmem.interfaces.tenancy.sessions import SharedAccess
from graphmem.interfaces.tenancy.tenant import TENANT, Host, Tenant
from graphmem.ports.callers import PROGRAM, USER, for_account, for_agent

SESSION = "graphmem.session"  # key of the scope: the id of the browser's session
PROJECT = "graphmem.project"  # key of the scope: the project that the path named
_WITHOUT_PROJECT = frozenset({"/projects", "/api/me"})
_FREEING = frozenset({"/api/forget", "/api/forget-me"})  # possible while other requests use up the rate
HEADER = "x-graphmem-project"
_IN_PATH = re.compile(r"/p/([a-z0-9][a-z0-9._-]{0,63})(?=/)")
_HINT = "An administrator creates your token with `graphmem users token NAME`."
_STATE_COOKIE = "graphmem_oidc"


class SharedGuard(Guard):
    """ASGI middleware of a shared server."""

    _advice = "send `Authorization: Bearer TOKEN` with a valid token, or log in"

    def __init__(
        self, app: ASGIApp, access: SharedAccess, host: Host, hosts: Collection[str], cookie: str, schemes: Sequence[str],
        provider: oidc.Provider | None,
    ) -> None:  # fmt: skip
        super().__init__(app, access, hosts, cookie, schemes)
        self._shared = access
        self._host = host
        self._provider = provider

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the project that the path names, and answer as for a path without it."""
        await super().__call__(_without_project(scope) if "path" in scope else scope, receive, send)

    def _admit(self, request: Request) -> Admission:
        address = _address(request.scope)
        try:
            return super()._admit(request)
        except Refusal as refusal:
            if refusal.status == 401 and ("authorization" in request.headers):
                self._note_failure("login", address)
            raise

    def _note_failure(self, action: str, address: str) -> None:
        """Count a failed login. Raises Refusal if there were too many from this address."""
        limiter = self._host.limiter
        try:
            limiter.check_logins(address)
        except LimitReached as reached:
            raise _limited(reached) from reached
        limiter.count_failed_login(address)
        self._host.accounts.ledger.note(action, address=address, outcome="refused")

    def _as_program(self, request: Request, token: str) -> Admission:
        caller = self._shared.caller_of(token)
        if caller is None:  # it ended a moment ago
            raise Refusal(401, "WrongToken", self._advice)
        return self._admitted(request, caller, PROGRAM)

    def _as_browser(self, request: Request, session: str) -> Admission:
        found = self._shared.session_of(session, request.host)
        if found is None:
            raise Refusal(401, "WrongToken", self._advice)
        login_, caller = found
        return self._admitted(request, caller, USER, session, login_.project, login_.visibility)

    def _admitted(
        self, request: Request, caller: Caller, writer: str, session: str = "", project: str = "",
        visibility: Visibility | None = None,
    ) -> Admission:  # fmt: skip
        scope = request.scope
        chosen = (
            scope.get(PROJECT, "") or request.headers.get(HEADER, "") or project or self._shared.first_project(caller)
        )
        address = _address(scope)
        try:
            self._host.limiter.count_request(caller, frees=request.path in _FREEING)
        except LimitReached as reached:
            Tenant(self._host, caller, chosen, None, address).note_refusal("request", detail=reached.data["limit"])
            raise _limited(reached) from reached
        asked = parse_qs(request.scope["query_string"].decode("latin-1")).get("visibility", [""])[0]
        if asked in VISIBILITIES:
            visibility = "private" if asked == "private" else "team"
        elif asked and asked != "both":
            raise Refusal(400, "UsageError", "`visibility` is private, team or both")
        elif asked:
            visibility = None
        tenant = Tenant(self._host, caller, chosen, visibility, address)

        def is_valid(used: bool) -> bool:
            try:
                tenant.current()
                return not session or self._shared.knows_session(session, request.host, is_used=used)
            except GraphmemError:
                return False

        if request.path not in _WITHOUT_PROJECT:  # now, not in the middle of a page or after a WebSocket was accepted
            try:
                tenant.require(Right.READ, "request")
            except AccessDenied as error:
                raise Refusal(403, "AccessDenied", str(error)) from error
        taken = {SESSION: session, COMMON_PARAMETERS: frozenset({"visibility"})}
        return Admission({**scope, **taken}, _acting(tenant, writer), is_valid)

    # -- logins

    async def _answers_stranger(self, request: Request, receive: Receive, send: Send) -> bool:
        if self._provider is not None and request.path == oidc.START:
            await self._start_login(self._provider, request, send)
            return True
        if self._provider is not None and request.path == oidc.CALLBACK:
            await self._finish_login(self._provider, request, send)
            return True
        if request.path == login.LOGIN and request.scope["method"] == "POST":
            return await self._count_logins(request, receive, send)
        return await super()._answers_stranger(request, receive, send)

    async def _count_logins(self, request: Request, receive: Receive, send: Send) -> bool:
        """Answer a login with a token, and count it if it fails."""
        address, status = _address(request.scope), 0
        try:
            self._host.limiter.check_logins(address)
        except LimitReached as reached:
            raise _limited(reached) from reached

        async def noted(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        done = await super()._answers_stranger(request, receive, noted)
        if status == 401:
            self._host.limiter.count_failed_login(address)
        self._host.accounts.ledger.note("login", address=address, outcome="refused" if status == 401 else "done")
        return done

    async def _start_login(self, provider: oidc.Provider, request: Request, send: Send) -> None:
        try:
            target = await anyio.to_thread.run_sync(provider.start)
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        secure = "; Secure" if "Secure" in self._attributes else ""
        # Lax: the provider's page leads back here, and browsers would not send a strict cookie then.
        cookie = f"{_STATE_COOKIE}={provider.state_of(target)}; Path={oidc.CALLBACK}; HttpOnly; SameSite=Lax; Max-Age=600{secure}"
        await lead(send, target, cookie)

    async def _finish_login(self, provider: oidc.Provider, request: Request, send: Send) -> None:
        query, state = request.scope["query_string"].decode("latin-1"), request.cookies.get(_STATE_COOKIE, "")
        address = _address(request.scope)
        try:
            subject = await anyio.to_thread.run_sync(provider.finish, query, state)
            caller = self._shared.accounts.caller_named(subject=subject) if subject else None
            if caller is None:
                raise AccessDenied("no account of this server is connected to you: ask an administrator")
        except AccessDenied as error:
            self._note_failure("login", address)
            await show(send, 403, self._login_page(request.language, str(error)))
            return
        except StoreError as error:
            raise Refusal(503, "StoreError", str(error)) from error
        self._host.accounts.ledger.note("login", account=caller.account, address=address)
        id = self._shared.begin(caller, request.host)
        morsel: http.cookies.Morsel[str] = http.cookies.Morsel()
        morsel.set(self._cookie, id, id)
        # A redirect from the provider's page is a cross-site request: strict cookies come with the next page.
        page = login.refusal_page(request.language, f"You are logged in as {caller.account}.", "/")
        await answer(
            send, 200, page, content_type="text/html; charset=utf-8", content_security_policy=login.POLICY,
            set_cookie=f"{morsel.key}={morsel.coded_value}; {self._attributes}; Max-Age={int(LONGEST_S)}",
        )  # fmt: skip

    def _check_source(self, request: Request) -> None:
        if self._provider is not None and request.path == oidc.CALLBACK and request.host in self._hosts:
            return  # the provider's page leads here; the state of the login is checked instead
        super()._check_source(request)

    def _login_page(self, language: str, why: str = "", key: str = "") -> bytes:
        provider = oidc.START if self._provider is not None else ""
        return login.login_page(language, why, key, hint=_HINT, provider=provider)


@contextmanager
def _acting(tenant: Tenant, writer: str) -> Iterator[None]:
    """Context manager: a request is answered for this tenant; what it writes is signed."""
    token = TENANT.set(tenant)
    try:
        with for_agent(writer), for_account(tenant.caller.account):
            yield
    finally:
        TENANT.reset(token)


def _without_project(scope: Scope) -> Scope:
    """Return the scope of a request without the project in its path, and with it as an entry."""
    found = _IN_PATH.match(scope["path"])
    prefix = found[0].encode() if found else b""
    raw = scope.get("raw_path") or scope["path"].encode()
    if found is None or not raw.startswith(prefix + b"/"):
        return scope
    return {
        **scope,
        "path": scope["path"].removeprefix(found[0]),
        "raw_path": raw.removeprefix(prefix),
        PROJECT: found[1],
    }


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _limited(reached: LimitReached) -> Refusal:
    return Refusal(429, "LimitReached", str(reached), retry_after_s=reached.data.get("retry_after_s") or 0)
