"""When the owner derives knowledge from what was recorded: once a window is full, its oldest event waited long enough, or
nothing comes any more. It only decides; the events themselves are safe in the log, and stay due until they were done."""

from __future__ import annotations

from typing import Literal

from graphmem.settings import Buffer

Due = Literal["", "window", "idle"]


class FlushScheduler:
    """A clockwork: it is told the head of the log and the time (seconds), and says whether to flush. What the owner found
    when it began counts as new, and quiet is counted from then on."""

    def __init__(self, limits: Buffer, done: int, now: float) -> None:
        self._limits = limits
        self._done = done  # position that was flushed
        self._head = done
        self._first = self._last = now  # when the oldest and the newest that wait came
        self._settled = False  # everything was concluded since

    @property
    def waiting(self) -> int:
        """How many events wait."""
        return self._head - self._done

    def grew(self, head: int, now: float) -> None:
        """The log has this head now."""
        if head > self._head:
            self._first = self._first if self.waiting else now
            self._last, self._head, self._settled = now, head, False

    def due(self, now: float) -> Due:
        """Whether to flush, and whether everything may be concluded since it is quiet."""
        if not self._settled and now - self._last >= self._limits.idle_s:
            return "idle"
        if self.waiting >= self._limits.window or (self.waiting and now - self._first >= self._limits.flush_s):
            return "window"
        return ""

    def flushed(self, head: int, kind: Due) -> None:
        """Everything up to this head was derived; and concluded, where it was idle."""
        self._done = max(self._done, head)
        self._settled = kind == "idle" and self._done == self._head
