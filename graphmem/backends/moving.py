"""Moves the folder of a store. On the same disk this is one rename; to another disk every file is copied and compared
before the originals are deleted. Hooks may write at any time: nothing they record is lost; at worst it is rejected."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sqlite3
from pathlib import Path

from graphmem.backends.log.moving_log import move_log_to_file, move_log_to_server
from graphmem.backends.remote import client, place
from graphmem.errors import StoreError, UsageError
from graphmem.ports.request import Progress

_LOG = "log.db"
_FROZEN = Path(__file__).parent / "log" / "moved.sql"
_PATIENCE = 30.0  # seconds to wait for a writer of the log
_OWN = (f"{place.ENDPOINT_FILE}*", place.LOCK)  # of the location, not of the store


def move_store(old: Path, target: Path) -> int:
    """Move a closed store and leave a link at the old location. Return the number of copied bytes, 0 for a rename. Raises
    StoreBusy while another program has the graph open, StoreError if the copy differs; then the store stays where it was.
    After a crash at any moment, `finish_move` undoes or completes the move."""
    spot, source, copied = old.absolute(), old.resolve(), 0
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = client.claim_from_daemon(source)
    try:
        if target.exists():
            target.rmdir()
        for each in {source, spot}:
            _link(moving_marker(each), target)
        try:
            source.rename(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            copied = _copied(source, target)
        _linked(spot, source, target)
        _forget(spot, source)
    except BaseException:
        if source.is_dir() and not _frozen(source):
            _forget(spot, source)
        raise
    finally:
        lock.release()
    return copied


def move_log(store: Path, url: str, before: str, progress: Progress) -> int:
    """Move the log of a closed store to a server, or with an empty URL from the one at `before` into the store. Return the number
    of rows, which are equal at both places. Raises StoreBusy while another program has the graph open, StoreError."""
    if bool(url) == bool(before):
        where = "on a server: move it back first, with `graphmem move --log local`" if url else "in the store"
        raise UsageError(f"the log is already {where}")
    lock = client.claim_from_daemon(store)
    try:
        if url:
            return move_log_to_server(store / _LOG, url, progress)
        return move_log_to_file(store / _LOG, before, progress)
    finally:
        lock.release()


def moving_marker(old: Path) -> Path:
    """Return the path of a link next to the old location that exists during a move and points to the new one."""
    return old.with_name(f".{old.name}.moving")


def finish_move(spot: Path) -> None:
    """Complete an interrupted move, or undo it if the store is still at the old location. Does nothing while a move is
    running."""
    source, target = spot.resolve(), moving_marker(spot).readlink()
    if source.is_dir() and source != target.resolve():
        lock = place.claim_ownership(source)
        if lock is None:
            return
        try:
            if not _frozen(source):
                shutil.rmtree(_part(target), ignore_errors=True)
                _forget(spot, source)
                return
            if _part(target).is_dir():  # the copy was complete before the log was closed
                _part(target).rename(target)
            if not (target / _LOG).exists():
                return
            source.rename(_aside(source))
        finally:
            lock.release()
    if target.is_dir():
        for old in {source, spot} - {target}:
            _link(old, target)
            shutil.rmtree(_aside(old), ignore_errors=True)
        _forget(spot, source)


def _forget(*places: Path) -> None:
    for old in places:
        moving_marker(old).unlink(missing_ok=True)


def _copied(source: Path, target: Path) -> int:
    """Copy everything, the log last and while nobody writes to it; then block writes to the old one. Return the number of
    bytes."""
    part = _part(target)
    shutil.rmtree(part, ignore_errors=True)
    log = contextlib.closing(sqlite3.connect(source / _LOG, timeout=_PATIENCE, isolation_level=None))
    try:
        shutil.copytree(source, part, ignore=shutil.ignore_patterns(*_OWN, f"{_LOG}*"))
        with log as connection:
            connection.execute("BEGIN IMMEDIATE")
            for file in sorted(source.glob(f"{_LOG}*")):
                if not file.name.endswith("-shm"):  # recreated by the next process that opens it
                    shutil.copy2(file, part)
            size = _same(source, part)
            part.chmod(0o700)
            connection.execute(_FROZEN.read_text("utf-8"))
            connection.execute("COMMIT")
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    part.rename(target)
    source.rename(_aside(source))
    return size


def _part(target: Path) -> Path:
    """Return the temporary path of a copy."""
    return target.with_name(f"{target.name}.part")


def _aside(source: Path) -> Path:
    """Return the folder where the files of a copied store wait for deletion."""
    return source.with_name(f"{source.name}.moved")


def _frozen(store: Path) -> bool:
    """Return whether the log of a store was closed because a copy replaced it."""
    if not (store / _LOG).exists():
        return False
    with contextlib.closing(sqlite3.connect(store / _LOG)) as log:
        return bool(log.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'moved'").fetchone())


def _same(source: Path, copy: Path) -> int:
    """Return the number of bytes of a copy. Raises StoreError if a file differs from its original."""
    size = 0
    for file in sorted(path for path in copy.rglob("*") if path.is_file()):
        name = file.relative_to(copy)
        if _digest(file) != _digest(source / name):
            raise StoreError(
                f"{name} was not copied correctly: the store is still at {source}, try again", path=str(source)
            )
        size += file.stat().st_size
    return size


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _linked(spot: Path, source: Path, target: Path) -> None:
    """Create a link at the old location: repositories, hooks and agent settings refer to it."""
    for old in {source, spot}:
        try:
            _link(old, target)
        except OSError as error:
            hint = f"a new store was created at {old} meanwhile: export it, merge it into {target}, and create a link there"
            raise StoreError(hint, path=str(old)) from error
    shutil.rmtree(_aside(source), ignore_errors=True)


def _link(place: Path, target: Path) -> None:
    """Create or replace a link atomically."""
    new = place.with_name(f".{place.name}.{os.getpid()}.link")
    new.unlink(missing_ok=True)
    new.symlink_to(target, target_is_directory=True)
    try:
        new.replace(place)
    except OSError:
        new.unlink()
        raise
