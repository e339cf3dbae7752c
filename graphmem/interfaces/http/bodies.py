"""Limits the bodies of requests: a larger one is answered with status 413, and never held in memory; one that does not arrive in
time with 408, because what has arrived of it is held meanwhile."""

from __future__ import annotations

import anyio
from starlette.types import Message, Receive

from graphmem.model.limits import HTTP_BYTES, HTTP_DRAINED_BYTES

_LONGEST_S = 120.0  # seconds for a whole body: 16 MB over a slow line
SENTENCE = f"the request body is larger than {HTTP_BYTES >> 20} MB; nothing was recorded"


LATE = "the request body did not arrive in time; nothing was recorded"


class TooLarge(Exception):
    """The body is over the limit."""


class TooLate(Exception):
    """The body did not arrive in time."""


async def read_body(receive: Receive) -> Receive:
    """Read the body of a request and return a function that receives it. Raises TooLate; TooLarge once the client has sent it,
    at least most of it: a client that is answered earlier may never read the answer."""
    try:
        with anyio.fail_after(_LONGEST_S):
            parts = await _parts(receive)
    except TimeoutError:
        raise TooLate from None
    waiting = iter(parts)

    async def replay() -> Message:
        return next(waiting, None) or await receive()

    return replay


async def _parts(receive: Receive) -> list[Message]:
    parts: list[Message] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":  # the client has left
            parts.append(message)
            break
        size += len(message.get("body", b""))
        more = bool(message.get("more_body"))
        if size <= HTTP_BYTES:
            parts.append(message)
        elif size > HTTP_DRAINED_BYTES:
            break
    if size > HTTP_BYTES:
        raise TooLarge
    return parts
