"""The serving side: whoever owns a graph answers for it on a Unix socket, one thread a client, so that every other
process of the user can use the store at the same time."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from graphmem.backends.remote import place, protocol
from graphmem.errors import GraphmemError
from graphmem.resources import VERSION, stamp

_log = logging.getLogger(__name__)


class Server:
    """Serves calls by name. `idle` is the number of seconds since the last client was seen."""

    def __init__(self, store: Path, handlers: Mapping[str, Callable[..., Any]], kind: str) -> None:
        self._handlers = handlers
        self._store = store
        self.kind = kind  # "daemon" or "embedded"
        self._code = stamp()
        self._path = place.socket_path(store)
        self._seen = time.monotonic()
        self._clients = 0
        self._closing = threading.Event()
        self._count = threading.Lock()
        self._path.unlink(missing_ok=True)  # the lock is ours: whoever left it is gone
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self._path))
        self._path.chmod(0o600)  # its folder is this user's alone
        self._store_inode, self._socket_inode, self._log_inode = map(
            place.inode, (store, self._path, store / place.LOG)
        )
        self._settings = place.settings_state(store)
        self._socket.listen(64)
        place.write_card(store, {"pid": os.getpid(), "version": VERSION, "kind": kind, "socket": str(self._path)})
        threading.Thread(target=self._accept, name="graphmem-owner", daemon=True).start()

    @property
    def idle(self) -> float:
        return 0.0 if self._clients else time.monotonic() - self._seen

    @property
    def deserted(self) -> bool:
        """Whether the store or its log was deleted, or another stands in its place: nothing is left to own."""
        there = map(place.inode, (self._store, self._store / place.LOG))
        return not (self._store / place.LOCK).exists() or [*there] != [self._store_inode, self._log_inode]

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), name="graphmem-client", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with self._count:
            self._clients += 1
        try:
            with connection:
                for line in protocol.lines(connection):
                    if self._closing.is_set():  # whoever owns the store now is asked instead
                        return
                    connection.sendall(protocol.encode(self._answer(line, connection)))
        except (OSError, GraphmemError):
            pass  # the client went away, or does not speak the protocol
        finally:
            with self._count:
                self._clients -= 1
                self._seen = time.monotonic()

    def _answer(self, line: bytes, connection: socket.socket) -> dict[str, Any]:
        try:
            request = protocol.decode(line)
            name, arguments = request["call"], request.get("arguments", {})
            if request.get("progress"):
                arguments["progress"] = _Teller(connection)
            if name == "graph.query_untrusted":
                arguments["has_left"] = partial(_has_left, connection)
            if name == "hello":
                files = {"store": self._store_inode, "log": self._log_inode}
                here = {"version": VERSION, "code": self._code, "settings": self._settings}
                return {"result": here | files | {"pid": os.getpid()}}
            return {"result": self._handlers[name](**arguments)}
        except Exception as error:  # noqa: BLE001 (the client raises it)
            if not isinstance(error, GraphmemError):
                _log.warning("call failed: %s", type(error).__name__)
            return {"error": protocol.failure(error)}

    def close(self) -> None:
        """Stop listening and remove the socket."""
        self._closing.set()
        if place.inode(self._path) == self._socket_inode:  # else it is the socket of a successor
            self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for clients
        self._socket.close()
        (self._store / place.CARD).unlink(missing_ok=True)


def _has_left(connection: socket.socket) -> bool:
    """Whether the client of a call that runs has closed its side."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class _Teller:
    """Tells a client how far its call is, at most ten times a second and stage."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._pending: dict[str, int] = {}
        self._told: dict[str, float] = {}

    def __call__(self, stage: str, count: int) -> None:
        self._pending[stage] = self._pending.get(stage, 0) + count
        now = time.monotonic()
        if now - self._told.get(stage, 0.0) > 0.1:
            self._told[stage] = now
            with contextlib.suppress(OSError):  # work goes on though nobody watches any more
                self._connection.sendall(protocol.encode({"progress": [stage, self._pending.pop(stage)]}))
