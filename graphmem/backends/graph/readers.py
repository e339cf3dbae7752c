"""Runs untrusted Cypher in reader processes that can be killed: each has a snapshot of the graph's file, a timeout and a
memory limit. The process that owns the graph never runs such a query, and none is sent twice.

The engine does not allow a second process on a file that is being written, so readers get a copy. It is made for a query
if the graph has changed since the last one: a result always includes everything projected before the query.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.backends.graph.sentences import explain_error, timeout_of
from graphmem.backends.graph.values import decode_value, encode_value
from graphmem.backends.log.file_access import ROOM
from graphmem.errors import QueryStopped, StoreBusy, StoreError, UsageError
from graphmem.ports.graph import Rows

_CHUNK = 1 << 20  # bytes
_READERS = 2  # concurrent queries; others wait
_LONGEST_S = 600.0  # maximum run time, whatever the caller requests
_GRACE_S = 0.5  # the engine stops at the timeout; the process is killed this much later
_OPENING_S = 30.0  # seconds in which a reader starts and opens a graph
_LOOK_S = 0.05  # seconds between checks whether the caller still waits
_PASSED = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PATH")


class ReadLimits(NamedTuple):
    """Limits of a query: memory besides the graph's own, and bytes of its result as JSON."""

    memory_mb: int = 512
    result_mb: int = 16


class Snapshot(NamedTuple):
    """An immutable file, and the version of the graph in it."""

    path: Path
    version: int


