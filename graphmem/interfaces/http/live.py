"""Pushes events, counts and the outbox to listeners, in batches every 100 ms. It polls the log only while there are
listeners."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from graphmem.errors import GraphmemError
from graphmem.interfaces import envelope
from graphmem.interfaces.http.brief import summarise_event
from graphmem.interfaces.http.lanes import LaneExecutor, projection_lag

CHANNELS = ("events", "stats", "outbox")
_BATCH = 0.1  # seconds
_SLOW = 1.0  # seconds between two polls of lagging projections
_MAX_CLIENTS = 10  # maximum WebSocket clients
_BUSY = 1013  # try again later
_ROWS = 500  # events per batch
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
        """Return the hub for a page or client that connects: on a shared server, that of its user."""
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
            found = await self._desk.run(lambda memory: memory.history(after=head, limit=_ROWS), "live")
            self._tell("events", [summarise_event(event) for event in found])
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
    """Serve a WebSocket. Input: `{"subscribe": [channels], "session": ..., "type": ...}` or `{"unsubscribe":
    [channels]}`. Output: batches `{"channel", "data"}`. Clients above the limit are rejected."""
    await socket.accept()
    hub = hub.bound()
    if hub.clients >= _MAX_CLIENTS:
        await socket.close(_BUSY, "too many clients: close another one")
        return
    hub.clients += 1
    wanted: dict[str, dict[str, str]] = {}
    try:
        async with hub.listen() as queue:
            teller = asyncio.create_task(_send(socket, queue, wanted))
            try:
                while True:
                    await socket.send_text(envelope.dumps(_subscribe(await socket.receive_text(), wanted)))
            finally:
                teller.cancel()
                with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                    await teller
    except (WebSocketDisconnect, RuntimeError, KeyError):  # client disconnected or sent binary data
        pass
    finally:
        hub.clients -= 1


async def _send(socket: WebSocket, queue: asyncio.Queue[dict[str, Any]], wanted: dict[str, dict[str, str]]) -> None:
    while True:
        message = await queue.get()
        where = wanted.get(message["channel"])
        if where is None:
            continue
        rows = message["data"]
        if message["channel"] == "events":
            rows = [row for row in rows if all(row.get(name) == value for name, value in where.items())]
        if rows:
            await socket.send_text(envelope.success(rows, channel=message["channel"]))


def _subscribe(text: str, wanted: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Apply a client's subscription, and send the current state."""
    try:
        message = json.loads(text)
        channels = [*message.get("subscribe", ()), *message.get("unsubscribe", ())]
    except (ValueError, AttributeError, TypeError):
        return {"error": {"code": "UsageError", "message": 'say {"subscribe": [channels]}', "data": {}}}
    if not channels or not all(channel in CHANNELS for channel in channels):
        return {
            "error": {
                "code": "UsageError",
                "message": f"unknown channel: choose from {', '.join(CHANNELS)}",
                "data": {},
            }
        }
    where = {name: str(message[name]) for name in ("session", "type") if message.get(name)}
    wanted.update(dict.fromkeys(message.get("subscribe", ()), where))
    for channel in message.get("unsubscribe", ()):
        wanted.pop(channel, None)
    return {"data": {"subscribed": sorted(wanted)}, "meta": {"channel": "control"}}
