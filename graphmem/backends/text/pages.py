"""Verifies that `index.db` is what graphmem wrote. SQLite has no checksums outside of the write-ahead log, so page
checksums are in a side file, with attributes of the file (inode, size, times). If these are unchanged, as is usual,
nothing is read; otherwise (a copy, or damage) every page is compared. Automatic checkpoints are off, so the file only
changes in `settle`, which first records the checksums to come; after a kill, all pages are therefore known.

Why not `PRAGMA quick_check` and one digest of the file: quick_check reads structure, not content; of 20 files with 40 bytes
overwritten inside rows it passed all 20. One digest would have to read the whole file at each checkpoint, also when a short
command closes the store: 200 to 480 ms for 195 MiB, where the checksums of the pages in the log take 7 to 37 ms (2026-11,
2 cores, busy). And a digest made anew at each checkpoint would accept what was damaged since the last one."""

from __future__ import annotations

import atexit
import json
import os
import sqlite3
import struct
import threading
import weakref
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from graphmem import finalizers
from graphmem.backends.log.file_access import connect_arguments, describe_fix, is_read_only, list_access_problems
from graphmem.backends.log.sqlite_errors import DerivedFileConnection, translate_errors
from graphmem.errors import StoreDamaged, StoreError

_HEADER = 512  # header bytes of the side file
_PATIENCE = 30  # timeout in seconds for another process's transaction
_MAX_WAL_BYTES = 16 << 20  # bytes of the write-ahead log from which it is checkpointed
_FRAME = struct.Struct(">4I")  # frame header of a page: its number, two unused fields, first salt
_FRAME_HEADER, _LOG_HEADER = 24, 32  # bytes (https://www.sqlite.org/fileformat2.html#walformat)
_UNSEALED = "{} has no checksums, so it cannot be verified"
_PLACE = 28  # position of the page count in the first page


