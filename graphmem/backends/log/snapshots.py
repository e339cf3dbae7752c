"""Snapshots of a store's projections on the PostgreSQL server of its log: a machine without any starts with the newest one, and
projects what came after it. A snapshot counts only with a key that its maker and its reader share, because databases and graph
files of a stranger are not safe to open."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from graphmem.backends.log.postgresql import lock_number
from graphmem.backends.log.server_connection import ServerConnection, open_snapshot
from graphmem.backends.log.server_url import parse_log_url
from graphmem.errors import StoreBusy, StoreDamaged, StoreError, UsageError

KEY = "GRAPHMEM_SNAPSHOT_KEY"  # variable of the environment
_LEAST_KEY = 16  # characters
_PART = 1 << 20  # bytes of a row
_MOST = 64 << 30  # bytes of a snapshot
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,120}")
# What belongs to a place or a person, not to the projections.
_LEFT_OUT = ("owner.*", "*.lock", "settings.toml", "*-wal", "*-shm", "copy-*", "fresh-*", "*.log", "*.new", "*.part")
_TABLES = (
    "CREATE TABLE IF NOT EXISTS snapshots(number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, position BIGINT NOT NULL,"
    " form TEXT NOT NULL, bytes BIGINT NOT NULL, tag BYTEA NOT NULL);"
    "CREATE TABLE IF NOT EXISTS snapshot_parts(snapshot BIGINT NOT NULL REFERENCES snapshots(number) ON DELETE CASCADE,"
    " part BIGINT NOT NULL, body BYTEA NOT NULL, PRIMARY KEY(snapshot, part))"
)
# What is forgotten is not published again: who purges empties these tables after the tombstone.
_FORGOTTEN = "SELECT 1 FROM events WHERE type IN ('memory_forgotten', 'log_merged') AND position > ? LIMIT 1"


class Snapshot(NamedTuple):
    """A snapshot: the last event in it, and its size."""

    position: int
    bytes: int


def snapshot_key() -> bytes | None:
    """Return the key of this machine, or None. Raises UsageError for one that can be guessed."""
    text = os.environ.get(KEY, "")
    if not text:
        return None
    if len(text) < _LEAST_KEY:
        raise UsageError(f"{KEY} must have at least {_LEAST_KEY} characters")
    return hashlib.sha256(text.encode()).digest()


def publish_snapshot(url: str, store: Path, form: str, position: int, key: bytes) -> Snapshot:
    """Store the files of a closed store, with all events up to a position, in place of the earlier snapshot of this form. Raises
    StoreBusy if something was forgotten since, StoreError."""
    place = parse_log_url(url)
    server = ServerConnection(place)
    try:
        with TemporaryFile(dir=store) as packed:
            _pack(store, packed)
            size = packed.tell()
            tag = _tag(packed, key, form, position)
            with server.transaction(lock_number(place, "snapshot")):
                for statement in _TABLES.split(";"):
                    server.execute(statement)
                if server.execute(_FORGOTTEN, (position,)).fetchone():
                    raise StoreBusy("something was forgotten meanwhile: the snapshot is made again later")
                server.execute("DELETE FROM snapshots WHERE form = ?", (form,))
                (number,) = server.execute(
                    "INSERT INTO snapshots(position, form, bytes, tag) VALUES (?, ?, ?, ?) RETURNING number",
                    (position, form, size, tag),
                ).fetchone()
                packed.seek(0)
                for part, body in enumerate(iter(lambda: packed.read(_PART), b"")):
                    server.execute("INSERT INTO snapshot_parts VALUES (?, ?, ?)", (number, part, body))
    finally:
        server.close()
    return Snapshot(position, size)


def fetch_snapshot(url: str, store: Path, form: str, key: bytes) -> Snapshot | None:
    """Unpack the newest snapshot of this form into an empty folder; None if there is none. Raises StoreDamaged for one that was not
    made with this key."""
    place = parse_log_url(url)
    with ServerConnection(place).translate_errors(), open_snapshot(place) as db:
        if db.execute("SELECT to_regclass('snapshots') IS NOT NULL").fetchone() != (True,):
            return None
        found = db.execute(
            "SELECT number, position, bytes, tag FROM snapshots WHERE form = ? ORDER BY number DESC LIMIT 1", (form,)
        ).fetchone()
        if found is None:
            return None
        number, position, size, tag = found
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=store) as packed:
            parts = db.execute("SELECT body FROM snapshot_parts WHERE snapshot = ? ORDER BY part", (number,))
            for (body,) in parts:
                packed.write(body)
                if packed.tell() > min(size, _MOST):
                    break
            if packed.tell() != size or _tag(packed, key, form, position) != bytes(tag):
                raise StoreDamaged(
                    f"the snapshot on the PostgreSQL server ({place.name}) was not made with the key in {KEY}, or was changed",
                    path=str(store),
                )
            packed.seek(0)
            _unpack(packed, store)
    return Snapshot(position, size)


def _files(store: Path) -> Iterator[Path]:
    for file in sorted(store.iterdir()):
        if file.is_file() and not file.is_symlink() and not any(fnmatch(file.name, one) for one in _LEFT_OUT):
            yield file


def _pack(store: Path, out: IO[bytes]) -> None:
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=3) as archive:
        for file in _files(store):
            archive.add(file, file.name)


def _unpack(source: IO[bytes], store: Path) -> None:
    with tarfile.open(fileobj=source, mode="r:gz") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and _NAME.fullmatch(member.name) else None
            if content is None:
                raise StoreError(f"the snapshot has something that is no file of a store: {member.name[:80]!a}")
            target = os.open(store / member.name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(target, "wb") as out:
                while block := content.read(_PART):
                    out.write(block)


def _tag(packed: IO[bytes], key: bytes, form: str, position: int) -> bytes:
    """Return the authentication tag of a packed store."""
    made = hashlib.blake2b(f"{form}\0{position}\0".encode(), key=key, digest_size=32)
    packed.seek(0)
    while block := packed.read(_PART):
        made.update(block)
    return made.digest()
