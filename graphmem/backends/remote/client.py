"""The client side: requests to the owner of a store, and the graph through it. After a lost connection, a request is
retried once, because the owner may just have been replaced."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphmem.backends.log import file_access
from graphmem.backends.log.file_access import inode_of
from graphmem.backends.remote import place
from graphmem.backends.remote.codec import MAX_MESSAGE_BYTES, Codec, Records
from graphmem.backends.remote.messages import (
    Call,
    Failure,
    GraphApply,
    GraphCursors,
    GraphQuery,
    GraphQueryUntrusted,
    GraphRefine,
    GraphSchema,
    Hello,
    Ping,
    Progress,
    Result,
    Stop,
    Welcome,
    codec_of,
    error_of,
    read_lines,
)
from graphmem.errors import GraphmemError, MalformedMessage, QueryStopped, StoreBusy, StoreError
from graphmem.model.changes import Changes
from graphmem.ports.callers import ACCOUNT, HAS_CALLER_LEFT
from graphmem.ports.graph import Rows
from graphmem.ports.request import Request
from graphmem.resources import VERSION, stamp

if TYPE_CHECKING:
    from filelock import FileLock

R = TypeVar("R")
_START = 60.0  # seconds that an owner may take to start and answer, on a machine under heavy load
_LATER = 10  # niceness of workers: what somebody waits for comes first
_PAUSE = 0.02  # seconds between attempts to connect to an owner
_GREETING = 5.0  # seconds that an owner may take to answer a handshake
_LOOK_S = 0.1  # seconds between two looks whether the caller is still there
_BROKEN = (OSError, StopIteration)
_OLD_STOP = b'{"call":"stop","arguments":{}}\n'  # owners started before messages were records


class Client:
    """A connection to the owner; threads take turns. `find` returns a new connection if the owner was replaced."""

    def __init__(self, link: Link, find: Callable[[], Link]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._spare: list[Link] = []  # connections for single requests
        self._link = link

    def run(self, request: Request[R], progress: Callable[[str, int], None] | None = None) -> R:
        """Return the result of an operation, or raise its error. `progress` gets the owner's progress."""
        return cast(R, self.ask(request, progress))

    def ask(self, wanted: object, progress: Callable[[str, int], None] | None = None) -> Any:
        """Return the result of any request. Raises its error, StoreError if the owner exited twice."""
        request = Call(wanted, progress is not None, ACCOUNT.get())
        with self._lock:
            try:
                return self._link.ask(request, progress)
            except _BROKEN:
                self._link.close()
                self._link = self._find()
                try:
                    return self._link.ask(request, progress)
                except _BROKEN:
                    raise StoreError(f"the owner of the store exited during {type(wanted).__name__}") from None

    def ask_once(self, wanted: object, has_left: Callable[[], bool] = lambda: False) -> Any:
        """Return the result of a request that must not be repeated. It has a separate connection: others do not wait for
        it, and the owner notices when this client disconnects. When `has_left` reports that the caller is gone, closes
        the connection and raises QueryStopped."""
        with self._lock:
            link = self._spare.pop() if self._spare else None
        if link is None or not link.is_alive():
            link = self._find()
        try:
            result = link.ask(Call(wanted), has_left=has_left)
        except _BROKEN:
            link.close()
            raise StoreError(
                f"the owner of the store exited during {type(wanted).__name__}; the request was not repeated"
            ) from None
        except _CallerLeft:
            link.close()
            raise QueryStopped("the caller of the query has left") from None
        except GraphmemError:
            self._spare.append(link)
            raise
        except BaseException:  # an answer may be in progress
            link.close()
            raise
        self._spare.append(link)
        return result

    def close(self) -> None:
        for spare in self._spare:
            spare.close()
        self._link.close()

    def close_inherited_sockets(self) -> None:
        """Close the sockets in a forked child, where they would outlive the parent."""
        self.close()


class _CallerLeft(Exception):
    """Nobody waits for the answer any more."""


