"""Who calls, and whether they are still connected: set by an interface for its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _never() -> bool:
    return False


HAS_CALLER_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_caller_left", default=_never)
USER, AGENT, PROGRAM = "user", "agent", "agent's program"  # who writes; origins of events read how the name begins
WRITER: ContextVar[str] = ContextVar("writer", default=USER)  # actor of what is written on request


@contextmanager
def for_agent(writer: str = AGENT) -> Iterator[None]:
    """Context manager: what is written meanwhile is an agent's. A `PROGRAM` relays conversations, so it also tells truly who
    said a turn."""
    token = WRITER.set(writer)
    try:
        yield
    finally:
        WRITER.reset(token)


@contextmanager
def cancellable_calls(has_left: Callable[[], bool]) -> Iterator[None]:
    """Context manager: calls made meanwhile end once `has_left` returns true."""
    token = HAS_CALLER_LEFT.set(has_left)
    try:
        yield
    finally:
        HAS_CALLER_LEFT.reset(token)
