"""The protocol between the owner of a graph and its clients. A client sends the token from the owner's endpoint file, then one
request after another; the owner answers each with any number of `Progress`, and one `Result` or `Failure`."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from graphmem.backends.remote.codec import Codec, Records
from graphmem.errors import GraphmemError, MalformedMessage, error_named, message_of
from graphmem.model.changes import Changes


class Hello(NamedTuple):
    """The first message of a client: the token, which only this user can read."""

    token: str


class Welcome(NamedTuple):
    """The answer to `Hello`: the owner's version, the state of its code and settings, the inodes of its files, and its
    process id."""

    version: str
    code: str
    settings: int
    store: int
    log: int
    pid: int


class Stop(NamedTuple):
    """Asks the owner to exit."""


class Call(NamedTuple):
    """Runs an operation or a graph query; with `progress`, the client wants progress messages. `account` is the user of a
    shared server who asks."""

    request: Any
    progress: bool = False
    account: str = ""


class GraphApply(NamedTuple):
    """Applies changes to the graph, and sets these cursors."""

    changes: Changes
    cursors: dict[str, int]


class GraphRefine(NamedTuple):
    """Runs these derivation queries."""

    names: list[str]


class GraphCursors(NamedTuple):
    """Asks for the position of each projection."""


class GraphQuery(NamedTuple):
    """Runs a Cypher query; `timeout` in seconds, 0 for none."""

    cypher: str
    parameters: dict[str, Any]
    limit: int | None
    timeout: float


class GraphQueryUntrusted(NamedTuple):
    """Runs untrusted Cypher in a reader process; `timeout` in seconds."""

    cypher: str
    parameters: dict[str, Any]
    limit: int | None
    timeout: float


class Ping(NamedTuple):
    """Asks whether the owner still serves."""


class GraphSchema(NamedTuple):
    """Asks for labels, relations and properties."""


class Hook(NamedTuple):
    """An agent hook: `given` is its input, a JSON object as text; `until` is when it stops waiting, in microseconds since
    1970. The result is a JSON object as text."""

    event: str
    given: str
    until: int


class Command(NamedTuple):
    """A command line of a thin client, as the text of a JSON object: its `words`, the working `directory`, and properties
    of its `terminal`. The result is the text of `[status, output, error output]`, or "" if the client must run the
    command itself."""

    text: str


class Progress(NamedTuple):
    """Number of steps of a stage completed since the last message."""

    stage: str
    done: int


class Result(NamedTuple):
    """The result of a request."""

    value: Any


class Failure(NamedTuple):
    """The error of a request: class name in `graphmem.errors`, message and data."""

    kind: str
    message: str
    data: dict[str, Any]


_GRAPH: tuple[type, ...] = (GraphApply, GraphRefine, GraphCursors, GraphQuery, GraphQueryUntrusted, GraphSchema)
_MESSAGES: tuple[type, ...] = (Hello, Welcome, Ping, Stop, Call, Hook, Command, Progress, Result, Failure, *_GRAPH)


def codec_of(records: Records) -> Codec:
    """Return a codec for messages with these records."""
    return Codec({**{kind.__name__: kind for kind in _MESSAGES}, **records})


def failure_of(error: BaseException) -> Failure:
    """Convert an error to a message."""
    data = error.data if isinstance(error, GraphmemError) else {}
    return Failure(type(error).__name__, message_of(error), data)


def error_of(failure: Failure) -> GraphmemError:
    """Convert a message to an error, of its original class if it is one of graphmem's."""
    return error_named(failure.kind, failure.message, failure.data)


def read_lines(connection: socket.socket, longest: Callable[[], int]) -> Iterator[bytes]:
    """Yield lines until the other side closes. Raises MalformedMessage for one longer than `longest()` bytes."""
    pending = bytearray()
    while chunk := connection.recv(1 << 16):
        start = len(pending)
        pending += chunk
        while (end := pending.find(b"\n", start)) >= 0:
            yield bytes(pending[:end])
            del pending[: end + 1]
            start = 0
        if len(pending) > longest():
            raise MalformedMessage("a message is too long")
