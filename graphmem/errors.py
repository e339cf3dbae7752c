"""The exception hierarchy. Each message is one sentence that says what is wrong and how to fix it. `data` holds the values,
so callers need not parse the message.

    GraphmemError
    ├── UsageError            the request is invalid: exit status 2
    │   ├── NotFound          an id, symbol, file or repository does not exist
    │   │   └── AmbiguousName a name that several symbols have; `candidates` are their keys
    │   ├── AccessDenied      the account has no right to do this on a shared server
    │   ├── LimitReached      a rate limit or quota of a shared server is used up
    │   ├── ForbiddenQuery    a Cypher query is not read-only, or accesses files
    │   └── NotInstalled      an optional dependency is missing; also an ImportError
    ├── StoreError            the store cannot do this now: exit status 1
    │   ├── StoreBusy         another process owns the store
    │   ├── StoreDamaged      a file of the store is damaged; `graphmem doctor` says what to do
    │   ├── MalformedMessage  a malformed message between the owner and its clients
    │   ├── BufferFull        the graph's memory limit is too small for the data being written
    │   ├── QueryTimeout      a query exceeded its time limit and was stopped
    │   └── QueryStopped      a query exceeded its memory limit or crashed the engine; not retried
    ├── SourceError           input could not be read: exit status 1
    └── ModelError            a language model gave no usable answer; the rules are used instead
"""

from __future__ import annotations

from typing import Any

_QUOTATION = ("Could not decode to UTF-8 column", " with text '")  # SQLite quotes what it read after these
FREE_SPACE = "free some space, then run the same command again; what was stored before is not lost"
_REBUILD = ": run `graphmem rebuild`"
_MAX_MESSAGE_CHARS = 2_000  # maximum characters of a message, which may quote user input


class GraphmemError(Exception):
    """Base of all errors that graphmem raises deliberately."""

    exit_status = 1

    def __init__(self, message: str, **data: Any) -> None:
        message = _shortened(_without_stored_text(message))
        super().__init__(message)
        self.message = message
        self.data = data


class UsageError(GraphmemError):
    """The request is invalid."""

    exit_status = 2


class NotFound(UsageError):
    """An id, symbol, file or repository does not exist."""


class AmbiguousName(NotFound):
    """Several symbols have the name. `data["candidates"]` has their keys, the most used ones first."""


class CodeIndexMissing(NotFound):
    """Code was indexed, but its index is missing, or of another version: `data["root"]` is then what to index again."""


class ForbiddenQuery(UsageError):
    """A Cypher query is not read-only, or accesses files."""


class AccessDenied(UsageError):
    """The account has no right to do this on a shared server."""


class LimitReached(UsageError):
    """A rate limit or quota of a shared server is used up. `data["retry_after_s"]` says when to try again, None if never."""


class NotInstalled(UsageError, ImportError):
    """An optional dependency (extra) of graphmem is missing."""


class StoreError(GraphmemError):
    """The store cannot do this now. On a full disk, the advice is not to rebuild, which needs room, but to make some."""

    def __init__(self, message: str, **data: Any) -> None:
        if _REBUILD in message and "path" in data:
            message = _with_room_first(message, str(data["path"]))
        super().__init__(message, **data)


class StoreBusy(StoreError):
    """Another process owns the store."""


class LogUnreachable(StoreError):
    """The server with the log is away. What is on this machine is intact."""


class StoreDamaged(StoreError):
    """A file of the store is damaged."""


class StoreOfLaterVersion(StoreError):
    """A later version of graphmem wrote the store; this one changes nothing in it."""


class MalformedMessage(StoreError):
    """A malformed message between the owner of a store and its clients."""


class BufferFull(StoreError):
    """The graph's memory limit is too small for the data being written."""


class QueryTimeout(StoreError):
    """A query exceeded its time limit and was stopped."""


class QueryStopped(StoreError):
    """A query exceeded its memory limit or crashed the graph engine; it is not retried."""


class SourceError(GraphmemError):
    """Input could not be read."""


class ModelError(GraphmemError):
    """A language model gave no usable answer."""


def message_of(error: BaseException) -> str:
    """Return the message of any error, without the stored text that an error of SQLite may quote."""
    return _without_stored_text(str(error))


def _with_room_first(message: str, path: str) -> str:
    from pathlib import Path

    from graphmem.disk import room_left

    return message if room_left(Path(path)) is None else message.replace(_REBUILD, f": the disk is full: {FREE_SPACE}")


def _without_stored_text(message: str) -> str:
    """Return a message up to the name of the column. The quotation may lack its end, so nothing after it is kept."""
    head, found, _ = message.partition(_QUOTATION[1])
    return head if found and _QUOTATION[0] in head else message


def _shortened(message: str) -> str:
    """Return a message that can be encoded, shortened in the middle if too long."""
    if not message.isascii():
        message = message.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes "?"
    if len(message) <= _MAX_MESSAGE_CHARS:
        return message
    return f"{message[: _MAX_MESSAGE_CHARS // 2]} … {message[-_MAX_MESSAGE_CHARS // 4 :]}"


def error_named(kind: str, message: str, data: dict[str, Any]) -> GraphmemError:
    """Recreate an error from another process by class name; StoreError for an unknown class."""
    error = _KINDS.get(kind, StoreError)(message)
    error.data = data
    return error


_KINDS: dict[str, type[GraphmemError]] = {
    name: kind for name, kind in globals().items() if isinstance(kind, type) and issubclass(kind, GraphmemError)
}
