"""Access tokens for programs that use the API. A token is shown once, when it is created. The file stores only its
SHA-256 digest, which is sufficient for 256 random bits. Running servers notice changes of the file."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import NotFound, StoreError, UsageError

DEFAULT = "default"
_FILE, _OLD_FILE = "http.tokens.json", "http.token"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX = "graphmem_"  # a prefix that scanners and people recognise
_BYTES = 32
_PATIENCE_S = 10


class Token(NamedTuple):
    """A token: name, digest of its value, and creation time (ISO 8601, UTC)."""

    name: str
    sha256: str
    created: str


class Tokens:
    """The token file in a directory. Safe for concurrent processes."""

    def __init__(self, home: Path) -> None:
        self._file = home / _FILE
        self._old = home / _OLD_FILE
        self._read: tuple[tuple[int, ...], list[Token]] = (), []

    def read(self) -> list[Token]:
        """Return all tokens by name. Raises StoreError if the file cannot be read."""
        if self._old.exists():
            with self._changing():
                pass
        return sorted(self._load())

    def name_of(self, value: str) -> str | None:
        """Return the name of a token value, or None if it is not valid."""
        shown = _digest(value)
        found = [one.name for one in self.read() if secrets.compare_digest(one.sha256, shown)]
        return found[0] if found else None

    def create(self, name: str = DEFAULT) -> str:
        """Create a token and return its value. Raises UsageError if the name is taken or invalid."""
        if not _NAME.fullmatch(name):
            raise UsageError("a token name has up to 64 letters, digits, dots and dashes", name=name)
        with self._changing() as tokens:
            if any(one.name == name for one in tokens):
                raise UsageError(
                    f"the token {name} exists already: choose another name, or rotate or revoke it",
                    name=name,
                )
            return _add(tokens, name)

    def rotate(self, name: str = DEFAULT) -> str:
        """Replace the value of a token and return the new one. The old value becomes invalid immediately. Raises
        NotFound."""
        with self._changing() as tokens:
            _remove(tokens, name)
            return _add(tokens, name)

    def revoke(self, name: str) -> None:
        """Revoke a token. Raises NotFound."""
        with self._changing() as tokens:
            _remove(tokens, name)

    def _load(self) -> list[Token]:
        try:
            state = self._file.stat()
            seen = (state.st_ino, state.st_size, state.st_mtime_ns)
            if seen != self._read[0]:
                rows = json.loads(self._file.read_text("utf-8"))["tokens"]
                self._read = seen, [Token(str(row["name"]), str(row["sha256"]), str(row["created"])) for row in rows]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self._file} cannot be read ({error}): delete it and create the tokens again", path=str(self._file)
            ) from error
        return list(self._read[1])

    @contextmanager
    def _changing(self) -> Iterator[list[Token]]:
        """Yield the tokens as a list; it is written back at the end. Migrates the file of older versions."""
        from filelock import FileLock, Timeout

        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._file.with_suffix(".lock"), timeout=_PATIENCE_S, mode=0o600):
                tokens = self._load()
                if self._old.exists():
                    _take_over(tokens, self._old.read_text("utf-8").strip())
                yield tokens
                self._write(tokens)
                self._old.unlink(missing_ok=True)
        except (OSError, Timeout) as error:
            reason = "another process has locked it" if isinstance(error, Timeout) else error.strerror or str(error)
            raise StoreError(f"{self._file} cannot be written: {reason.lower()}", path=str(self._file)) from error

    def _write(self, tokens: list[Token]) -> None:
        new = self._file.with_suffix(f".{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
                json.dump({"tokens": [one._asdict() for one in sorted(tokens)]}, out, indent=1)
            new.replace(self._file)
        finally:
            new.unlink(missing_ok=True)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


def _add(tokens: list[Token], name: str) -> str:
    value = _PREFIX + secrets.token_urlsafe(_BYTES)
    tokens.append(Token(name, _digest(value), datetime.now(UTC).isoformat(timespec="seconds")))
    return value


def _remove(tokens: list[Token], name: str) -> None:
    if not any(one.name == name for one in tokens):
        known = ", ".join(sorted(one.name for one in tokens)) or "none"
        raise NotFound(f"unknown token {name}; existing tokens: {known}", name=name)
    tokens[:] = [one for one in tokens if one.name != name]


def _take_over(tokens: list[Token], value: str) -> None:
    """Migrate the single plain-text token of older versions: it stays valid until it is rotated."""
    if value and not any(one.name == DEFAULT for one in tokens):
        tokens.append(Token(DEFAULT, _digest(value), datetime.now(UTC).isoformat(timespec="seconds")))
