"""Buffered usage records: an answer only appends to a list, and one event writes many of them to the log. A killed
process loses at most a minute of statistics."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from graphmem.errors import GraphmemError
from graphmem.log.recording import Recording
from graphmem.model.events import Draft

_MAX_RECORDS = 32  # records per event
_MAX_WAIT_US = 60_000_000  # microseconds that a record waits while others arrive


class Pending:
    """The usage records of one open memory."""

    def __init__(self, store: Recording) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._notes: list[dict[str, Any]] = []

    def note(self, *, shown: Sequence[str], chosen: Sequence[str], retrieved: Sequence[str], session: str) -> None:
        """Add a record; they are written when there are many or the first is a minute old."""
        given = {"shown": list(shown), "chosen": list(chosen), "retrieved": list(retrieved), "session": session}
        if not (shown or chosen or retrieved):
            return
        now = self._store.clock.now()
        with self._lock:
            self._notes.append({"at": now, **{name: value for name, value in given.items() if value}})
            full = len(self._notes) >= _MAX_RECORDS or now - self._notes[0]["at"] > _MAX_WAIT_US
        if full:
            self.flush()

    def flush(self) -> None:
        """Write the buffer. If the log is not writable, the records are lost, but the answer is not affected."""
        with self._lock:
            notes, self._notes = self._notes, []
        if notes:
            draft = Draft("memory_used", {"notes": notes}, notes[-1]["at"], "", self._store.project, "system")
            with contextlib.suppress(GraphmemError):
                self._store.recorder.record([draft])
