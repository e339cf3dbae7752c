"""Cleanup of objects that are garbage-collected without being closed.

The garbage collector runs at any allocation, in any thread, whatever locks that thread holds. A finalizer that takes
such a lock deadlocks. Therefore finalizers only append a callback to a queue; a separate thread, `run_pending`, or
interpreter exit runs it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

_log = logging.getLogger("graphmem")
_pending: deque[Callable[[], None]] = deque()
_wake: SimpleQueue[None] = SimpleQueue()  # unlike other queues, its `put` is safe in finalizers
_open: dict[Cleanup, None] = {}  # in order of creation
_turn = threading.RLock()
_worker: threading.Thread | None = None


class Cleanup:
    """Run `function(*arguments)` once: when called, soon after `owner` was collected, or at exit, whichever comes
    first. In a fork it only runs when called, because the resource belongs to the parent, unless the child says
    otherwise."""

    def __init__(self, owner: object, function: Callable[..., None], *arguments: Any) -> None:
        self._run: Callable[[], None] | None = partial(function, *arguments)
        _open[self] = None
        weakref.finalize(owner, enqueue, self._when_collected).atexit = False
        start()

    def _when_collected(self) -> None:
        if self in _open:
            self()

    def __call__(self) -> None:
        """Run the function unless it already ran."""
        _open.pop(self, None)
        run, self._run = self._run, None
        if run is not None:
            run()


def enqueue(callback: Callable[[], None]) -> None:
    """Schedule a callback. Safe in finalizers: takes no lock they could wait for, and does no work."""
    _pending.append(callback)
    _wake.put(None)


def start() -> None:
    """Start the callback thread once. Call it where objects with finalizers are created."""
    global _worker
    if _worker is None:
        _worker = threading.Thread(target=_work, args=[_wake], name="graphmem-cleanup", daemon=True)
        _worker.start()


def run_pending() -> None:
    """Run waiting callbacks, and wait for those running in other threads. Do not call it while holding a lock."""
    while _pending:
        _run_next()
    with _turn:
        pass


@atexit.register
def run_all() -> None:
    """Run all waiting callbacks, and the cleanups of all live objects, oldest first."""
    run_pending()
    for cleanup in list(_open):
        _attempt(cleanup)


def _work(wake: SimpleQueue[None]) -> None:
    while True:
        wake.get()
        _run_next()


def _run_next() -> None:
    with _turn:
        try:
            callback = _pending.popleft()
        except IndexError:
            return
        _attempt(callback)


def _attempt(callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception as error:  # noqa: BLE001 (nobody waits for the answer, and others are to be closed)
        _log.warning("cleanup failed: %s: %s", type(error).__name__, error)


def _forget() -> None:
    """In a fork: reset state, because the thread does not exist there and resources belong to the parent."""
    global _wake, _turn, _worker
    _wake, _turn, _worker = SimpleQueue(), threading.RLock(), None
    _pending.clear()
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
