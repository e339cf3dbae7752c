"""Counts hooks that ended without context because nothing answered within their time limit. The agent must not be disturbed
by it, so `status` and `doctor` tell the user later. Hooks import this module, so its own imports are minimal."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

FILE = "unanswered.log"
_MAX_BYTES = 16_384  # then the older half is dropped
_RECENT_S = 86_400
_MAX_NAME = 40  # characters of an event


class Unanswered(NamedTuple):
    """Number of hooks without an answer within a day, and the event of the last one ("" if there was none)."""

    number: int = 0
    last: str = ""


def note_unanswered(store: str, event: str) -> None:
    """Note that a hook ended without context. A store that cannot be written loses the note."""
    path = os.path.join(store, FILE)  # noqa: PTH118
    line = f"{int(time.time())} {event[:_MAX_NAME]}\n".encode("ascii", "replace")
    try:
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        try:
            os.write(handle, line)
            full = os.fstat(handle).st_size > _MAX_BYTES
        finally:
            os.close(handle)
        if full:
            _drop_older_half(path)
    except OSError:
        return


def recent_unanswered(store: str) -> Unanswered:
    """Return how many hooks of the last day had no answer."""
    since, recent = time.time() - _RECENT_S, []
    for line in _read(os.path.join(store, FILE)).decode("ascii", "replace").splitlines():  # noqa: PTH118
        at, _, event = line.partition(" ")
        if at.isdigit() and len(at) < len("10000000000") and int(at) >= since:
            recent.append(event)
    return Unanswered(len(recent), recent[-1] if recent else "")


def _drop_older_half(path: str) -> None:
    """Replace the file by its newer half; notes made at the same moment may get lost."""
    kept = _read(path)[-_MAX_BYTES // 2 :].partition(b"\n")[2]
    fresh = f"{path}.{os.getpid()}"
    handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, kept)
    finally:
        os.close(handle)
    os.replace(fresh, path)  # noqa: PTH105


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(2 * _MAX_BYTES)
    except OSError:
        return b""
