"""No transaction of a log runs while this process forks. SQLite keeps the locks of a file in the process: a fork in the middle of
a transaction of another thread would inherit them, and find the log locked for ever."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakKeyDictionary

_WAIT_S = 10.0  # for a transaction to end; a fork never hangs
_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_taken: list[threading.RLock] = []


def watch(log: object, lock: threading.RLock) -> None:
    """Hold the lock of a log, which its transactions hold, during each fork."""
    _locks[log] = lock


def _before() -> None:
    _taken.extend(lock for lock in list(_locks.values()) if lock.acquire(timeout=_WAIT_S))


def _after() -> None:
    while _taken:
        _taken.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
