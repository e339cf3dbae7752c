"""Locates the owner of a store: a lock that it holds while it runs, and a socket in the user's runtime directory (socket
paths are limited to 108 bytes)."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
import stat
import struct
import tempfile
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphmem.backends.log.file_access import describe_fix
from graphmem.errors import StoreError

LOCK, STARTING, ENDPOINT_FILE, LOG = "owner.lock", "owner.starting", "owner.json", "log.db"
_LONGEST = 100


def runtime_folder() -> Path:
    """Return a directory that only this user can access. Raises StoreError if another user created it."""
    named = os.environ.get("XDG_RUNTIME_DIR")
    for folder in (
        *([Path(named) / "graphmem"] if named else []),
        Path(tempfile.gettempdir()) / f"graphmem-{os.getuid()}",
    ):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = folder.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and len(str(folder)) < _LONGEST - 24:
            folder.chmod(0o700)
            return folder
    raise StoreError("there is no private directory for the socket: set XDG_RUNTIME_DIR")


def socket_path(store: Path) -> Path:
    """Return the socket of a store's owner."""
    return runtime_folder() / (hashlib.sha256(str(store.resolve()).encode()).hexdigest()[:16] + ".sock")


def settings_state(store: Path) -> int:
    """Return a value that changes when the settings of a store are written; 0 if there are none."""
    try:
        return (store / "settings.toml").stat().st_mtime_ns
    except OSError:
        return 0


def claim_ownership(store: Path) -> FileLock | None:
    """Return the ownership lock, or None while another process holds it. It is released when its process ends."""
    lock = FileLock(store / LOCK, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    except OSError as error:
        raise _unwritable(store, LOCK, error) from error
    return lock


def claim_start(store: Path) -> int | None:
    """Return an open file that holds the right to start the owner process, or None while another one starts or runs. The
    process inherits the file, so the right ends with it, however it ends."""
    try:
        file = os.open(store / STARTING, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unwritable(store, STARTING, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


def _unwritable(store: Path, name: str, error: OSError) -> StoreError:
    reason = (error.strerror or str(error)).lower()
    return StoreError(f"{name} cannot be written ({reason}): {describe_fix(store)}", store=str(store))


def write_endpoint(store: Path, endpoint: dict[str, Any]) -> None:
    """Write how clients reach the owner: pid, version, kind, socket, token. Only this user can read the file."""
    for left in store.glob(f"{ENDPOINT_FILE}.*"):  # of an owner that ended while it wrote
        left.unlink(missing_ok=True)
    temporary = store / f"{ENDPOINT_FILE}.{os.getpid()}"
    try:
        with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            json.dump(endpoint, out)
        temporary.replace(store / ENDPOINT_FILE)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def read_endpoint(store: Path) -> dict[str, Any]:
    """Return how clients reach the last owner, without its token; empty if there is none."""
    return {name: value for name, value in _load_endpoint(store).items() if name != "token"}


def read_token(store: Path) -> str:
    """Return the token for the handshake with the last owner, or ""."""
    token = _load_endpoint(store).get("token")
    return token if isinstance(token, str) else ""


def _load_endpoint(store: Path) -> dict[str, Any]:
    try:
        endpoint = json.loads((store / ENDPOINT_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return endpoint if isinstance(endpoint, dict) else {}


def is_same_user(connection: socket.socket) -> bool:
    """Return whether the process at the other end belongs to this user, as far as the system tells."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return bool(user == os.getuid())
