"""Pushes events, counts and the outbox to listeners, in batches every 100 ms. It polls the log only while there are
listeners."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from graphmem.errors import GraphmemError
from graphmem.interfaces import envelope
from graphmem.interfaces.http.brief import summarise_event
from graphmem.interfaces.http.lanes import LaneExecutor, projection_lag
from graphmem.memory import Memory

CHANNELS = ("events", "stats", "outbox")
_BATCH = 0.1  # seconds
_SLOW = 1.0  # seconds between two polls of lagging projections
_MAX_CLIENTS = 10  # maximum WebSocket clients
_BUSY = 1013  # try again later
_ROWS = 500  # events per batch
_MOST = 2**53  # largest position
_WAITING = 100  # batches that a slow listener may lag behind


class Hub:
    """One log watcher for all listeners."""

    def __init__(self, lanes: LaneExecutor) -> None:
        self._desk = lanes
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._wake = asyncio.Event()
        self.clients = 0  # WebSocket clients
        self._lag = 1  # last reported number of events not yet projected
        self._told = 0.0

    def bound(self) -> Hub:
        """Return the hub for a page or client that connects: with several stores, that of the store it names; on a shared server,
        that of its user."""
        return self

    @contextlib.asynccontextmanager
    async def listen(self) -> AsyncIterator[asyncio.Queue[dict[str, Any]]]:
        """Yield a queue of messages `{"channel", "data"}` for the duration of the block."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_WAITING)
        self._listeners.add(queue)
        self._wake.set()
        try:
            yield queue
        finally:
            self._listeners.discard(queue)

    async def events_after(self, position: int) -> tuple[list[dict[str, Any]], int]:
        """Return the next events after a position of the log, oldest first, and the position up to which these are all."""

        def read(memory: Memory) -> tuple[list[dict[str, Any]], int]:
            reached = min(position + _ROWS, memory.head)
            found = memory.history(after=position, before=reached + 1, limit=_ROWS) if reached > position else []
            return [summarise_event(event) for event in found], max(position, reached)

        return await self._desk.run(read, "live")

    async def watch(self) -> None:
        """Poll for news until cancelled."""
        head = -1
        while True:
            if not self._listeners:
                self._wake.clear()
                head = -1
                await self._wake.wait()
            with contextlib.suppress(GraphmemError, OSError):  # retry while the store is busy
                head = await self._poll(head)
            await asyncio.sleep(_BATCH)

    async def _poll(self, head: int) -> int:
        now: int = await self._desk.run(lambda memory: memory.head, "live")
        if 0 <= head < now:
            rows, now = await self.events_after(head)  # more than a batch follows with the next poll
            self._tell("events", rows)
            self._tell("stats", {"events": now})
        elif not self._lag or time.monotonic() - self._told < _SLOW:
            return now
        state = await self._desk.run(lambda memory: memory.outbox(), "live")
        self._lag, self._told = projection_lag(state), time.monotonic()
        self._tell("outbox", state)
        return now

    def _tell(self, channel: str, data: Any) -> None:
        for queue in self._listeners:
            if queue.full():  # drop the oldest message of a slow listener, not the newest
                queue.get_nowait()
            queue.put_nowait({"channel": channel, "data": data})


async def serve_socket(hub: Hub, socket: WebSocket) -> None:
    """Serve a WebSocket. Input: `{"subscribe": [channels], "session": ..., "type": ..., "since": POSITION}` or `{"unsubscribe":
    [channels]}`. Output: batches `{"data", "meta": {"channel", "position"}}`; with `since`, first the events after that position
    of the log, without a gap before the live ones. Clients above the limit are rejected. `interfaces.http.asyncapi` describes
    the messages."""
    await socket.accept()
    hub = hub.bound()
    if hub.clients >= _MAX_CLIENTS:
        await socket.close(_BUSY, "too many clients: close another one")
        return
    hub.clients += 1
    subscriptions = Subscriptions()
    try:
        async with hub.listen() as queue:
            teller = asyncio.create_task(_send(socket, queue, subscriptions))
            try:
                while True:
                    text = await socket.receive_text()
                    # The lock keeps live events back until what was replayed is sent.
                    async with subscriptions.lock:
                        answer, since = _subscribe(text, subscriptions.wanted)
                        await socket.send_text(envelope.dumps(answer))
                        if since is not None:
                            await _replay(hub, socket, subscriptions, since)
            finally:
                teller.cancel()
                with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                    await teller
    except (WebSocketDisconnect, RuntimeError, KeyError):  # client disconnected or sent binary data
        pass
    finally:
        hub.clients -= 1


@dataclass(slots=True)
class Subscriptions:
    """What a client wants to hear, by channel, and the last position of the log that was sent to it."""

    wanted: dict[str, dict[str, str]] = field(default_factory=dict)
    sent: int = -1
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


async def _send(socket: WebSocket, queue: asyncio.Queue[dict[str, Any]], subscriptions: Subscriptions) -> None:
    while True:
        message = await queue.get()
        async with subscriptions.lock:
            await _pass_on(socket, message["channel"], message["data"], subscriptions)


async def _pass_on(socket: WebSocket, channel: str, rows: Any, subscriptions: Subscriptions) -> None:
    """Send what the client wants of a batch; of events, only those that it was not sent before."""
    where = subscriptions.wanted.get(channel)
    if where is None:
        return
    if channel != "events":
        if rows:
            await socket.send_text(envelope.success(rows, channel=channel))
        return
    last = max((row["position"] for row in rows), default=subscriptions.sent)
    rows = [row for row in rows if row["position"] > subscriptions.sent]
    rows = [row for row in rows if all(row.get(name) == value for name, value in where.items())]
    if rows:
        await socket.send_text(envelope.success(rows, channel=channel, position=last))
    subscriptions.sent = max(subscriptions.sent, last)


async def _replay(hub: Hub, socket: WebSocket, subscriptions: Subscriptions, since: int) -> None:
    """Send the events after a position, in batches, up to the end of the log."""
    subscriptions.sent = since
    at = -1
    while at < subscriptions.sent:
        at = subscriptions.sent
        rows, reached = await hub.events_after(at)
        await _pass_on(socket, "events", rows, subscriptions)
        subscriptions.sent = max(subscriptions.sent, reached)


def _subscribe(text: str, wanted: dict[str, dict[str, str]]) -> tuple[dict[str, Any], int | None]:
    """Apply a client's subscription. Return the answer, and the position after which events are to be sent again."""
    try:
        message = json.loads(text)
        channels = [*message.get("subscribe", ()), *message.get("unsubscribe", ())]
        since = message.get("since")
    except (ValueError, AttributeError, TypeError):
        return _refusal('say {"subscribe": [channels]}'), None
    if not channels or not all(channel in CHANNELS for channel in channels):
        return _refusal(f"unknown channel: choose from {', '.join(CHANNELS)}"), None
    if since is not None and (isinstance(since, bool) or not isinstance(since, int) or not 0 <= since <= _MOST):
        return _refusal("`since` is a position of the log: a whole number, at least 0"), None
    where = {name: str(message[name]) for name in ("session", "type") if message.get(name)}
    wanted.update(dict.fromkeys(message.get("subscribe", ()), where))
    for channel in message.get("unsubscribe", ()):
        wanted.pop(channel, None)
    answer = {"data": {"subscribed": sorted(wanted)}, "meta": {"channel": "control"}}
    return answer, since if "events" in message.get("subscribe", ()) else None


def _refusal(message: str) -> dict[str, Any]:
    return {"error": {"code": "UsageError", "message": message, "data": {}}}
