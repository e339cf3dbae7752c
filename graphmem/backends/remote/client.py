"""The asking side: calls to the owner of a store, and the graph as seen through it. A lost connection is tried once
more, since the owner may just have been replaced."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.backends.log import frozen
from graphmem.backends.remote import place, protocol
from graphmem.errors import GraphmemError, StoreBusy, StoreError
from graphmem.model.changes import Changes
from graphmem.ports.graph import Rows
from graphmem.resources import VERSION, stamp

if TYPE_CHECKING:
    from filelock import FileLock

_LEAVE = 5.0  # seconds that an owner may take to leave
_START = 20.0  # seconds an owner may take to answer
_PAUSE = 0.02  # seconds between two looks for an owner


class Client:
    """One connection to the owner; calls from several threads take turns. `find` makes a new connection when the owner
    was replaced."""

    def __init__(self, connection: socket.socket, find: Callable[[], socket.socket]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._spare: list[Client] = []  # connections for calls that are made once
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

    def call_once(self, name: str, /, **arguments: Any) -> Any:
        """The result of a call that must not be repeated, whatever becomes of its owner. It has a connection of its own: others
        need not wait for it, and when this side leaves, the owner sees it."""
        message = protocol.encode({"call": name, "arguments": arguments, "progress": False})
        with self._lock:
            lone = self._spare.pop() if self._spare else None
        if lone is None or not lone._answers():
            lone = Client(self._find(), self._find)
        try:
            result = lone._exchange(message, None)
        except (OSError, StopIteration):
            lone.close()
            raise StoreError(f"the owner of the store broke off during `{name}`: it was not sent again") from None
        except BaseException as error:
            if isinstance(error, GraphmemError):
                self._spare.append(lone)
            else:  # an answer may be under way
                lone.close()
            raise
        self._spare.append(lone)
        return result

    def _answers(self) -> bool:
        """Whether the owner at the other end still serves: one that leaves takes what it is sent, and drops it."""
        try:
            self._exchange(protocol.encode({"call": "hello"}), None)
            return True
        except (OSError, StopIteration):
            self.close()
            return False

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
        for spare in self._spare:
            spare.close()
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


def answers(store: Path) -> bool:
    """Whether a living owner can be reached."""
    connection = connect(store)
    if connection is not None:
        connection.close()
    return connection is not None


def reach(store: Path, project: str, *, own: Callable[[], bool] = lambda: False) -> Client | None:
    """A client of the owner. Where there is none, `own` may make this process the owner (then there is no client), else
    a daemon is started. A daemon of another version is asked to leave first. Raises StoreBusy with what is known of an
    owner that does not answer or has another version, StoreError where no daemon can be started."""
    connection = _find(store, project, own)
    return None if connection is None else Client(connection, lambda: _found(store, project))


def _found(store: Path, project: str) -> socket.socket:
    """A connection for a client that lost its own: it cannot become the owner any more."""
    connection = _find(store, project, lambda: False)
    if connection is None:
        raise StoreBusy("the store has no owner", store=str(store))
    return connection


def _find(store: Path, project: str, own: Callable[[], bool]) -> socket.socket | None:
    """Owners come and go meanwhile: one that is leaving still holds the lock when its socket is gone."""
    deadline, started, failures, other = time.monotonic() + _START, None, 0, ""
    while time.monotonic() < deadline:
        connection = connect(store)
        if connection is not None:
            other = _otherwise(connection, store)
            if not other:
                return connection
            connection.close()
            if place.read_card(store).get("kind") == "embedded":
                break
        elif not os.access(store, os.W_OK):
            raise StoreError(
                f"{store} is read-only, and this would write to it: {frozen.remedy(store)}", store=str(store)
            )
        elif own():
            return None
        elif started is None:
            started = start(store, project)
        elif started.poll() is not None:
            failures += started.returncode != 0
            if failures > 2:
                bars = frozen.barred(store)
                why = f"{'; '.join(bars)}: {frozen.remedy(store)}" if bars else "see owner.log in the store"
                raise StoreError(f"the owner of the store cannot start: {why}", store=str(store))
            started = start(store, project)
        time.sleep(_PAUSE)
    card = place.read_card(store)
    who = f"process {card['pid']}" if card.get("pid") else "another process"
    why = f"runs graphmem {other}, this is {VERSION}" if other else "holds the store and does not answer"
    raise StoreBusy(f"{who} {why}: end it, then try again", store=str(store), **card)


def _otherwise(connection: socket.socket, store: Path) -> str:
    """The version of an owner that will not do, else "". It is told to leave if it is another version, was left behind by a
    store or a log that was deleted here, or is a daemon that began before the settings or the code changed: what lies there now is
    compared, not what this process runs, so that an old client and a new one agree."""

    def lost() -> socket.socket:
        raise OSError("the owner is leaving")

    client = Client(connection, lost)
    try:
        hello = client.call("hello")
        files = {"store": place.inode(store), "log": place.inode(store / place.LOG)}
        replaced = any(hello.get(name) != now for name, now in files.items())
        same = hello["version"] == VERSION and not replaced
        now = {"settings": place.settings_state(store), "code": stamp()}
        changed = [name for name, state in now.items() if hello.get(name) != state]
        if same and (not changed or place.read_card(store).get("kind") == "embedded"):
            return ""
        client.call("stop")
        why = " for files that were replaced" if replaced else f" with other {' and '.join(changed)}" if same else ""
        return f"{hello['version']}{why}"
    except (OSError, StoreError, StopIteration):
        return "an unknown version"


def dismiss(store: Path) -> FileLock:
    """The claim to a store whose daemon was told to leave; no other owner begins while it is held. Raises StoreBusy for a
    program that has the graph open itself, or a daemon that does not leave."""
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        lock = place.claim(store)
        if lock is not None:
            return lock
        connection = connect(store)
        if connection is not None:
            with connection:
                if place.read_card(store).get("kind") == "embedded":
                    break
                connection.sendall(protocol.encode({"call": "stop", "arguments": {}}))
        time.sleep(_PAUSE * 5)
    pid = place.read_card(store).get("pid", "another process")
    raise StoreBusy(f"process {pid} has the store open: end it, then try again", store=str(store))


def start(store: Path, project: str) -> subprocess.Popen[bytes]:
    """Start an owner that outlives this process. It gives way to one that is there already."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "graphmem.owner", str(store.resolve()), project],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, cwd=store,
    )  # fmt: skip


def helper(work: str, store: Path) -> subprocess.Popen[bytes] | None:
    """Start a process that shares the work of an owner, `graphmem.owner.fill` or `fold`, and ends, at the latest, when this
    one ends. None where none can be started."""
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", f"graphmem.owner.{work}", str(store.resolve())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=store,
        )  # fmt: skip
    except OSError:
        return None


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

    def query_untrusted(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float
    ) -> Rows:
        arguments = {"cypher": cypher, "parameters": dict(parameters or {}), "limit": limit, "timeout": timeout}
        rows: Rows = self._client.call_once("graph.query_untrusted", **arguments)
        return rows

    def schema(self) -> dict[str, Any]:
        return dict(self._client.call("graph.schema"))

    def close(self) -> None:
        self._client.close()
