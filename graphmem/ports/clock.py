"""Time and randomness, injected so that tests and replays are deterministic."""

from __future__ import annotations

import os
import time
from typing import Protocol


class Clock(Protocol):
    """Source of time and of cryptographically random bytes."""

    def now(self) -> int:
        """Return microseconds since 1970 UTC."""
        ...

    def random(self, size: int) -> bytes:
        """Return `size` random bytes suitable for keys and ids."""
        ...


class SystemClock:
    """The system clock and entropy."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def random(self, size: int) -> bytes:
        return os.urandom(size)
