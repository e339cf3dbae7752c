"""The server side: the owner of a graph serves it on a Unix socket, one thread per client, so that all processes of the
user can use the store concurrently."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Any

from graphmem.backends.log.file_access import inode_of
from graphmem.backends.remote import place
from graphmem.backends.remote.codec import MAX_MESSAGE_BYTES, Records
from graphmem.backends.remote.messages import (
    Call,
    Command,
    Failure,
    Hello,
    Hook,
    Ping,
    Progress,
    Result,
    Stop,
    Welcome,
    codec_of,
    failure_of,
    read_lines,
)
from graphmem.errors import GraphmemError, MalformedMessage
from graphmem.model import bounds
from graphmem.ports.callers import for_account
from graphmem.resources import VERSION, stamp

_log = logging.getLogger(__name__)
_GREETING = 5.0  # seconds that a client may take for the handshake
_GREETING_SIZE = 4_096  # bytes that a client may send before the handshake


# Arguments: the request, a progress callback or None, and a function that returns whether the client has disconnected.
RequestHandler = Callable[[Any, Callable[[str, int], None] | None, Callable[[], bool]], Any]


class Server:
    """Listens on the socket of a store and passes each authenticated request to `handler`, in one thread per client.
    Starts on construction; `close` removes the socket."""

    def __init__(self, store: Path, handler: RequestHandler, kind: str, records: Records) -> None:
        self._handler = handler
        self._codec = codec_of(records)
        self._token = os.urandom(32).hex()
        self._store = store
        self.kind = kind  # "daemon" or "embedded"
        self._code = stamp()
        self._path = place.socket_path(store)
        self._seen = time.monotonic()
        self._clients = 0
        self._connections: set[socket.socket] = set()
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._path.unlink(missing_ok=True)  # we hold the lock, so a leftover socket belongs to no one
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self._path))
        self._path.chmod(0o600)  # its folder is private to this user
        self._store_inode, self._socket_inode, self._log_inode = map(inode_of, (store, self._path, store / place.LOG))
        self._settings = place.settings_state(store)
        endpoint = {
            "pid": os.getpid(),
            "version": VERSION,
            "kind": kind,
            "socket": str(self._path),
            "token": self._token,
        }
        place.write_endpoint(store, endpoint)  # every client must know the token
        self._socket.listen(64)
        threading.Thread(target=self._accept, name="graphmem-owner", daemon=True).start()

    @property
    def idle_s(self) -> float:
        """Return the seconds since the last client disconnected; 0 while one is connected."""
        return 0.0 if self._clients else time.monotonic() - self._seen

    @property
    def is_store_gone(self) -> bool:
        """Return whether the store or its log was deleted or replaced, so that the owner must exit."""
        there = map(inode_of, (self._store, self._store / place.LOG))
        return not (self._store / place.LOCK).exists() or [*there] != [self._store_inode, self._log_inode]

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(
                target=self._handle_connection, args=(connection,), name="graphmem-client", daemon=True
            ).start()

    def _handle_connection(self, connection: socket.socket) -> None:
        with self._lock:
            self._clients += 1
            self._connections.add(connection)
        try:
            with connection:
                if not place.is_same_user(connection):
                    return
                limit = _GREETING_SIZE
                lines = read_lines(connection, lambda: limit)
                connection.settimeout(_GREETING)
                if self._is_authentic(next(lines, b"")):
                    files = self._store_inode, self._log_inode
                    self._send(connection, Welcome(VERSION, self._code, self._settings, *files, os.getpid()))
                    connection.settimeout(None)
                    limit = MAX_MESSAGE_BYTES
                    self._handle_requests(lines, connection)
        except (OSError, GraphmemError):
            pass  # the client disconnected, or does not speak the protocol
        finally:
            with self._lock:
                self._clients -= 1
                self._connections.discard(connection)
                self._seen = time.monotonic()

    def _is_authentic(self, line: bytes) -> bool:
        """Return whether a message is a `Hello` with our token. Raises MalformedMessage if it cannot be decoded."""
        hello = self._codec.decode(line)
        return isinstance(hello, Hello) and compare_digest(
            str(hello.token).encode("utf-8", "replace"), self._token.encode()
        )

    def _handle_requests(self, lines: Iterator[bytes], connection: socket.socket) -> None:
        for line in lines:
            if self._closing.is_set():  # clients are directed to the new owner
                return
            answer = self._handle_request(line, connection)
            try:
                self._send(connection, answer)
            except MalformedMessage as error:  # an unsupported value
                self._send(connection, failure_of(error))

    def _send(self, connection: socket.socket, message: object) -> None:
        connection.sendall(self._codec.encode(message))

    def _handle_request(self, line: bytes, connection: socket.socket) -> Result | Failure:
        try:
            return Result(self._dispatch(self._codec.decode(line), connection))
        except Exception as error:  # noqa: BLE001 (the client raises it)
            if not isinstance(error, GraphmemError):
                _log.warning("call failed: %s", type(error).__name__)
            return failure_of(error)

    def _dispatch(self, request: object, connection: socket.socket) -> Any:
        if isinstance(request, Call):
            progress = _ProgressReporter(lambda message: self._send(connection, message)) if request.progress else None
            with for_account(bounds.name(request.account)):
                return self._handler(request.request, progress, partial(_has_left, connection))
        if isinstance(request, Ping):
            return True
        if isinstance(request, Hook | Command | Stop):
            return self._handler(request, None, partial(_has_left, connection))
        raise MalformedMessage("expected a request record")

    def close_inherited_sockets(self) -> None:
        """Close the sockets in a forked child, where they would outlive the parent."""
        for one in (self._socket, *self._connections):
            one.close()

    def close(self) -> None:
        """Stop listening and remove the socket."""
        self._closing.set()
        if inode_of(self._path) == self._socket_inode:  # otherwise it is the socket of a successor
            self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for clients
        self._socket.close()
        (self._store / place.ENDPOINT_FILE).unlink(missing_ok=True)


def _has_left(connection: socket.socket) -> bool:
    """Return whether the client of a running call has closed its side."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class _ProgressReporter:
    """Sends progress of a call to its client, at most ten times per second and stage."""

    def __init__(self, send: Callable[[Progress], None]) -> None:
        self._send = send
        self._pending: dict[str, int] = {}
        self._sent_at_s: dict[str, float] = {}

    def __call__(self, stage: str, count: int) -> None:
        self._pending[stage] = self._pending.get(stage, 0) + count
        now = time.monotonic()
        if now - self._sent_at_s.get(stage, 0.0) > 0.1:
            self._sent_at_s[stage] = now
            with contextlib.suppress(OSError):  # the work continues even if the client has disconnected
                self._send(Progress(stage, self._pending.pop(stage)))
