"""Lets each account run so many calls at a time: what it asks beyond that waits in order and takes no thread meanwhile, so that one
account cannot keep the others waiting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from graphmem.errors import LimitReached

_WAITING = 8  # calls that may wait, for each that may run
_AGAIN_S = 2


class _Slot:
    """The calls of an account, waiting ones included."""

    def __init__(self, most: int) -> None:
        self.free = anyio.Semaphore(most)
        self.calls = 0


class Slots:
    """The calls that run now, by account; an account without calls takes no memory. Used in one event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots: dict[tuple[str, bool], _Slot] = {}

    @asynccontextmanager
    async def hold(self, account: str, *, of_page: bool = False) -> AsyncIterator[None]:
        """Context manager: a call of an account, once it may run. Raises LimitReached if too many of its calls wait already. The
        calls of its open pages are counted apart, and none is refused: a page asks several things at once."""
        if not self._most:
            yield
            return
        key = (account, of_page)
        slot = self._slots.setdefault(key, _Slot(self._most))
        if slot.calls >= self._most * (1 + _WAITING) and not of_page:
            raise LimitReached(
                f"{self._most:,} requests of this account are running and {self._most * _WAITING:,} are waiting: send"
                f" fewer at a time, and try again in {_AGAIN_S} seconds",
                retry_after_s=_AGAIN_S,
                limit="concurrent requests",
            )
        slot.calls += 1
        try:
            async with slot.free:
                yield
        finally:
            slot.calls -= 1
            if not slot.calls:
                del self._slots[key]

    def __len__(self) -> int:
        """Return the number of accounts with calls; one with pages counts twice."""
        return len(self._slots)
