"""Authentication: tokens for programs, sessions for browsers. A session starts with a one-time link, or with a token
in the login form. Sessions are kept in memory of this server process and expire. This module does not depend on HTTP
requests."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from graphmem.interfaces.http.tokens import Tokens

IDLE_S = 2 * 3600.0  # an open page keeps its session alive
LONGEST_S = 12 * 3600.0
_KEY_S = 12 * 3600.0
_BYTES = 32
_MAX_SESSIONS = 1_000  # sessions; the least recently used one is dropped


@dataclass(slots=True)
class _Session:
    host: str
    token: str | None  # the token that started it; revoking the token ends the session
    began: float
    used: float


class Access:
    """Tokens, one-time keys and sessions of a running server."""

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = tokens
        self._clock = clock
        self._keys: dict[str, float] = {}
        self._sessions: dict[str, _Session] = {}

    def is_valid_token(self, token: str) -> bool:
        """Return whether this is a valid token."""
        return bool(token) and self._tokens.name_of(token) is not None

    def create_login_key(self) -> str:
        """Create a one-time login key. It appears in a link, and therefore in the browser history."""
        key = secrets.token_urlsafe(_BYTES)
        self._keys[key] = self._clock() + _KEY_S
        return key

    def log_in(self, shown: str, host: str) -> str | None:
        """Start a session with a one-time key, which is consumed, or with a token. Return the session id, or None if
        neither is valid."""
        until = self._keys.pop(shown, None)
        if until is not None:
            return self._begin(host, None) if self._clock() < until else None
        return self._begin(host, shown) if self.is_valid_token(shown) else None

    def knows_session(self, session: str, host: str, *, is_used: bool = True) -> bool:
        """Return whether a session is valid for this host name. This counts as activity, if it `is_used`."""
        found, now = self._sessions.get(session), self._clock()
        if found is None or found.host != host:
            return False
        revoked = found.token is not None and not self.is_valid_token(found.token)
        if revoked or now - found.used > IDLE_S or now - found.began > LONGEST_S:
            del self._sessions[session]
            return False
        if is_used:
            found.used = now
        return True

    def log_out(self, session: str) -> None:
        """End a session."""
        self._sessions.pop(session, None)

    def _begin(self, host: str, token: str | None) -> str:
        now = self._clock()
        if len(self._sessions) >= _MAX_SESSIONS:
            del self._sessions[min(self._sessions, key=lambda name: self._sessions[name].used)]
        session = secrets.token_urlsafe(_BYTES)
        self._sessions[session] = _Session(host, token, now, now)
        return session
