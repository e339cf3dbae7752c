"""Decides when the owner derives knowledge from new events: when a window is full, when its oldest event has waited long
enough, or when no more events arrive. It has no side effects; events are safe in the log and stay due until processed."""

from __future__ import annotations

from typing import Literal

from graphmem.settings import Buffer

Due = Literal["", "window", "idle"]


class FlushScheduler:
    """State machine: gets the log head and the time (seconds), and says whether to flush. Existing events at start count
    as new."""

    def __init__(self, limits: Buffer, done: int, now: float) -> None:
        self._limits = limits
        self._done = done  # flushed position
        self._head = done
        self._first = self._last = now  # arrival of the oldest and newest waiting event
        self._settled = False  # everything was concluded since then
        self.has_changes = True  # whether there is anything to derive or to conclude

    @property
    def waiting(self) -> int:
        """Return the number of waiting events."""
        return self._head - self._done

    def on_append(self, head: int, now: float, *, is_use: bool = False) -> None:
        """Update the log head. `is_use`: the new events only say that memories were used, from which nothing is derived."""
        if head <= self._head:
            return
        if is_use and not self.waiting:
            self._done = head
        else:
            self._first = self._first if self.waiting else now
            self.has_changes = True
        self._last, self._head, self._settled = now, head, False

    def due(self, now: float) -> Due:
        """Return "idle" if the concluding steps are due because nothing happens, "window" if a flush is due, "" otherwise."""
        if not self._settled and now - self._last >= self._limits.idle_s:
            return "idle"
        if self.waiting >= self._limits.window or (self.waiting and now - self._first >= self._limits.flush_s):
            return "window"
        return ""

    def flushed(self, head: int, kind: Due) -> None:
        """Mark everything up to this head as derived; and as concluded, if idle."""
        self._done = max(self._done, head)
        self._settled = kind == "idle" and self._done == self._head
        self.has_changes = not self._settled and self.has_changes
