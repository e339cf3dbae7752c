"""Who calls, and whether they are still connected: set by an interface for its calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from graphmem.agent_shells import agent_of
from graphmem.errors import UsageError


def _never() -> bool:
    return False


HAS_CALLER_LEFT: ContextVar[Callable[[], bool]] = ContextVar("has_caller_left", default=_never)
USER, AGENT, PROGRAM = "user", "agent", "agent's program"  # who writes; origins of events read how the name begins
_ROLES = ("assistant", "tool", "system")  # actors of turns that no user wrote
WRITER: ContextVar[str] = ContextVar("writer", default=USER)  # actor of what is written on request
ACCOUNT: ContextVar[str] = ContextVar(
    "account", default=""
)  # user of a shared server who asks; "" on one's own machine


@contextmanager
def for_agent(writer: str = AGENT) -> Iterator[None]:
    """Context manager: what is written meanwhile is an agent's. A `PROGRAM` relays conversations, so it also tells truly who
    said a turn."""
    token = WRITER.set(writer)
    try:
        yield
    finally:
        WRITER.reset(token)


def refuse_agents(act: str) -> None:
    """Raise UsageError unless a person may be acting: in a shell that an agent started, and for a program with an access token.
    `act` says what only a person can do: a text that an agent read could have told it to. This keeps an agent from deciding;
    it cannot stop a program that hides where it was started."""
    if agent_of(os.environ, certain=True) or WRITER.get() == PROGRAM:
        raise UsageError(f"only a person can {act}: do it in your own terminal, or in the viewer")


@contextmanager
def for_account(name: str) -> Iterator[None]:
    """Context manager: this user of a shared server asks meanwhile, and what is written is signed with the name."""
    token = ACCOUNT.set(name)
    try:
        yield
    finally:
        ACCOUNT.reset(token)


def signed(actor: str) -> str:
    """Return an actor with the name of the account that asks: "user ada". On one's own machine, the actor itself."""
    account = ACCOUNT.get()
    return f"{actor} {account}" if account else actor


def account_of(actor: str) -> str:
    """Return the account that an actor was signed with, or "".

    >>> account_of("agent's program ada"), account_of("user ada"), account_of("user")
    ('ada', 'ada', '')
    """
    kinds = (PROGRAM, AGENT, USER, *_ROLES)
    return next((actor.removeprefix(f"{kind} ") for kind in kinds if actor.startswith(f"{kind} ")), "")


@contextmanager
def cancellable_calls(has_left: Callable[[], bool]) -> Iterator[None]:
    """Context manager: calls made meanwhile end once `has_left` returns true."""
    token = HAS_CALLER_LEFT.set(has_left)
    try:
        yield
    finally:
        HAS_CALLER_LEFT.reset(token)
