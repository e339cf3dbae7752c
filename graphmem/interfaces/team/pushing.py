"""Sends what the local log recorded to the shared server, in order and in batches. The position is moved on only after the server
answered; a batch that is sent again changes nothing there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from graphmem import settings
from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces.team.client import ServerAway, ask
from graphmem.interfaces.team.connection import (
    ALL,
    Connection,
    find_connection,
    require_connection,
    sending,
    update_connection,
)
from graphmem.model.events import Event
from graphmem.store import Store

TEAM_TAG = "team"  # a memory with this tag goes to the team's store, whatever the connection says
_BATCH = 100
_MEMORIES, _TURNS = ("memory_remembered",), ("user_prompt", "agent_response")
_LOOK_S, _LONGEST_S = 2.0, 120.0  # seconds between two looks, and at most while the server is away


class Pushed(NamedTuple):
    """What was sent, and what still waits. `error` says why, "" if nothing does."""

    sent: int
    waiting: int
    error: str


def push(store: Path) -> Pushed:
    """Send everything that waits. Raises NotFound if the store is not connected, AccessDenied, LimitReached."""
    connection = require_connection(store)
    with sending(store) as is_ours:
        if not is_ours:
            return Pushed(0, count_waiting(store), "another process is sending")
        local = _open(store)
        try:
            return _push(local, connection)
        finally:
            local.close()


def count_waiting(store: Path) -> int:
    """Return how many memories and turns wait to be sent."""
    connection = require_connection(store)
    local = _open(store)
    try:
        return sum(1 for _ in _items(local, connection))
    finally:
        local.close()


def _open(store: Path) -> Store:
    return Store(store, settings.load_settings(store))


def _push(local: Store, connection: Connection) -> Pushed:
    sent, store = 0, local.path
    head = local.log.head()
    items = _items(local, connection)
    try:
        while batch := list(islice(items, _BATCH)):
            ask(connection, "POST", "/api/push", json={"items": [item for _, item in batch]})
            sent += len(batch)
            update_connection(store, position=batch[-1][0], error="")
        update_connection(store, position=head, error="")
    except ServerAway as error:
        update_connection(store, error=str(error))
        return Pushed(sent, count_waiting(store), str(error))
    except GraphmemError as error:
        update_connection(store, error=str(error))
        raise
    return Pushed(sent, 0, "")


def _items(local: Store, connection: Connection) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (position, item) of what is to be sent after the position of a connection: what was said on this machine and not
    imported."""
    types = (*_MEMORIES, *(_TURNS if connection.send == ALL else ()))
    for event in local.log.read(connection.position, types=types):
        if not event.foreign and not event.payload.get("imported") and str(event.payload.get("content") or "").strip():
            yield event.position, _item(event, connection)


def _item(event: Event, connection: Connection) -> dict[str, Any]:
    payload = event.payload
    at = datetime.fromtimestamp(event.at / 1_000_000, UTC).isoformat()
    common = {"key": f"{event.origin}:{event.id}", "content": payload["content"], "ref": payload.get("ref") or "", "at": at,
              "visibility": connection.visibility}  # fmt: skip
    if event.type not in _MEMORIES:
        role = "assistant" if event.type == "agent_response" else "user"
        return common | {
            "type": "turn",
            "role": role,
            "session": event.session or "default",
            "ref": common["ref"] or common["key"],
        }
    tags = [str(tag) for tag in payload.get("tags") or ()]
    chosen = TEAM_TAG if TEAM_TAG in tags else connection.visibility
    return common | {
        "type": "memory", "kind": payload.get("kind") or "fact", "title": payload.get("title") or "", "tags": tags,
        "files": [str(file) for file in payload.get("files") or ()], "visibility": chosen,
    }  # fmt: skip


def push_until(store: Path, stopping: threading.Event) -> None:
    """Send what is recorded in a store while its owner runs. Waits longer while the server is away; ends with the owner."""
    pause, seen = _LOOK_S, -1
    local: Store | None = None
    try:
        while not stopping.wait(pause):
            try:
                connection = find_connection(store)
                if connection is None:
                    pause = _LOOK_S
                    continue
                local = local or _open(store)
                head = local.log.head()
                if head == seen and not connection.error:
                    pause = _LOOK_S
                    continue
                done = push(store)
                pause, seen = (min(pause * 2, _LONGEST_S), seen) if done.error else (_LOOK_S, head)
            except (GraphmemError, OSError):  # `graphmem team status` says why
                pause = min(pause * 2, _LONGEST_S)
    finally:
        if local is not None:
            local.close()


def start_pushing(store: Store) -> None:
    """Send what is recorded in a store in the background, while this process owns it."""
    threading.Thread(target=push_until, args=(store.path, store.stopping), name="graphmem-team", daemon=True).start()


def check_send(send: str) -> str:
    """Return what to send. Raises UsageError."""
    if send not in ("memories", ALL):
        raise UsageError(f"`{send}` cannot be sent: choose memories or all", send=send)
    return send