class Link:
    """An authenticated connection to an owner."""

    def __init__(self, connection: socket.socket, codec: Codec) -> None:
        self._socket = connection
        self._codec = codec
        self._lines: Iterator[bytes] = read_lines(connection, lambda: MAX_MESSAGE_BYTES)

    def greet(self, token: str) -> Welcome | None:
        """Perform the handshake; None if the other side is not an owner with this protocol version."""
        try:
            self._socket.settimeout(_GREETING)
            self._socket.sendall(self._codec.encode(Hello(token)))
            answer = self._codec.decode(next(self._lines))
            self._socket.settimeout(None)
        except (*_BROKEN, MalformedMessage):
            return None
        return answer if isinstance(answer, Welcome) else None

    def is_alive(self) -> bool:
        """Return whether the owner still serves: an exiting one accepts messages but drops them. A dead link is closed."""
        try:
            return bool(self.ask(Ping()))
        except (*_BROKEN, GraphmemError):
            self.close()
            return False

    def ask(
        self,
        request: object,
        progress: Callable[[str, int], None] | None = None,
        has_left: Callable[[], bool] | None = None,
    ) -> Any:
        """Return the result of a request. Raises its error, OSError or StopIteration if the connection broke, _CallerLeft
        if `has_left` returns true."""
        self._socket.sendall(self._codec.encode(request))
        while True:
            if has_left is not None:
                self._wait(has_left)
            answer = self._codec.decode(next(self._lines))
            if isinstance(answer, Progress):
                if progress:
                    progress(answer.stage, answer.done)
            elif isinstance(answer, Failure):
                raise error_of(answer)
            elif isinstance(answer, Result):
                return answer.value
            else:
                raise MalformedMessage("the owner of the store did not answer")

    def _wait(self, has_left: Callable[[], bool]) -> None:
        """Wait until the owner says something."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            while not selector.select(_LOOK_S):
                if has_left():
                    raise _CallerLeft

    def dismiss(self) -> None:
        """Ask the owner to exit, also in the protocol of older versions."""
        with contextlib.suppress(OSError):
            self._socket.sendall(self._codec.encode(Stop()) + _OLD_STOP)

    def close(self) -> None:
        self._socket.close()


def connect(store: Path) -> socket.socket | None:
    """Return a connection to the running owner, or None."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(place.socket_path(store)))
        if place.is_same_user(connection):
            return connection
    except OSError:
        pass
    connection.close()
    return None


def is_reachable(store: Path) -> bool:
    """Return whether a running owner can be reached."""
    connection = connect(store)
    if connection is not None:
        connection.close()
    return connection is not None


def connect_or_start(
    store: Path, project: str, records: Records, *, own: Callable[[], bool] = lambda: False
) -> Client | None:
    """Return a client of the owner. If there is none, `own` may make this process the owner (then there is no client);
    otherwise an owner process is started. One of another version is asked to exit first. Raises StoreBusy for an owner
    that does not respond or has another version, StoreError if no owner process can be started."""
    codec = codec_of(records)
    link = _find(store, project, codec, own)
    return None if link is None else Client(link, lambda: _found(store, project, codec))


def _found(store: Path, project: str, codec: Codec) -> Link:
    """Return a new connection for a client that lost its own: it can no longer become the owner."""
    link = _find(store, project, codec, lambda: False)
    if link is None:
        raise StoreBusy("the store has no owner", store=str(store))
    return link


def _find(store: Path, project: str, codec: Codec, own: Callable[[], bool]) -> Link | None:
    """Return a connection to the owner. An exiting one may still hold the lock after its socket is gone."""
    deadline, started, failures, other = time.monotonic() + _START, None, 0, ""
    while time.monotonic() < deadline:
        connection = connect(store)
        if connection is not None:
            link = Link(connection, codec)
            other = refusal_of(link, store)
            if not other:
                return link
            link.close()
            if place.read_endpoint(store).get("kind") == "embedded":
                break
        elif not os.access(store, os.W_OK):
            raise StoreError(
                f"{store} is read-only, but this operation writes to it: {file_access.describe_fix(store)}",
                store=str(store),
            )
        elif own():
            return None
        elif started is None:
            started = start_daemon(store, project)
        elif started.poll() is not None:
            failures += started.returncode != 0
            if failures > 2:
                raise StoreError(f"the owner of the store cannot start: {why_not_started(store)}", store=str(store))
            started = start_daemon(store, project)
        time.sleep(_PAUSE)
    endpoint = place.read_endpoint(store)
    who = f"process {endpoint['pid']}" if endpoint.get("pid") else "another process"
    why = f"runs graphmem {other}, this is {VERSION}" if other else "has the store open but does not respond"
    raise StoreBusy(f"{who} {why}: end it, then try again", store=str(store), **endpoint)


