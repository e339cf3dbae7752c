"""Lets long work of a process pause while an agent waits for an answer of the same process. Otherwise both take turns at the
interpreter, and on a busy machine each turn takes milliseconds: an answer of a tenth of a second took three."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_S = 1.0  # of a pause: an answer may wait for what the paused work holds
_changed = threading.Condition()
_this = threading.local()  # whether this thread answers
_asked = 0
_pauses_from = 0.0  # monotonic time: work goes on as long as it has paused


@contextmanager
def answering() -> Iterator[None]:
    """Context manager: others make way during the block."""
    global _asked
    with _changed:
        _asked += 1
    _this.answers = True
    try:
        yield
    finally:
        _this.answers = False
        with _changed:
            _asked -= 1
            _changed.notify_all()


def make_way() -> None:
    """Wait while an answer is composed, at most half of the time. Long work calls this between small steps, without
    holding what an answer needs."""
    if _asked and not getattr(_this, "answers", False):
        _pause()


def _pause() -> None:
    global _pauses_from
    begun = time.monotonic()
    if begun < _pauses_from:
        return
    with _changed:
        _changed.wait_for(lambda: not _asked, _LONGEST_S)
    ended = time.monotonic()
    _pauses_from = ended + (ended - begun if _asked else 0.0)


def _after_fork() -> None:
    """Forget who answered in the process before the fork: its threads do not exist here."""
    global _changed, _asked
    _changed, _asked = threading.Condition(), 0
    _this.answers = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