class Readers:
    """The reader processes of a graph; `package` is that of its engine. `snapshot` returns the current graph; `nodes` has the
    columns of each label. Thread-safe."""

    def __init__(
        self,
        package: str,
        snapshot: Callable[[], Snapshot],
        nodes: Mapping[str, Mapping[str, str]],
        limits: ReadLimits,
    ) -> None:
        self._package = package
        self._snapshot = snapshot
        self._nodes = {label: list(columns) for label, columns in nodes.items()}
        self._limits = limits
        self._turns = threading.BoundedSemaphore(_READERS)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._generation = 0  # readers of an earlier version are not reused
        self._used = time.monotonic()

    def query(
        self,
        cypher: str,
        parameters: Mapping[str, Any],
        *,
        limit: int | None,
        timeout_s: float,
        has_left: Callable[[], bool],
    ) -> Rows:
        """Return the result of a query. Raises QueryTimeout, QueryStopped if it needed too much memory or ended its
        reader, UsageError for invalid Cypher, StoreBusy if other queries ran all the time. When `has_left` returns that
        the caller has disconnected, the query is killed."""
        try:
            for name, value in parameters.items():
                _check_parameter(name, value)
        except RecursionError:
            raise UsageError("a parameter has too many nested lists") from None
        timeout_s, self._used = min(timeout_s, _LONGEST_S), time.monotonic()
        self._take_turn(timeout_s, has_left)
        began = time.monotonic()
        try:
            process = self._take()
            try:
                self._open(process)
                left_s = max(
                    timeout_s / 2, timeout_s - (time.monotonic() - began)
                )  # opening counts, but for half of it
                return self._ask(process, cypher, parameters, limit, left_s, has_left)
            except _Late:
                raise timeout_of(timeout_s) from None
            finally:
                self._put_back(process)
        finally:
            self._used = time.monotonic()
            self._turns.release()

    @property
    def unused_s(self) -> float:
        """Return seconds since the last query; 0 if no reader is waiting."""
        return time.monotonic() - self._used if self._idle else 0.0

    def close(self, *, kill: bool = False) -> None:
        """End waiting readers, with `kill` also running ones."""
        with self._lock:
            self._generation += 1
            ended, self._idle = self._idle, []
            ended += self._busy if kill else ()
        for process in ended:
            process.kill()

    def _take_turn(self, timeout_s: float, has_left: Callable[[], bool]) -> None:
        deadline = time.monotonic() + timeout_s
        while not self._turns.acquire(timeout=_LOOK_S):
            if has_left():
                raise QueryStopped("the client of the query disconnected")
            if time.monotonic() > deadline:
                raise StoreBusy(f"{_READERS} other queries were still running after {timeout_s:g} s: try again later")

    def _take(self) -> _Process:
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if process.is_alive:
                    break
                process.kill()
            else:
                process = _Process(self._package, self._generation)
            self._busy.add(process)
            return process

    def _put_back(self, process: _Process) -> None:
        """Keep a reader for reuse, unless it is still busy or its heap is fragmented; then start the next one in advance."""
        with self._lock:
            self._busy.discard(process)
            if not process.is_spent and process.generation == self._generation:
                self._idle.append(process)
                return
        process.kill()
        if process.generation == self._generation:
            with contextlib.suppress(StoreError):  # the next caller gets the error
                fresh = _Process(self._package, process.generation)
                with self._lock:
                    self._idle.append(fresh)

    def _open(self, process: _Process) -> None:
        """Make the reader open the current graph. If the copy is replaced meanwhile, retry with the next."""
        for last in (False, True):
            snapshot = self._snapshot()
            if process.version == snapshot.version:
                return
            process.version = -1
            half = self._limits.memory_mb << 19  # half for the engine's pages, half for the rest
            wanted = {"path": str(snapshot.path), "pool_bytes": half, "memory_bytes": half, "nodes": self._nodes}
            try:
                process.send({"open": wanted})
                answer = process.receive(time.monotonic() + _OPENING_S, lambda: False)
            except (_Ended, _Late):
                raise StoreError("the reader process could not open the graph: try again") from None
            if "opened" in answer:
                process.version = snapshot.version
                return
            if last:
                said = explain_error(answer.get("said", "")) or "not enough memory"
                raise StoreError(f"the graph could not be opened for reading: {said}")

    def _ask(
        self,
        process: _Process,
        cypher: str,
        parameters: Mapping[str, Any],
        limit: int | None,
        timeout_s: float,
        has_left: Callable[[], bool],
    ) -> Rows:
        request = {
            "cypher": cypher, "parameters": encode_value(dict(parameters)), "limit": limit,
            "timeout_ms": max(1, int(timeout_s * 1000)), "most_bytes": self._limits.result_mb << 20,
        }  # fmt: skip
        deadline = time.monotonic() + timeout_s + _GRACE_S
        columns: list[str] = []
        rows: list[list[Any]] = []
        try:
            process.send({"query": request})
            while "end" not in (answer := process.receive(deadline, has_left)):
                if "error" in answer:
                    raise self._error(answer)
                columns = answer.get("columns", columns)
                rows += (decode_value(row) for row in answer.get("rows", ()))
        except _Ended as ended:
            raise QueryStopped(
                f"the query crashed the process that ran it ({ended}): it breaks the graph engine, or needs"
                f" more than {self._limits.memory_mb} MB; it was not sent again"
            ) from None
        return Rows(columns, rows, truncated=answer["end"])

    def _error(self, answer: dict[str, Any]) -> Exception:
        kind, limits = answer["error"], self._limits
        if kind == "memory":
            return QueryStopped(
                f"the query needs more memory than {limits.memory_mb} MB and was stopped: narrow it, or raise"
                " `query_memory_mb` under [graph] in settings.toml"
            )
        if kind == "size":
            return QueryStopped(f"a single row of the result exceeds {limits.result_mb} MB: return less data")
        if kind == "timeout":
            return _Late()
        if kind == "several":
            return UsageError("one statement at a time: remove the `;`")
        return UsageError(f"Cypher: {explain_error(answer['said'])}")


def _check_parameter(name: str, value: Any) -> None:
    """Raise UsageError for a parameter of a type that the engine does not support."""
    if isinstance(value, list | tuple):
        for item in value:
            _check_parameter(name, item)
    elif isinstance(value, Mapping):
        for item in value.values():
            _check_parameter(name, item)
    elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise UsageError(f"the parameter `{name}` has more than 64 bits: pass it as text", parameter=name)
    elif value is not None and not isinstance(value, bool | int | float | str | datetime):
        raise UsageError(
            f"the parameter `{name}` has a type that Cypher does not support: {type(value).__name__}", parameter=name
        )


