"""Which stores of this machine are connected to a shared server: one small file for each, outside of the store, so that a store
that came from elsewhere sends nothing anywhere."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from graphmem import settings
from graphmem.errors import NotFound, StoreError

MEMORIES, ALL = "memories", "all"
_FOLDER = "team"
_PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection of a store. `send` is what is sent: explicit memories, or also the turns of conversations. `position` is the
    last event of the local log that the server has; `error` is why the last attempt failed, "" if it did not."""

    store: str
    url: str
    project: str
    account: str
    token: str
    send: str = MEMORIES
    visibility: str = "private"
    position: int = 0
    error: str = ""

    @property
    def address(self) -> str:
        """Return the address of the project on the server."""
        return f"{self.url.rstrip('/')}/p/{self.project}"


def _file(store: Path) -> Path:
    name = hashlib.sha256(str(store.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return settings.stores_home() / _FOLDER / f"{name}.json"


def find_connection(store: Path) -> Connection | None:
    """Return the connection of a store, or None. Raises StoreError if its file cannot be read."""
    file = _file(store)
    try:
        return Connection(**json.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"{file} cannot be read ({error}): `graphmem team connect` again", path=str(file)) from error


def require_connection(store: Path) -> Connection:
    """Return the connection of a store. Raises NotFound if there is none."""
    found = find_connection(store)
    if found is None:
        raise NotFound("this store is connected to no shared server: `graphmem team connect URL`", store=str(store))
    return found


def save_connection(connection: Connection) -> None:
    """Write a connection, readable by its user alone."""
    file = _file(Path(connection.store))
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = file.with_suffix(f".{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
            json.dump(asdict(connection), out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def update_connection(store: Path, **changes: Any) -> None:
    """Change a connection, unless it was removed meanwhile."""
    found = find_connection(store)
    if found is not None and replace(found, **changes) != found:
        save_connection(replace(found, **changes))


def remove_connection(store: Path) -> bool:
    """Remove the connection of a store; return whether there was one."""
    file = _file(store)
    existed = file.exists()
    file.unlink(missing_ok=True)
    return existed


@contextmanager
def sending(store: Path) -> Iterator[bool]:
    """Context manager: the right to send for a store; False if another process sends for it."""
    from filelock import FileLock, Timeout

    file = _file(store).with_suffix(".lock")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(file, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
