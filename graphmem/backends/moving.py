"""Moves the folder of a store. On the same disk that is one rename; to another disk every file is copied and compared before the
old ones go. Hooks may write at any moment: nothing that they record is lost, at the worst it is refused."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import shutil
import sqlite3
from pathlib import Path

from graphmem.backends.remote import client, place
from graphmem.errors import StoreError

_LOG = "log.db"
_FROZEN = Path(__file__).parent / "log" / "moved.sql"
_PATIENCE = 30.0  # seconds for whoever writes to the log now
_OWN = (f"{place.CARD}*", place.LOCK)  # of the place, not of the store


def move(old: Path, target: Path) -> int:
    """Move a store that is closed here, and leave a link in its place. Returns the bytes that were copied, 0 for a rename.
    Raises StoreBusy while another program has the graph open, StoreError where the copy is not the same; then the store
    stays where it was."""
    spot, source, copied = old.absolute(), old.resolve(), 0
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = client.dismiss(source)
    try:
        if target.exists():
            target.rmdir()
        try:
            source.rename(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            copied = _copied(source, target)
        _linked(spot, source, target)
    finally:
        lock.release()
    return copied


def _copied(source: Path, target: Path) -> int:
    """Copy everything, the log last and while nobody writes to it; then refuse what would still be written to the old
    one. Returns the number of bytes."""
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    log = contextlib.closing(sqlite3.connect(source / _LOG, timeout=_PATIENCE, isolation_level=None))
    try:
        shutil.copytree(source, part, ignore=shutil.ignore_patterns(*_OWN, f"{_LOG}*"))
        with log as connection:
            connection.execute("BEGIN IMMEDIATE")
            for file in sorted(source.glob(f"{_LOG}*")):
                if not file.name.endswith("-shm"):  # made again by whoever opens it
                    shutil.copy2(file, part)
            size = _same(source, part)
            part.chmod(0o700)
            part.rename(target)
            connection.execute(_FROZEN.read_text("utf-8"))
            connection.execute("COMMIT")
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    aside = source.with_name(f"{source.name}.moved")
    source.rename(aside)
    shutil.rmtree(aside)
    return size


def _same(source: Path, copy: Path) -> int:
    """The bytes of a copy. Raises StoreError for a file that is not what it was copied from."""
    size = 0
    for file in sorted(path for path in copy.rglob("*") if path.is_file()):
        name = file.relative_to(copy)
        if _digest(file) != _digest(source / name):
            raise StoreError(
                f"{name} was not copied as it is: the store stays at {source}, try again", path=str(source)
            )
        size += file.stat().st_size
    return size


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _linked(spot: Path, source: Path, target: Path) -> None:
    """Where the store was found, a link to where it is: repositories, hooks and settings of agents name the old place."""
    if spot.is_symlink():
        spot.unlink()
    for old in dict.fromkeys((source, spot)):
        try:
            old.symlink_to(target, target_is_directory=True)
        except FileExistsError as error:
            hint = f"a new store began at {old} meanwhile: export it, merge it into {target}, and put a link there"
            raise StoreError(hint, path=str(old)) from error
