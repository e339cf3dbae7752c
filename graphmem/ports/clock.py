"""Time and randomness, injected so that tests and replays are deterministic."""

from __future__ import annotations

import os
import time
from typing import Protocol


class Clock(Protocol):
    """Source of time and of unguessable bytes."""

    def now(self) -> int:
        """Microseconds since 1970 UTC."""
        ...

    def random(self, size: int) -> bytes:
        """`size` bytes fit for keys and ids."""
        ...


class SystemClock:
    """The machine's own clock and entropy."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def random(self, size: int) -> bytes:
        return os.urandom(size)
