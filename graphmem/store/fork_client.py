"""A memory in a forked process: each call goes to a process of its own, which opens the store as a new client. See
`forked`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pickle import PicklingError
from typing import Any, NamedTuple

from graphmem.errors import StoreError, UsageError
from graphmem.store.forked import Opening, change_class, keep_for_ever

_LEAVE_S = 20.0  # seconds in which the process finishes after `close`
_CLOSED = "this memory was closed: open it again with `Memory.open`"
_NOT_HERE = "{} cannot be used in a forked process: open the memory in a program of its own"


class ForkRequest(NamedTuple):
    """An attribute of the memory, with arguments if it is to be called."""

    path: tuple[str, ...]
    given: tuple[tuple[Any, ...], dict[str, Any]] | None
    directory: str


class ForkResponse(NamedTuple):
    """The answer: a value, an error (its class, arguments and attributes), or that the attribute has parts."""

    value: Any = None
    error: tuple[type[BaseException], tuple[Any, ...], dict[str, Any]] | None = None
    has_parts: bool = False


class Relay:
    """The process that opens the store for a forked one: started on first use, and ends with it. Threads take turns."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection[ForkRequest | Opening, ForkResponse] | None = None
        self._closed = False

    def ask(self, path: tuple[str, ...], given: tuple[tuple[Any, ...], dict[str, Any]] | None = None) -> Any:
        """Return an attribute, or the result of a call. Raises its error."""
        with self._lock:
            if self._closed:
                raise UsageError(_CLOSED)
            response = self._exchange(ForkRequest(path, given and _portable(given), os.getcwd()))  # noqa: PTH109
        if response.error is not None:
            kind, arguments, attributes = response.error
            error = kind.__new__(kind, *arguments)
            error.__dict__.update(attributes)
            raise error
        return RemotePart(self, path) if response.has_parts else response.value

    def _exchange(self, request: ForkRequest) -> ForkResponse:
        pipe = self._pipe or self._start()
        try:
            pipe.send(request)
        except (AttributeError, TypeError, ValueError, PicklingError) as error:  # nothing was sent
            raise UsageError(_NOT_HERE.format(".".join(request.path))) from error
        except OSError:
            self._end()
            raise StoreError("the process that opens the store for this fork has ended: try again") from None
        try:
            return pipe.recv()
        except (EOFError, OSError):
            self._end()
            raise StoreError("the process that opens the store for this fork has ended: try again") from None
        except BaseException:  # interrupted: its answer would be taken for the next one
            self._end()
            raise

    def _start(self) -> Connection[ForkRequest | Opening, ForkResponse]:
        pipe, other = Pipe()
        with other:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "graphmem.owner.fork_server", str(other.fileno())],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[other.fileno()],
                )  # fmt: skip
            except OSError as error:
                reason = error.strerror or error
                raise StoreError(f"no process can be started that opens the store for this fork: {reason}") from error
        self._pipe = pipe
        pipe.send(self.opening)
        return pipe

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.kill()
            process.wait()

    def close(self) -> None:
        """Let the process close the store and wait until it ended."""
        with self._lock:
            self._closed = True
            if self._pipe is not None:
                self._pipe.close()
                if self._process is not None:
                    with suppress(subprocess.TimeoutExpired):
                        self._process.wait(_LEAVE_S)
                self._pipe = None
                self._end()

    def new_for_fork(self) -> Relay:
        """Return another relay for a fork of the fork: the pipe of this one belongs to the parent."""
        if self._pipe is not None:
            self._pipe.close()  # otherwise the process would outlive the parent
        keep_for_ever(self)
        return Relay(self.opening)


class RemotePart:
    """A part of a memory, such as its tasks."""

    def __init__(self, relay: Relay, path: tuple[str, ...]) -> None:
        self._relay, self._path = relay, path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._relay.ask((*self._path, name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._relay.ask(self._path, (arguments, named))


class ForkedMemory:
    """The first base class of a memory in a fork: the relay answers for every public name."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or name == "_relay":
            return object.__getattribute__(self, name)
        if name.startswith("_"):
            raise UsageError(_NOT_HERE.format("this memory"))
        relay: Relay = object.__getattribute__(self, "_relay")
        return relay.close if name == "close" else relay.ask((name,))


def replace_in_fork(memory: Any) -> None:
    """Turn a memory into a proxy; it keeps its identity and its class."""
    inherited = object.__getattribute__(memory, "__dict__")
    if isinstance(memory, ForkedMemory):
        inherited["_relay"] = inherited["_relay"].new_for_fork()
        return
    relay = Relay(inherited["_store"].opening)
    keep_for_ever(dict(inherited))
    inherited.clear()
    inherited["_relay"] = relay
    change_class(memory, ForkedMemory)


def _portable(given: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments that can be sent: iterators become lists; the progress callback is dropped, as it cannot be called."""
    arguments, named = given
    named = {name: value for name, value in named.items() if name != "progress"}
    return tuple(map(_read_out, arguments)), {name: _read_out(value) for name, value in named.items()}


def _read_out(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) else value