class _Late(Exception):
    """No answer in time."""


class _Ended(Exception):
    """The process ended; says how."""


class _Process:
    """One reader process. A thread reads its answers, so that waiting has a timeout on every system."""

    def __init__(self, package: str, generation: int) -> None:
        self.generation = generation
        self.version = -1  # of its open snapshot
        self.is_spent = False  # still busy, or out of memory
        environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
        environment["MALLOC_ARENA_MAX"] = "1"  # otherwise each thread's heap takes 64 MB of address space
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "graphmem.backends.graph.reader", package], env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            raise StoreError(f"cannot start a process to read the graph: {error.strerror or error}") from error
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="graphmem-reader", daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._answers.put(line)
        self._answers.put(b"")

    @property
    def is_alive(self) -> bool:
        """Return whether it accepts requests."""
        return self._process.poll() is None

    def send(self, request: dict[str, Any]) -> None:
        """Send a request. Raises _Ended."""
        assert self._process.stdin is not None
        self.is_spent = True
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise _Ended(self._end()) from None

    def receive(self, deadline: float, has_left: Callable[[], bool]) -> dict[str, Any]:
        """Return the next line of its answer. Raises _Late after the deadline (monotonic seconds), _Ended, or
        QueryStopped if the caller has disconnected."""
        while True:
            left = deadline - time.monotonic()
            try:
                line = self._answers.get(timeout=max(0.0, min(left, _LOOK_S)))
            except queue.Empty:
                if left <= 0:
                    raise _Late from None
                if has_left():
                    raise QueryStopped("the client of the query disconnected") from None
                continue
            if not line.endswith(b"\n"):
                raise _Ended(self._end())
            answer: dict[str, Any] = json.loads(line)
            self.is_spent = not answer.keys() & {"end", "opened", "error"} or answer.get("error") == "memory"
            return answer

    def _end(self) -> str:
        status = self._process.wait()
        with contextlib.suppress(ValueError):
            return signal.Signals(-status).name
        return f"status {status}"

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()


def copy_file(source: Path, places: Sequence[Path]) -> Path:
    """Copy a file to the first of these locations with sufficient space, readable only by this user, sharing blocks if
    the file system supports it. Return the location. Raises StoreError if none has space."""
    target = choose_place(source, source.stat().st_size, places)
    try:
        return _copied(source, target.with_name(target.name + ".new")).replace(target)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"the graph cannot be copied for a query: {why}", path=str(source)) from error


def choose_place(source: Path, size: int, places: Sequence[Path]) -> Path:
    """Return the first of these locations with space for a copy of this size. Raises StoreError if none has it."""
    needed = size + ROOM
    target = next((place for place in places if shutil.disk_usage(place.parent).free >= needed), None)
    if target is None:
        raise StoreError(
            f"the disk is full: a query needs {needed >> 20} MB for a copy of {source.name}", path=str(source)
        )
    return target


def _copied(source: Path, target: Path) -> Path:
    """Copy a file with its holes: most pages of a graph are empty."""
    with open(source, "rb") as taken, open(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as made:
        size = os.fstat(taken.fileno()).st_size
        for start, end in _ranges_with_data(taken.fileno(), size):
            try:
                while start < end and (
                    done := os.copy_file_range(taken.fileno(), made.fileno(), end - start, start, start)
                ):
                    start += done
            except (AttributeError, OSError):  # not supported by this system, or between these file systems
                taken.seek(start)
                made.seek(start)
                while start < end and (chunk := taken.read(min(_CHUNK, end - start))):
                    start += made.write(chunk)
        made.truncate(size)
    return target


def _ranges_with_data(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the parts of an open file that are not holes, as far as the file system knows."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
            at = os.lseek(file, start, os.SEEK_HOLE)
        except (AttributeError, OSError) as error:
            if getattr(error, "errno", 0) == errno.ENXIO:  # there is only a hole
                return
            start, at = at, size
        yield start, at
