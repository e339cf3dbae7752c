"""Who may come in: programs with a token, browsers with a session. A session begins with a link that works once, or with a
token typed into the login page; it is known to this server alone, and ends by itself. Nothing here knows of requests."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from graphmem.interfaces.http.tokens import Tokens

IDLE_S = 2 * 3600.0  # a page that is open keeps its session in use
LONGEST_S = 12 * 3600.0
_KEY_S = 12 * 3600.0
_BYTES = 32
_MOST = 1_000  # sessions; the one unused longest gives way


@dataclass(slots=True)
class _Session:
    host: str
    token: str | None  # the token that began it: where that is revoked, it ends
    began: float
    used: float


class Access:
    """Tokens, keys and sessions of one running server."""

    def __init__(self, tokens: Tokens, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = tokens
        self._clock = clock
        self._keys: dict[str, float] = {}
        self._sessions: dict[str, _Session] = {}

    def knows_token(self, shown: str) -> bool:
        """Whether this is a token that is valid now."""
        return bool(shown) and self._tokens.name_of(shown) is not None

    def make_key(self) -> str:
        """Return a new key for one login. It stands in a link, and so in the history of a browser."""
        key = secrets.token_urlsafe(_BYTES)
        self._keys[key] = self._clock() + _KEY_S
        return key

    def log_in(self, shown: str, host: str) -> str | None:
        """Begin a session with a key, which is used up, or with a token. Return its id, or None where neither is valid."""
        until = self._keys.pop(shown, None)
        if until is not None:
            return self._begin(host, None) if self._clock() < until else None
        return self._begin(host, shown) if self.knows_token(shown) else None

    def knows_session(self, session: str, host: str) -> bool:
        """Whether a session is valid under this host name; that counts as its use."""
        found, now = self._sessions.get(session), self._clock()
        if found is None or found.host != host:
            return False
        revoked = found.token is not None and not self.knows_token(found.token)
        if revoked or now - found.used > IDLE_S or now - found.began > LONGEST_S:
            del self._sessions[session]
            return False
        found.used = now
        return True

    def log_out(self, session: str) -> None:
        """End a session."""
        self._sessions.pop(session, None)

    def _begin(self, host: str, token: str | None) -> str:
        now = self._clock()
        if len(self._sessions) >= _MOST:
            del self._sessions[min(self._sessions, key=lambda name: self._sessions[name].used)]
        session = secrets.token_urlsafe(_BYTES)
        self._sessions[session] = _Session(host, token, now, now)
        return session
