"""The hook spool: input that is not yet in the log. A hook writes its input here first; the process that records it deletes it.
Entries are encrypted with a key in the user's runtime folder, which is in memory (or in the store, readable only by its
user, if the system has no such folder). While the store's disk is full, entries wait in that folder, too. Hooks import
this module, so its own imports are minimal."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

FOLDER = "spool"
DELIVERY = "graphmem_delivery"  # key of a hook's input that names its entry
RECORDED = "graphmem_recorded"  # key of a hook's input that was cut: its entry is recorded later, whole
_ENTRY, _PART, _UNREADABLE = ".hook", ".part", ".lost"
_KEY_SIZE, _NONCE, _MAC = 32, 16, 16  # bytes
_NOTE = "key.path"  # file with the path of the key
_LONGEST = 8_192  # bytes of a key, or of a path
_MOST_SPARE = 64 << 20  # bytes of entries in the runtime folder
_ABANDONED_S = 3_600  # age in seconds of an abandoned partial file


class Entry(NamedTuple):
    """Input of one hook: its name (the delivery), time (microseconds since 1970), event, and bytes."""

    delivery: str
    at: int
    event: str
    body: bytes


class Waiting(NamedTuple):
    """Number of waiting entries, time of the oldest (microseconds since 1970, 0 if none), and number of unreadable ones."""

    number: int = 0
    since: int = 0
    lost: int = 0


def write(store: str, event: str, body: bytes) -> str:
    """Store hook input durably, on a full disk until the next restart of the machine; return its delivery name. Raises
    OSError."""
    plain = event.encode("utf-8", "replace") + b"\n" + body
    try:
        folder = os.path.join(store, FOLDER)  # noqa: PTH118
        if not os.path.isdir(folder):  # noqa: PTH112
            make_private_folder(folder)
            os.chmod(store, 0o700)  # noqa: PTH101
        return _write(store, folder, plain)
    except OSError as error:
        spare = _spare_folder(store)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not spare or _size(spare) + len(plain) > _MOST_SPARE:
            raise
        make_private_folder(spare)
        return _write(store, spare, plain)


def _write(store: str, folder: str, plain: bytes) -> str:
    delivery = f"{time.time_ns():019d}-{os.urandom(6).hex()}"
    part = os.path.join(folder, delivery + _PART)  # noqa: PTH118
    sealed = memoryview(_seal(_key(store, folder, make=True), plain))
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        while sealed:
            sealed = sealed[os.write(handle, sealed) :]
    except BaseException:
        _unlink(part)
        raise
    finally:
        os.close(handle)
    os.rename(part, os.path.join(folder, delivery + _ENTRY))  # noqa: PTH104, PTH118
    return delivery


def make_private_folder(folder: str) -> None:
    """Make a folder, and those above it that are missing, for their user alone. Raises OSError."""
    missing, here = list[str](), os.path.abspath(folder)  # noqa: PTH100
    while not os.path.isdir(here) and here != os.path.dirname(here):  # noqa: PTH112, PTH120
        missing.append(here)
        here = os.path.dirname(here)  # noqa: PTH120
    for one in reversed(missing):
        try:
            os.mkdir(one, 0o700)  # noqa: PTH102
        except FileExistsError:
            if not os.path.isdir(one):  # noqa: PTH112
                raise


def delete_entry(store: str, delivery: str) -> None:
    """Delete an entry: it is in the log."""
    if delivery and "/" not in delivery:
        for folder in _folders(store):
            _unlink(os.path.join(folder, delivery + _ENTRY))  # noqa: PTH118


def waiting_entries(store: str, *, older_s: float = 0) -> Iterator[Entry]:
    """Yield waiting entries, oldest first, that are at least this many seconds old. Unreadable ones are set aside."""
    keys, now = dict[str, bytes](), time.time_ns()
    for name, folder in _names(store):
        if not name.endswith(_ENTRY) or now - _told_at(name) < older_s * 1e9:
            continue
        try:
            with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118
                sealed = file.read()
        except OSError:  # another process took it
            continue
        key = keys[folder] = keys.get(folder) or _key(store, folder, make=False)
        opened = _open(key, sealed) if key else None
        if opened is None:
            put_aside(store, name.removesuffix(_ENTRY))
            continue
        event, _, body = opened.partition(b"\n")
        yield Entry(name.removesuffix(_ENTRY), _told_at(name) // 1_000, event.decode("utf-8", "replace"), body)


def put_aside(store: str, delivery: str) -> None:
    """Set aside an entry that cannot be recorded, so that it does not block others."""
    for folder in _folders(store):
        path = os.path.join(folder, delivery)  # noqa: PTH118
        try:
            os.rename(path + _ENTRY, path + _UNREADABLE)  # noqa: PTH104
        except OSError:  # it is in the other folder, or was taken
            continue


def count_waiting(store: str) -> Waiting:
    """Return what is waiting. Abandoned partial files are deleted."""
    found, now = _names(store), time.time_ns()
    for name, folder in found:
        if name.endswith(_PART) and now - _told_at(name) > _ABANDONED_S * 1e9:
            _unlink(os.path.join(folder, name))  # noqa: PTH118
    kept = [name for name, _ in found if name.endswith(_ENTRY)]
    lost = sum(name.endswith(_UNREADABLE) for name, _ in found)
    return Waiting(len(kept), _told_at(kept[0]) // 1_000 if kept else 0, lost)


def _folders(store: str) -> list[str]:
    spare = _spare_folder(store)
    return [os.path.join(store, FOLDER), *([spare] if spare else [])]  # noqa: PTH118


def _spare_folder(store: str) -> str:
    """Return the folder for entries while the disk is full; "" without a runtime folder."""
    path = _runtime_path(store)
    return f"{path}.{FOLDER}" if path else ""


def _size(folder: str) -> int:
    try:
        return sum(os.stat(os.path.join(folder, name)).st_size for name in os.listdir(folder))  # noqa: PTH116, PTH118, PTH208
    except OSError:
        return 0


def _names(store: str) -> list[tuple[str, str]]:
    """Return the names of files, in order, and their folders."""
    found: list[tuple[str, str]] = []
    for folder in _folders(store):
        try:
            found += ((name, folder) for name in os.listdir(folder))  # noqa: PTH208
        except OSError:
            continue
    return sorted(found)


def _told_at(name: str) -> int:
    """Return the time of an entry in nanoseconds since 1970."""
    digits = name[:19]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _unlink(path: str) -> None:
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        return


# -- encryption with the standard library: SHAKE-256 of key and nonce as key stream, keyed BLAKE2b as authentication tag


def _seal(key: bytes, plain: bytes) -> bytes:
    nonce = os.urandom(_NONCE)
    sealed = nonce + _crossed(key, nonce, plain)
    return hashlib.blake2b(sealed, key=key, digest_size=_MAC).digest() + sealed


def _open(key: bytes, sealed: bytes) -> bytes | None:
    """Return the decrypted bytes; None if they were encrypted with another key, or modified."""
    mac, rest = sealed[:_MAC], sealed[_MAC:]
    if len(rest) < _NONCE or hashlib.blake2b(rest, key=key, digest_size=_MAC).digest() != mac:
        return None
    return _crossed(key, rest[:_NONCE], rest[_NONCE:])


def _crossed(key: bytes, nonce: bytes, data: bytes) -> bytes:
    size = len(data)
    stream = hashlib.shake_256(b"graphmem spool" + key + nonce).digest(size)
    return (int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")).to_bytes(size, "little")


def _key(store: str, folder: str, *, make: bool) -> bytes:
    """Return the key of the entries in a folder. Create one if allowed, otherwise return b"". The path of the key file is
    stored with the entries, because processes may have different environments."""
    note = os.path.join(folder, _NOTE)  # noqa: PTH118
    noted = _read(note).decode("utf-8", "surrogateescape")
    known = _read(noted) if noted else b""
    if len(known) == _KEY_SIZE or not make:
        return known if len(known) == _KEY_SIZE else b""
    path = _key_path(store)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    _make(path, os.urandom(_KEY_SIZE), os.link)  # atomic; the first one wins
    _make(note, path.encode("utf-8", "surrogateescape"), os.replace)
    return _read(path)


def _make(path: str, content: bytes, put: Callable[[str, str], None]) -> None:
    """Create a small file atomically."""
    fresh = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)
    try:
        put(fresh, path)
    except FileExistsError:
        pass
    finally:
        _unlink(fresh)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_LONGEST)
    except OSError:
        return b""


def _key_path(store: str) -> str:
    """Return a path in the user's runtime folder; without one, next to the entries."""
    path = _runtime_path(store)
    return f"{path}.key" if path else os.path.join(store, FOLDER, "key")  # noqa: PTH118


def _runtime_path(store: str) -> str:
    """Return the path of a store's files in the user's runtime folder, which is in memory; "" without one."""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or (f"/run/user/{os.getuid()}" if hasattr(os, "getuid") else "")
    if not (runtime and os.path.isdir(runtime) and os.access(runtime, os.W_OK)):  # noqa: PTH112
        return ""
    name = hashlib.sha256(os.path.realpath(store).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return os.path.join(runtime, "graphmem", name)  # noqa: PTH118
