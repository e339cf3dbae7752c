"""Whether whoever asked is still there: set by an interface for the calls that it makes, and asked by what may take long."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def _never() -> bool:
    return False


HAS_CALLER_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_caller_left", default=_never)
