"""Whether the caller is still connected: set by an interface for its calls, and checked by long operations."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def _never() -> bool:
    return False


HAS_CALLER_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_caller_left", default=_never)
