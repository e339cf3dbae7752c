"""Files of a store that nobody can write here, on a medium or in a folder that is read-only, or that this user cannot read. SQLite
needs to be told, since it would look for the files beside; what they hold is read as it is. Here is said, too, what is wrong
and what to do; it decides nothing about what may be asked."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphmem.errors import StoreError

REMEDY = "copy the store to a writable folder and open it there"

ROOM = 32 << 20  # bytes that are free on a disk which is not full

LOST = "{} was moved, deleted or replaced while it was open: close it (or stop the server) and open it again"


def inode_of(path: Path) -> int:
    """What tells a file from another that takes its place; 0 where there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def is_disk_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room for a larger write."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < ROOM


def is_read_only(path: Path) -> bool:
    """Whether a file is there, and nothing can be written beside it."""
    return not os.access(path.parent, os.W_OK) and path.exists()


def connect_arguments(path: Path) -> dict[str, Any]:
    """The arguments with which SQLite opens a file. Raises StoreError for a frozen one that is not whole by itself."""
    if not is_read_only(path):
        return {"database": path}
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path.name} was not closed cleanly, and is not writable: {REMEDY}", path=str(path))
    return {"database": f"{path.absolute().as_uri()}?immutable=1", "uri": True}


def list_access_problems(store: Path, files: Iterable[Path] | None = None) -> list[str]:
    """What this user cannot read or write of a store, or of some of its files, one clause each."""
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
    """What to do about it."""
    if os.statvfs(store).f_flag & os.ST_RDONLY:
        return REMEDY
    seen = os.access(store, os.R_OK | os.X_OK)
    files = [file for file in store.iterdir() if file.is_file()] if seen else []
    own = {file.stat().st_uid for file in (store, *files)} <= {os.getuid()}
    path = shlex.quote(str(store))
    rights = f"run `{f'chmod -R u+rwX {path}' if own else f'sudo chown -R {os.getuid()} {path}'}`"
    return f"{rights}, or {REMEDY}" if seen and all(os.access(file, os.R_OK) for file in files) else rights


def explain_sqlite_error(error: sqlite3.Error, file: Path) -> str:
    """What an error of SQLite comes from where that is a right to read or write the file, and what to do; else ""."""
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return LOST.format(file.name)
    if code is None or code & 0xFF not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return ""
    about = list_access_problems(file.parent, [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm")])
    first = min(about, key=lambda clause: "cannot be read" not in clause, default="")
    return first and f"{first}: {describe_fix(file.parent)}"
