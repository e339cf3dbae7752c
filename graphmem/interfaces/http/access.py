"""Who may come in: one token an installation, kept in a file of the user's own, and keys that open the door once. It knows
nothing of requests."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_FILE = "http.token"
_BYTES = 32


class Access:
    """Compares what a caller shows. Keys are for links: a key stands in the history of a browser, so it works once."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._keys: set[str] = set()

    @classmethod
    def of(cls, home: Path) -> Access:
        """The token of this installation, made at the first start. Raises OSError where it cannot be written."""
        file = home / _FILE
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
                out.write(secrets.token_urlsafe(_BYTES))
        except FileExistsError:
            file.chmod(0o600)
        return cls(file.read_text("utf-8").strip())

    def knows(self, shown: str) -> bool:
        """Whether this is the token."""
        return bool(self.token) and secrets.compare_digest(shown.encode("utf-8", "replace"), self.token.encode())

    def key(self) -> str:
        """A new key for one visit."""
        key = secrets.token_urlsafe(_BYTES)
        self._keys.add(key)
        return key

    def spend(self, key: str) -> bool:
        """Whether the key was valid; from now on it is not."""
        if key not in self._keys:
            return False
        self._keys.remove(key)
        return True