def why_not_started(store: Path) -> str:
    """Return what keeps an owner from starting, as far as it can be told from outside."""
    if file_access.is_disk_full(store):
        return "the disk is full. Free some space; `graphmem doctor` says where"
    bars = file_access.list_access_problems(store)
    return f"{'; '.join(bars)}: {file_access.describe_fix(store)}" if bars else "see owner.log in the store"


def refusal_of(link: Link, store: Path) -> str:
    """Return why a running owner is unsuitable, otherwise "". It is asked to exit if it has another version, if its store
    or log was deleted, or if it is an owner process that started before settings or code changed. The files on disk are
    compared, not this process, so that old and new clients agree."""
    hello = link.greet(place.read_token(store))
    if hello is None:
        if place.read_endpoint(store).get("version") != VERSION:
            link.dismiss()
        return "an unknown version"
    replaced = (hello.store, hello.log) != (inode_of(store), inode_of(store / place.LOG))
    same = hello.version == VERSION and not replaced
    now = {"settings": place.settings_state(store), "code": stamp()}
    changed = [name for name, state in now.items() if getattr(hello, name) != state]
    if same and (not changed or place.read_endpoint(store).get("kind") == "embedded"):
        return ""
    link.dismiss()
    why = " for files that were replaced" if replaced else f" with other {' and '.join(changed)}" if same else ""
    return f"{hello.version}{why}"


def claim_from_daemon(store: Path) -> FileLock:
    """Return the claim to a store whose owner process was asked to exit; no other owner starts while it is held. Raises
    StoreBusy for another program with the graph open, or an owner process that does not exit."""
    deadline = time.monotonic() + _START
    while time.monotonic() < deadline:
        lock = place.claim_ownership(store)
        if lock is not None:
            return lock
        connection = connect(store)
        if connection is not None:
            with connection:
                if place.read_endpoint(store).get("kind") == "embedded":
                    break
                link = Link(connection, codec_of({}))
                link.greet(place.read_token(store))
                link.dismiss()
        time.sleep(_PAUSE * 5)
    pid = place.read_endpoint(store).get("pid", "another process")
    raise StoreBusy(f"process {pid} has the store open: end it, then try again", store=str(store))


def start_daemon(store: Path, project: str) -> subprocess.Popen[bytes] | None:
    """Start an owner process that outlives this one, or return None while another one starts or runs: on a slow machine,
    waiting clients would otherwise start one after the other. It exits if this or another program owns the store."""
    right = place.claim_start(store)
    if right is None:
        return None
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "graphmem.interfaces.daemon", str(store.resolve()), project, str(right)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, cwd=store, pass_fds=(right,),
        )  # fmt: skip
    finally:
        os.close(right)


def start_worker(work: str, store: Path) -> subprocess.Popen[bytes] | None:
    """Start a worker process of the owner, such as `graphmem.owner.fill` or `fold`; it ends, at the latest, with this
    process. None if it cannot be started."""
    try:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-m", f"graphmem.owner.{work}", str(store.resolve())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=store,
        )  # fmt: skip
    except OSError:
        return None
    with contextlib.suppress(OSError):  # nobody waits for it
        os.setpriority(os.PRIO_PROCESS, worker.pid, _LATER)
    return worker


class RemoteGraph:
    """GraphStore through the owner."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def apply(self, changes: Changes, cursors: Mapping[str, int]) -> None:
        self._client.ask(GraphApply(changes, dict(cursors)))

    def refine(self, names: Sequence[str]) -> None:
        self._client.ask(GraphRefine(list(names)))

    def cursors(self) -> dict[str, int]:
        return dict(self._client.ask(GraphCursors()))

    def query(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float = 0
    ) -> Rows:
        rows: Rows = self._client.ask(GraphQuery(cypher, dict(parameters or {}), limit, timeout))
        return rows

    def query_untrusted(
        self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None, timeout: float
    ) -> Rows:
        request = GraphQueryUntrusted(cypher, dict(parameters or {}), limit, timeout)
        rows: Rows = self._client.ask_once(request, HAS_CALLER_LEFT.get())
        return rows

    def schema(self) -> dict[str, Any]:
        return dict(self._client.ask(GraphSchema()))

    def close(self) -> None:
        self._client.close()
