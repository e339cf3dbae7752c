"""The asking side: calls to the owner of a store, and the graph as seen through it. A lost connection is tried once
more, since the owner may just have been replaced."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmem.backends.remote import place, protocol
from graphmem.errors import StoreBusy, StoreError
from graphmem.model.changes import Changes
from graphmem.ports.graph import Rows
from graphmem.resources import VERSION

_LEAVE = 5.0  # seconds that an owner may take to leave
_START = 20.0  # seconds an owner may take to open its graph


class Client:
    """One connection to the owner; calls from several threads take turns. `find` makes a new connection when the owner
    was replaced."""

    def __init__(self, connection: socket.socket, find: Callable[[], socket.socket]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._use(connection)

    def _use(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lines: Iterator[bytes] = protocol.lines(connection)

    def call(self, name: str, progress: Callable[[str, int], None] | None = None, /, **arguments: Any) -> Any:
        """The result of a call, or its error. `progress` is told what the owner does meanwhile."""
        message = protocol.encode({"call": name, "arguments": arguments, "progress": progress is not None})
        with self._lock:
            try:
                return self._exchange(message, progress)
            except (OSError, StopIteration):
                self._socket.close()
                self._use(self._find())
                try:
                    return self._exchange(message, progress)
                except (OSError, StopIteration):
                    raise StoreError(f"the owner of the store broke off during `{name}`") from None

    def _exchange(self, message: bytes, progress: Callable[[str, int], None] | None) -> Any:
        self._socket.sendall(message)
        while True:
            answer = protocol.decode(next(self._lines))
            if "progress" in answer:
                if progress:
                    progress(*answer["progress"])
            elif "error" in answer:
                raise protocol.raised(answer["error"])
            else:
                return answer["result"]

    def close(self) -> None:
        self._socket.close()


def connect(store: Path) -> socket.socket | None:
    """A connection to the living owner, or None."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(place.socket_path(store)))
    except OSError:
        connection.close()
        return None
    return connection


def reach(store: Path, *, patience: float = 5.0) -> Client:
    """A client of the living owner; waits for one that is starting. Raises StoreBusy with what is known of it."""
    return Client(_wait(store, patience), lambda: _wait(store, patience))


def _wait(store: Path, patience: float) -> socket.socket:
    deadline = time.monotonic() + patience
    while (connection := connect(store)) is None:
        if time.monotonic() > deadline:
            card = place.read_card(store)
            who = f"process {card['pid']}" if card.get("pid") else "another process"
            raise StoreBusy(
                f"{who} holds the store and does not answer: end it, then try again", store=str(store), **card
            )
        time.sleep(0.02)
    return connection


def start(store: Path, project: str) -> None:
    """Start an owner that outlives this process. It gives way to one that is there already."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    subprocess.Popen(
        [sys.executable, "-m", "graphmem.owner", str(store), project],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, env=environment, cwd=store,
    )  # fmt: skip


def reach_or_start(store: Path, project: str) -> Client:
    """A client of the owner, started where there is none. One of another version is asked to leave first, and so is one
    whose store was deleted under it: it left no card in the directory that is there now."""
    client = Client(_find_or_start(store, project), lambda: _find_or_start(store, project))
    card = place.read_card(store)
    if not card or (client.call("hello")["version"] != VERSION and card.get("kind") == "daemon"):
        with contextlib.suppress(StoreError):
            client.call("stop")
        client.close()
        deadline = time.monotonic() + _LEAVE
        while connect(store) is not None and time.monotonic() < deadline:
            time.sleep(0.02)
        client = Client(_find_or_start(store, project), lambda: _find_or_start(store, project))
    return client


def _find_or_start(store: Path, project: str) -> socket.socket:
    connection = connect(store)
    if connection is None:
        start(store, project)
        connection = _wait(store, _START)
    return connection


class RemoteGraph:
    """GraphStore through the owner."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        self._client.call("graph.apply", None, changes=changes, cursors=dict(cursors))

    def refine(self, names: Sequence[str]) -> None:
        self._client.call("graph.refine", None, names=list(names))

    def cursors(self) -> dict[str, int]:
        return dict(self._client.call("graph.cursors"))

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        arguments = {"cypher": cypher, "parameters": dict(parameters or {}), "limit": limit, "timeout": timeout}
        rows: Rows = self._client.call("graph.query", None, **arguments)
        return rows

    def schema(self) -> dict[str, Any]:
        return dict(self._client.call("graph.schema"))

    def close(self) -> None:
        self._client.close()
