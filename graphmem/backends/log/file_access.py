"""Handles read-only and unreadable stores. SQLite must be told, because it would look for side files; the files are read
as they are. Also explains what is wrong and how to fix it."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphmem.errors import StoreError

REMEDY = "copy the store to a writable folder and open it there"

ROOM = 32 << 20  # free bytes of a disk that is not full

LOST = "{} was moved, deleted or replaced while it was open: close it (or stop the server) and open it again"


def inode_of(path: Path) -> int:
    """Return an identifier of a file that changes when it is replaced; 0 if it does not exist."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def is_disk_full(folder: Path) -> bool:
    """Return whether the disk of a folder has no space for a larger write."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < ROOM


def is_read_only(path: Path) -> bool:
    """Return whether a file exists and nothing can be written next to it."""
    return not os.access(path.parent, os.W_OK) and path.exists()


def connect_arguments(path: Path) -> dict[str, Any]:
    """Return SQLite's arguments for opening a file. Raises StoreError for a read-only one that is incomplete without its
    side files."""
    if not is_read_only(path):
        return {"database": path}
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path.name} was not closed cleanly, and is not writable: {REMEDY}", path=str(path))
    return {"database": f"{path.absolute().as_uri()}?immutable=1", "uri": True}


def list_access_problems(store: Path, files: Iterable[Path] | None = None) -> list[str]:
    """Return what this user cannot read or write in a store, one clause each."""
    if not os.access(store, os.R_OK | os.X_OK):
        return [f"{store} cannot be read by this user"]
    found = [] if (writable := os.access(store, os.W_OK)) else [f"{store} is read-only"]
    for file in sorted(path for path in (store.iterdir() if files is None else files) if path.is_file()):
        if not os.access(file, os.R_OK):
            found.append(f"{file.name} cannot be read by this user")
        elif writable and not os.access(file, os.W_OK):
            found.append(f"{file.name} cannot be written by this user")
    return found


def describe_fix(store: Path) -> str:
    """Return how to fix it."""
    try:
        if os.statvfs(store).f_flag & os.ST_RDONLY:
            return REMEDY
    except OSError:  # not even its folder can be entered
        return f"give this user access to the folders of {shlex.quote(str(store))}, or {REMEDY}"
    seen = os.access(store, os.R_OK | os.X_OK)
    files = [file for file in store.iterdir() if file.is_file()] if seen else []
    own = {file.stat().st_uid for file in (store, *files)} <= {os.getuid()}
    path = shlex.quote(str(store))
    rights = f"run `{f'chmod -R u+rwX {path}' if own else f'sudo chown -R {os.getuid()} {path}'}`"
    return f"{rights}, or {REMEDY}" if seen and all(os.access(file, os.R_OK) for file in files) else rights


def explain_sqlite_error(error: sqlite3.Error, file: Path) -> str:
    """Return the missing permission behind an SQLite error, and the fix; otherwise ""."""
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return LOST.format(file.name)
    if code is None or code & 0xFF not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return ""
    about = list_access_problems(file.parent, [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm")])
    first = min(about, key=lambda clause: "cannot be read" not in clause, default="")
    return first and f"{first}: {describe_fix(file.parent)}"
