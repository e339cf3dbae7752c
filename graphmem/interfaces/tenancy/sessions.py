"""Logins of a shared server: browser sessions of accounts, each with the project and the store that its pages show. Sessions are
kept in memory; with each use, the account or token behind them is looked up again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from graphmem.interfaces.http.access import IDLE_S, LONGEST_S, Access
from graphmem.interfaces.tenancy.accounts import Accounts
from graphmem.interfaces.tenancy.oidc import Provider
from graphmem.interfaces.tenancy.rights import EVERY, Caller, Visibility

_BYTES = 32
_MAX_SESSIONS = 10_000  # the least recently used one is dropped


@dataclass(slots=True)
class Session:
    """A login. `credential` is the id of the token that it began with, "" for one at the identity provider."""

    host: str
    account: str
    id: str
    credential: str
    began: float
    used: float
    project: str = ""
    visibility: Visibility | None = None


class SharedAccess(Access):
    """Tokens and sessions of a shared server, in the form that the guard of requests asks for."""

    def __init__(
        self, accounts: Accounts, provider: Provider | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.accounts = accounts
        self._provider = provider
        self._clock = clock
        self._logins: dict[str, Session] = {}

    def caller_of(self, token: str) -> Caller | None:
        """Return whom a token stands for: one of this server, or one that the identity provider signed for it."""
        caller = self.accounts.caller_with_token(token)
        if caller is None and self._provider is not None and token.count(".") == 2:
            subject, expires = self._provider.subject_of_token(token)
            caller = self.accounts.caller_named(subject=subject) if subject else None
            caller = caller and replace(caller, expires=expires)
        return caller

    def is_valid_token(self, token: str) -> bool:
        """Return whether this is a valid token."""
        return self.caller_of(token) is not None

    def log_in(self, shown: str, host: str) -> str | None:
        """Start a session with a token. Return the session id, or None if the token is not valid."""
        caller = self.accounts.caller_with_token(shown)
        return None if caller is None else self.begin(caller, host)

    def begin(self, caller: Caller, host: str) -> str:
        """Start a session for a caller and return its id."""
        now = self._clock()
        if len(self._logins) >= _MAX_SESSIONS:
            del self._logins[min(self._logins, key=lambda name: self._logins[name].used)]
        id = secrets.token_urlsafe(_BYTES)
        self._logins[id] = Session(
            host, caller.account, caller.id, caller.credential, now, now, self.first_project(caller)
        )
        return id

    def knows_session(self, session: str, host: str, *, is_used: bool = True) -> bool:
        """Return whether a session is valid for this host name. This counts as activity, if it `is_used`."""
        return self.session_of(session, host, is_used=is_used) is not None

    def session_of(self, id: str, host: str, *, is_used: bool = True) -> tuple[Session, Caller] | None:
        """Return a valid session with whom it stands for now, or None."""
        found, now = self._logins.get(id), self._clock()
        if found is None or found.host != host:
            return None
        accounts = self.accounts
        caller = (
            accounts.caller_with_credential(found.credential)
            if found.credential
            else accounts.caller_named(found.account)
        )
        if caller is None or caller.id != found.id or self._is_over(found, now):
            del self._logins[id]
            return None
        if is_used:
            found.used = now
        return found, caller

    def drop_ended(self) -> None:
        """Drop the sessions that ended without a logout."""
        now = self._clock()
        for id in [id for id, session in self._logins.items() if self._is_over(session, now)]:
            del self._logins[id]

    @staticmethod
    def _is_over(session: Session, now: float) -> bool:
        return now - session.used > IDLE_S or now - session.began > LONGEST_S

    def log_out(self, session: str) -> None:
        """End a session."""
        self._logins.pop(session, None)

    def projects_of(self, caller: Caller) -> list[str]:
        """Return the projects that a caller may read."""
        every = self.accounts.projects() if EVERY in caller.rights else ()
        return sorted({*every, *(name for name in caller.rights if name != EVERY)})

    def first_project(self, caller: Caller) -> str:
        """Return the first project of a caller, "" if there is none."""
        return next(iter(self.projects_of(caller)), "")
