"""Who calls, and whether they are still connected: set by an interface for its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _never() -> bool:
    return False


HAS_CALLER_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_caller_left", default=_never)
AGENT = "agent"
WRITER: ContextVar[str] = ContextVar("writer", default="user")  # actor of what is written on request


@contextmanager
def for_agent() -> Iterator[None]:
    """Context manager: what is written meanwhile is an agent's."""
    token = WRITER.set(AGENT)
    try:
        yield
    finally:
        WRITER.reset(token)


@contextmanager
def calling(has_left: Callable[[], bool]) -> Iterator[None]:
    """Context manager: calls made meanwhile end once `has_left` returns true."""
    token = HAS_CALLER_LEFT.set(has_left)
    try:
        yield
    finally:
        HAS_CALLER_LEFT.reset(token)
