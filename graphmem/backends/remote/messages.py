"""What the owner of a graph and its clients say to each other. A client greets with the token of the owner's card, then
sends one request after another; the owner answers each with any number of `Progress`, and one `Result` or `Failure`."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from graphmem.backends.remote.codec import Codec, Records
from graphmem.errors import GraphmemError, MalformedMessage, error_named
from graphmem.model.changes import Changes


class Hello(NamedTuple):
    """The first message of a client: the token that only this user can read."""

    token: str


class Welcome(NamedTuple):
    """The answer to `Hello`: the owner's version, the state of its code and settings, the inodes of its files, its process."""

    version: str
    code: str
    settings: int
    store: int
    log: int
    pid: int


class Stop(NamedTuple):
    """Asks the owner to leave."""


class Call(NamedTuple):
    """Runs an operation, or asks the graph; with `progress`, the client wants to hear how far it is."""

    request: Any
    progress: bool = False


class GraphApply(NamedTuple):
    """Applies changes to the graph, and sets these cursors."""

    changes: Changes
    cursors: dict[str, int]


class GraphRefine(NamedTuple):
    """Runs these concluding queries."""

    names: list[str]


class GraphCursors(NamedTuple):
    """Asks how far each projection got."""


class GraphQuery(NamedTuple):
    """Asks the graph in Cypher; `timeout` in seconds, 0 for none."""

    cypher: str
    parameters: dict[str, Any]
    limit: int | None
    timeout: float


class GraphQueryUntrusted(NamedTuple):
    """Asks the graph in Cypher from outside, which runs in a reader process; `timeout` in seconds."""

    cypher: str
    parameters: dict[str, Any]
    limit: int | None
    timeout: float


class Ping(NamedTuple):
    """Asks whether the owner still serves."""


class GraphSchema(NamedTuple):
    """Asks for labels, relations and properties."""


class Hook(NamedTuple):
    """A hook of an agent: `given` is its input, a JSON object as text; `until` is when it stops waiting, in microseconds
    since 1970. The result is a JSON object as text, too."""

    event: str
    given: str
    until: int


class Command(NamedTuple):
    """A command line of a thin client, as text of a JSON object: its `words`, the `directory` it was typed in, and what is
    known of its `terminal`. The result is text of `[status, output, error output]`, or "" where the client has to run the
    command by itself."""

    text: str


class Progress(NamedTuple):
    """How many steps of a stage were done since the last message."""

    stage: str
    done: int


class Result(NamedTuple):
    """The answer to a request."""

    value: Any


class Failure(NamedTuple):
    """The error of a request: the name of its class in `graphmem.errors`, its sentence and its data."""

    kind: str
    message: str
    data: dict[str, Any]


_GRAPH: tuple[type, ...] = (GraphApply, GraphRefine, GraphCursors, GraphQuery, GraphQueryUntrusted, GraphSchema)
_MESSAGES: tuple[type, ...] = (Hello, Welcome, Ping, Stop, Call, Hook, Command, Progress, Result, Failure, *_GRAPH)


def codec_of(records: Records) -> Codec:
    """Return a codec for messages that carry these records."""
    return Codec({**{kind.__name__: partial(_itself, kind) for kind in _MESSAGES}, **records})


def _itself(kind: type) -> type:
    return kind


def failure_of(error: BaseException) -> Failure:
    """Return an error as a message."""
    data = error.data if isinstance(error, GraphmemError) else {}
    return Failure(type(error).__name__, str(error), data)


def error_of(failure: Failure) -> GraphmemError:
    """Return the error of a message, of its own class where that is one of ours."""
    return error_named(failure.kind, failure.message, failure.data)


def read_lines(connection: socket.socket, longest: Callable[[], int]) -> Iterator[bytes]:
    """Yield the lines that arrive until the other side closes. Raises MalformedMessage for one longer than `longest()`
    bytes."""
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
