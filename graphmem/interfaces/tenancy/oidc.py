"""Logins with an OpenID Connect provider: the authorization code flow with PKCE of the library Authlib, and tokens that the
provider signed, which joserfc checks. An account is found by the claim that `graphmem users link` connected to it; nobody gets an
account by logging in."""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from graphmem.errors import AccessDenied, NotInstalled, StoreError, UsageError
from graphmem.settings import Server, read_secret

START, CALLBACK = "/login/oidc", "/login/oidc/callback"
SECRET = "GRAPHMEM_OIDC_SECRET"
_TIMEOUT_S = 10.0
_PENDING_S = 600.0  # seconds that a login at the provider may take
_MOST_PENDING = 1_000
_KEYS_S = 300.0  # seconds after which keys are fetched again, if a token names an unknown one
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
_LEEWAY_S = 60
_AWAY_S = 30.0  # seconds for which a provider that did not answer is not asked for keys again
_SCOPE = "openid email profile"


class _Pending(NamedTuple):
    """A login that began: when, and the secrets that its answer must match."""

    began: float
    nonce: str
    verifier: str


class Provider:
    """The identity provider of a server. `callback` is the address to which it sends browsers back. Raises UsageError for
    settings that are not complete, NotInstalled without the extra `server`."""

    def __init__(self, settings: Server, callback: str) -> None:
        if not settings.oidc_client:
            raise UsageError("`server.oidc_issuer` needs `server.oidc_client`, the id of this server at the provider")
        if urlsplit(settings.oidc_issuer).scheme != "https" and urlsplit(settings.oidc_issuer).hostname not in (
            "127.0.0.1",
            "localhost",
        ):
            raise UsageError("`server.oidc_issuer` must be an https URL", key="server.oidc_issuer")
        try:
            import joserfc  # noqa: F401
            from authlib.integrations.httpx_client import OAuth2Client
        except ImportError as error:
            raise NotInstalled(
                "logins with a provider need the extra `server`: run `pip install '.[server]'` in the clone of graphmem"
            ) from error
        self._issuer = settings.oidc_issuer.rstrip("/")
        self._client_id = settings.oidc_client
        self._claim = settings.oidc_claim
        self._callback = callback
        self._make_client = OAuth2Client
        self._pending: dict[str, _Pending] = {}
        self._lock = threading.Lock()
        self._found: dict[str, Any] = {}  # the provider's description of itself
        self._keys: tuple[float, Any] = 0.0, None
        self._away_until = 0.0

    def start(self) -> str:
        """Begin a login, and return the address of the provider to send the browser to. Raises StoreError if the provider does
        not answer."""
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        with self._client() as client:
            address, state = client.create_authorization_url(
                self._described("authorization_endpoint"), code_verifier=verifier, nonce=nonce
            )
        now = time.monotonic()
        with self._lock:
            for old in [name for name, one in self._pending.items() if now - one.began > _PENDING_S]:
                del self._pending[old]
            if len(self._pending) >= _MOST_PENDING:
                del self._pending[min(self._pending, key=lambda name: self._pending[name].began)]
            self._pending[state] = _Pending(now, nonce, verifier)
        return str(address)

    def state_of(self, address: str) -> str:
        """Return the state that a provider's address carries; the browser that began the login keeps it."""
        return parse_qs(urlsplit(address).query).get("state", [""])[0]

    def finish(self, query: str, state: str) -> str:
        """Return the subject of a login that the provider answered with this query string. `state` is what the browser kept.
        Raises AccessDenied."""
        given = {name: values[0] for name, values in parse_qs(query).items()}
        with self._lock:
            pending = self._pending.pop(given.get("state", ""), None)
        if pending is None or given.get("state") != state or time.monotonic() - pending.began > _PENDING_S:
            raise AccessDenied("this login was not begun here, or took too long: begin again")
        if "code" not in given:
            raise AccessDenied("the identity provider refused the login")
        with self._client() as client:
            try:
                tokens = client.fetch_token(
                    self._described("token_endpoint"), code=given["code"], code_verifier=pending.verifier
                )
            except Exception as error:  # its errors have no common class
                raise AccessDenied(f"the identity provider refused the login ({type(error).__name__})") from error
        claims = self._claims(str(tokens.get("id_token") or ""))
        if claims is None or claims.get("nonce") != pending.nonce:
            raise AccessDenied("the identity provider sent no valid token for this login")
        return self._subject(claims)

    def subject_of_token(self, token: str) -> tuple[str, float]:
        """Return the subject of a token that the provider signed for this server, and when it expires (seconds since 1970);
        "" if it is not valid now."""
        claims = self._claims(token)
        return (self._subject(claims), float(claims["exp"])) if claims is not None else ("", 0.0)

    def _subject(self, claims: dict[str, Any]) -> str:
        """Return the claim by which accounts are found. An address that the provider did not verify is not one."""
        if self._claim == "email" and claims.get("email_verified") is not True:
            return ""
        found = claims.get(self._claim)
        return found if isinstance(found, str) else ""

    def _claims(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token with a valid signature, issuer, audience and time, or None."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        self._key_set(is_fresh=False)
        registry = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": self._described("issuer")},
            aud={"essential": True, "value": self._client_id},
            exp={"essential": True},
        )
        for is_fresh in (False, True):
            try:
                keys = KeySet.import_key_set(self._key_set(is_fresh=is_fresh))
                decoded = jwt.decode(token, keys, algorithms=_ALGORITHMS)
                registry.validate(decoded.claims)
                return dict(decoded.claims)
            except (JoseError, ValueError):
                continue
        return None

    def _key_set(self, *, is_fresh: bool) -> Any:
        """Return the provider's keys. Unknown tokens make it ask again, but not all the time."""
        at, keys = self._keys
        if keys is None or (is_fresh and time.monotonic() - at > _KEYS_S):
            if time.monotonic() < self._away_until:  # requests do not wait again for a provider that is away
                raise StoreError("the identity provider cannot be reached: try again")
            self._away_until = time.monotonic() + _AWAY_S
            keys = self._get(self._described("jwks_uri"))
            self._keys, self._away_until = (time.monotonic(), keys), 0.0
        return keys

    def _described(self, name: str) -> str:
        if not self._found:
            found = self._get(f"{self._issuer}/.well-known/openid-configuration")
            if str(found.get("issuer", "")).rstrip("/") != self._issuer:
                raise StoreError("the identity provider calls itself by another name: correct `server.oidc_issuer`")
            self._found = found
        return str(self._found[name])

    def _get(self, address: str) -> Any:
        import httpx

        try:
            return httpx.get(address, timeout=_TIMEOUT_S).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise StoreError(f"the identity provider cannot be reached: {error}") from error

    def _client(self) -> Any:
        return self._make_client(
            self._client_id, read_secret(SECRET) or None, scope=_SCOPE, redirect_uri=self._callback, code_challenge_method="S256",
            timeout=_TIMEOUT_S,
        )  # fmt: skip
