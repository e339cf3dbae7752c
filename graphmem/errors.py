"""The one tree of errors. Each message is one sentence that says what is wrong and what to do; `data` carries the
values so that no caller has to parse the sentence.

    GraphmemError
    ├── UsageError            the caller asked for something that cannot be: exit status 2
    │   ├── NotFound          an id, symbol, file or repository that is not there
    │   ├── ForbiddenQuery    Cypher that is not read-only, or touches files
    │   └── NotInstalled      an extra that the caller needs is missing; an ImportError, too
    ├── StoreError            the store cannot do it now: exit status 1
    │   ├── StoreBusy         another process owns the store
    │   ├── StoreDamaged      a file of the store is broken; `graphmem doctor` says what to do
    │   ├── MalformedMessage  a message between the owner and its clients that is none
    │   ├── BufferFull        the memory that the graph may take is too little for what is written
    │   ├── QueryTimeout      a query ran over its limit and was stopped
    │   └── QueryStopped      a query took too much memory, or broke the graph engine; it is not tried again
    ├── SourceError           input that could not be read: exit status 1
    └── ModelError            a language model gave no usable answer; the rules go on without it
"""

from __future__ import annotations

from typing import Any

_LONGEST = 2_000  # characters of a message: it may quote what a caller sent, though not all of a file


class GraphmemError(Exception):
    """Base of all errors that graphmem raises on purpose."""

    exit_status = 1

    def __init__(self, message: str, **data: Any) -> None:
        message = _shortened(message)
        super().__init__(message)
        self.message = message
        self.data = data


class UsageError(GraphmemError):
    """The caller asked for something that cannot be."""

    exit_status = 2


class NotFound(UsageError):
    """An id, symbol, file or repository that is not there."""


class ForbiddenQuery(UsageError):
    """Cypher that is not read-only, or that touches files."""


class NotInstalled(UsageError, ImportError):
    """An extra of graphmem is missing."""


class StoreError(GraphmemError):
    """The store cannot do it now."""


class StoreBusy(StoreError):
    """Another process owns the store."""


class StoreDamaged(StoreError):
    """A file of the store is broken."""


class MalformedMessage(StoreError):
    """A message between the owner of a store and its clients that is none."""


class BufferFull(StoreError):
    """The memory that the graph may take is too little for what is written."""


class QueryTimeout(StoreError):
    """A query ran over its limit and was stopped."""


class QueryStopped(StoreError):
    """A query took too much memory, or broke the graph engine; it is not tried again."""


class SourceError(GraphmemError):
    """Input that could not be read."""


class ModelError(GraphmemError):
    """A language model gave no usable answer."""


def _shortened(message: str) -> str:
    """A message that every encoder takes and a person can read: its beginning and its end, where it is too long."""
    if not message.isascii():
        message = message.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes "?"
    if len(message) <= _LONGEST:
        return message
    return f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 4 :]}"


def error_named(kind: str, message: str, data: dict[str, Any]) -> GraphmemError:
    """Return an error that another process raised, by the name of its class; a StoreError for one that is not ours."""
    error = _KINDS.get(kind, StoreError)(message)
    error.data = data
    return error


_KINDS: dict[str, type[GraphmemError]] = {
    name: kind for name, kind in globals().items() if isinstance(kind, type) and issubclass(kind, GraphmemError)
}