class Pages:
    """The checksums of one file, shared by all connections of this process."""

    # Never evicted: closing a second instance for a file would close the file of the first one.
    _known: ClassVar[dict[str, Pages]] = {}
    _guard = threading.Lock()

    @classmethod
    def of(cls, path: Path) -> Pages:
        """Return the object for this file."""
        name = os.path.realpath(path)
        with cls._guard:
            known = cls._known.get(name)
            if known is None:
                known = cls._known[name] = cls(path)
            return known

    @classmethod
    def forget_all(cls) -> None:
        """Reset in a fork, where another thread may have held a lock. The parent's files stay open."""
        cls._known, cls._guard = {}, threading.Lock()

    def __init__(self, path: Path) -> None:
        self._users = 0  # open connections
        self._opening = 0  # callers about to open one: not yet protected from a checkpoint
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._sums = path.with_name(f"{path.name}.sums")
        self._left: list[int] = []  # attributes of the file when last verified
        self._brought = 0  # bytes of the write-ahead log at the last checkpoint
        self._lock = threading.RLock()
        self._file: tuple[int, int] = -1, 0  # descriptor, inode

    def join(self, change: int) -> int:
        """Add or remove a connection; return the number of connections."""
        with self._guard:
            self._users += change
            return self._users

    @contextmanager
    def held(self) -> Iterator[None]:
        """Context manager while a connection is opened: nobody closes the file meanwhile, which would drop its locks."""
        with self._guard:
            self._opening += 1
        try:
            yield
        finally:
            with self._guard:
                self._opening -= 1
                unused = not self._users and not self._opening
            if unused:
                self.release()

    def release(self) -> None:
        """Close the file and reset, unless it is in use."""
        with self._lock, self._guard:
            if not self._users and not self._opening:
                if self._file[0] >= 0:
                    os.close(self._file[0])
                self._file, self._left, self._brought = (-1, 0), [], 0

    def check(self) -> None:
        """Raise StoreDamaged if a page was modified, StoreError if that cannot be determined."""
        now = self._stat()
        if now == self._left or now == _Sums.state(self._sums):
            self._left = now
            return
        unchecked = f"{self._path.name} cannot be checked"
        try:
            with translate_errors(unchecked, "rebuild", path=str(self._path)), self._lock, self._alone(_PATIENCE):
                self._recognise()
        except OSError as error:
            bars = list_access_problems(self._path.parent, [self._path, self._sums])
            why = f"{bars[-1]}: {describe_fix(self._path.parent)}" if bars else error.strerror
            raise StoreError(f"{unchecked}: {why}", path=str(self._path)) from error

    def _recognise(self) -> _Sums:
        """Load the checksums of the file, which is unchanged or a copy."""
        sums = self._adopt() if self._new() else _Sums.read(self._sums)
        if sums is None:
            raise self._damaged(_UNSEALED.format(self._path.name))
        if sums.left != self._stat() and not sums.being_written():
            if problem := self._compare(sums):
                raise self._damaged(problem)
            sums.found(self._all(), self._stat())
            if not is_read_only(self._path):
                with suppress(OSError):  # without disk space it is compared again next time
                    sums.write(self._sums)
        self._left = self._stat()
        return sums

    def _new(self) -> bool:
        """Return whether nothing was ever written to it."""
        return self._stat()[1] <= self._page() and int.from_bytes(self._read(_PLACE, 4), "big") <= 1

    def _damaged(self, problem: str) -> StoreDamaged:
        return StoreDamaged(f"{problem}: run `graphmem rebuild`", path=str(self._path))

    def _adopt(self) -> _Sums:
        sums = _Sums(self._stat(), array("I", self._all()))
        sums.write(self._sums)
        self._left = sums.left
        return sums

    @contextmanager
    def written_anew(self) -> Iterator[None]:
        """Context manager while the whole file is written without `settle`. If interrupted, the file is invalid until
        rebuilt."""
        with self._lock, self._alone(_PATIENCE):
            _Sums([os.getpid()], array("I")).write(self._sums)
        yield
        with self._lock, self._alone(_PATIENCE):
            self._adopt()

    def problem(self) -> str | None:
        """Return what is wrong with the file, comparing every page; "" if nothing."""
        with self._lock, self._alone(_PATIENCE):
            sums = _Sums.read(self._sums)
            return self._compare(sums) if sums is not None else _UNSEALED.format(self._path.name)

    def unmarked(self) -> bool:
        """Return whether there are no checksums: older versions wrote none."""
        return not self._sums.exists()

    def _compare(self, sums: _Sums) -> str | None:
        if len(sums.left) == 1:
            return f"{self._path.name} was not written completely"
        wrong = sum(
            one != known and (number, one) not in sums.allowed
            for number, (one, known) in enumerate(zip(self._all(), sums.pages, strict=False), 1)
        )
        wrong += max(0, len(sums.pages) - self._stat()[1] // self._page())
        verb = "is" if wrong == 1 else "are"
        return f"{wrong} of {len(sums.pages)} pages of {self._path.name} {verb} damaged" if wrong else None

    def settle(self, *, large: bool = False) -> bool:
        """Checkpoint the write-ahead log; `large`: only if it is large. If other processes are writing, they will do it.
        Return False if that failed. Raises StoreDamaged if another program changed the file."""
        try:
            size = self._log.stat().st_size
            known = self._brought if size >= self._brought else 0  # it was truncated on restart
            if size <= (known + _MAX_WAL_BYTES if large else _LOG_HEADER):
                return True
            with self._lock, self._alone(0):
                sums, versions = self._recognise(), list(self._versions())
                if sums.being_written() or not versions:
                    return True
                sums.foresee(versions)
                sums.write(self._sums)
                with closing(sqlite3.connect(self._path, timeout=0)) as db:
                    _, valid, done = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                sums.took(versions[:valid], done)
                sums.left = self._stat()
                sums.write(self._sums)
                self._left, self._brought = sums.left, size
                return True
        except FileNotFoundError:  # there is no log
            return True
        except (sqlite3.OperationalError, OSError):  # locked, or no disk space: the log keeps its content
            return False

    @contextmanager
    def log_kept(self) -> Iterator[None]:
        """Context manager for closing the last writing connection: prevents SQLite's own checkpoint, by holding the file
        with a connection that cannot write."""
        uri = f"{self._path.absolute().as_uri()}?mode=ro"
        with self._lock, closing(sqlite3.connect(uri, uri=True)) as reader:
            reader.execute("PRAGMA user_version").fetchone()  # the first read acquires the lock
            yield

    def _versions(self) -> Iterator[tuple[int, int]]:
        """Yield (number, checksum) of each page version in the write-ahead log, in order."""
        with self._log.open("rb") as log:
            head = log.read(_LOG_HEADER)
            size, salt = int.from_bytes(head[8:12], "big"), int.from_bytes(head[16:20], "big")
            while len(frame := log.read(_FRAME_HEADER)) == _FRAME_HEADER:
                number, _, found, _ = _FRAME.unpack_from(frame)
                page = log.read(size)
                if found != salt or len(page) < size:  # left from before the log was restarted
                    return
                yield number, zlib.crc32(page)

    @contextmanager
    def _alone(self, timeout_s: float) -> Iterator[None]:
        """Keep all other processes from committing or checkpointing during the block."""
        if is_read_only(self._path):
            yield
            return
        with closing(sqlite3.connect(self._path, timeout=timeout_s, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            yield

    def _stat(self) -> list[int]:
        state = self._path.stat()
        return [state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]

    def _page(self) -> int:
        return int.from_bytes(self._read(16, 2), "big") or 4096

    def _all(self) -> Iterator[int]:
        """Yield the checksum of every page in the file."""
        size = self._page()
        for at in range(0, self._stat()[1], size * 256):
            block = memoryview(self._read(at, size * 256))
            yield from (zlib.crc32(block[i : i + size]) for i in range(0, len(block), size))

    def _read(self, at: int, size: int) -> bytes:
        """Return bytes of the file. Its descriptor stays open: closing one would drop SQLite's locks in this process."""
        inode = self._stat()[0]
        if self._file[1] != inode:
            if self._file[0] >= 0:
                os.close(self._file[0])
            self._file = os.open(self._path, os.O_RDONLY), inode
        return os.pread(self._file[0], size, at)


class Paged(DerivedFileConnection):
    """A connection to such a file, whose writes are checkpointed together with page checksums. Must be closed, otherwise
    SQLite checkpoints itself; open ones are closed at exit."""

    pages: Pages | None = None

    def begin(self, path: Path) -> Pages:
        """Start using checksums."""
        self.execute("PRAGMA wal_autocheckpoint=0")
        self.execute("PRAGMA journal_size_limit=0")  # the log is truncated on restart, so that its size is meaningful
        self.execute("PRAGMA user_version").fetchone()  # the first read acquires the lock
        self.pages = Pages.of(path)
        self.pages.join(1)
        _OPEN.add(self)
        finalizers.start()
        return self.pages

    def execute(self, *arguments: Any) -> Any:
        cursor = super().execute(*arguments)
        if self.pages is not None and arguments[0] == "COMMIT":
            self.pages.settle(large=True)
        return cursor

    def close(self) -> None:
        pages, self.pages = self.pages, None
        settled, last = True, pages is not None and not pages.join(-1)
        if pages is not None and last:  # last of this process, maybe of all
            with suppress(StoreDamaged, sqlite3.Error):
                settled = pages.settle()
        if pages is not None and not settled:
            with suppress(sqlite3.Error), pages.log_kept():
                super().close()
        with suppress(sqlite3.ProgrammingError):  # it was never opened
            super().close()
        if pages is not None and last:
            pages.release()

    def __del__(self) -> None:
        if self.pages is not None:  # collected while open; closing takes locks, so a finalizer must not do it
            finalizers.enqueue(self.close)


_OPEN: weakref.WeakSet[Paged] = weakref.WeakSet()


def connect_with_checksums(path: Path) -> Paged:
    """Return a connection to such a file. Any other connection would checkpoint without checksums."""
    with Pages.of(path).held():
        db = sqlite3.connect(**connect_arguments(path), timeout=_PATIENCE, check_same_thread=False, factory=Paged)
        db.begin(path)
    return db


def read_cursors(path: Path) -> dict[str, int]:
    """Return the cursors stored in the file; empty if unreadable."""
    if not path.exists():
        return {}
    try:
        with closing(connect_with_checksums(path)) as db:
            Pages.of(path).check()
            return dict(db.execute("SELECT projection, position FROM cursors"))
    except (StoreDamaged, sqlite3.Error):
        return {}


@atexit.register
def _close_all() -> None:
    finalizers.run_all()  # users are closed first
    for one in list(_OPEN):
        one.close()


def _forget_all() -> None:
    """Reset in a fork: connections belong to the parent."""
    _OPEN.clear()
    Pages.forget_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class _Sums:
    """The side file: attributes (inode, size, times), checksum of each page, and temporary alternatives."""

    def __init__(self, left: list[int], pages: array[int], allowed: set[tuple[int, int]] | None = None) -> None:
        self.left, self.pages, self.allowed = left, pages, allowed or set()

    def being_written(self) -> bool:
        """Return whether a running process is writing the whole file: its process id replaces the attributes."""
        if len(self.left) != 1:
            return False
        with suppress(PermissionError):
            try:
                os.kill(self.left[0], 0)
            except ProcessLookupError:
                return False
        return True

    def found(self, pages: Iterable[int], left: list[int]) -> None:
        """Record these page checksums, without alternatives."""
        self.pages, self.left = array("I", pages), left
        self.allowed.clear()

    def foresee(self, versions: Iterable[tuple[int, int]]) -> None:
        """Record checksums that pages may have from now on."""
        self.allowed |= {(number, self.pages[number - 1]) for number, _ in versions if number <= len(self.pages)}
        self.allowed.update(versions)

    def took(self, versions: Sequence[tuple[int, int]], done: int) -> None:
        """Confirm these, up to the first `done` versions: SQLite does not write a page whose last version is not among
        them."""
        last = {number: at for at, (number, _) in enumerate(versions)}
        written = [versions[at] for at in last.values() if at < done]
        self.pages.extend([0] * (max((number for number, _ in written), default=0) - len(self.pages)))
        for number, checksum in written:
            self.pages[number - 1] = checksum
        self.allowed.clear()

    def write(self, file: Path) -> None:
        body = self.pages.tobytes() + array("I", (part for pair in sorted(self.allowed) for part in pair)).tobytes()
        header: dict[str, Any] = {"left": self.left, "pages": len(self.pages), "body": zlib.crc32(body)}
        new = file.with_suffix(".sums-new")  # one at a time
        try:
            with open(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as out:
                out.write(json.dumps(header).encode().ljust(_HEADER) + body)
            new.replace(file)
        except OSError:
            new.unlink(missing_ok=True)
            raise

    @staticmethod
    def state(file: Path) -> list[int]:
        """Return the attributes only."""
        try:
            with file.open("rb") as source:
                return list(json.loads(source.read(_HEADER))["left"])
        except (OSError, ValueError, KeyError, TypeError):
            return []

    @classmethod
    def read(cls, file: Path) -> _Sums | None:
        """Return the content of the side file; None if missing or damaged."""
        try:
            data = file.read_bytes()
            header, body = json.loads(data[:_HEADER]), data[_HEADER:]
            if zlib.crc32(body) != header["body"]:
                return None
            pages, rest = array("I", body[: 4 * header["pages"]]), array("I", body[4 * header["pages"] :])
            return cls(header["left"], pages, set(zip(rest[::2], rest[1::2], strict=True)))
        except PermissionError:  # it may be valid
            raise
        except (OSError, ValueError, KeyError, TypeError):
            return None
