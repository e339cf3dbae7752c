"""Cypher from outside, run where it can be killed: a few reader processes, each on a snapshot of the graph's file, with a
deadline and a bound of memory. The process that owns the graph never runs such a query, and none is sent twice.

The engine refuses a second process on its file while one writes to it, so readers get a copy. It is made when a query comes and
the graph has changed since the last one: an answer never lacks what was projected before the question."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.backends.graph.sentences import explain_error
from graphmem.backends.graph.values import pack, unpack
from graphmem.backends.log.frozen import ROOM
from graphmem.errors import QueryStopped, QueryTimeout, StoreBusy, StoreError, UsageError
from graphmem.ports.graph import Rows

_READERS = 2  # queries that run at once; others wait
_LONGEST_S = 600.0  # no query runs longer, whatever its caller asks for
_GRACE_S = 0.5  # the engine stops by itself at the deadline; so much later its process is killed
_OPENING_S = 30.0  # seconds in which a reader starts and opens a graph
_LOOK_S = 0.05  # seconds between two looks whether the caller is still there
_PASSED = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PATH")


class ReadLimits(NamedTuple):
    """What one query may take: memory beside the graph's own, and bytes of its answer as JSON."""

    memory_mb: int = 512
    result_mb: int = 16


class Snapshot(NamedTuple):
    """A file that no longer changes, and which state of the graph it holds."""

    path: Path
    version: int


class Readers:
    """The reader processes of one graph. `snapshot` returns the graph as it is now; `nodes` has the columns of each label.
    Safe for several threads."""

    def __init__(
        self, snapshot: Callable[[], Snapshot], nodes: Mapping[str, Mapping[str, str]], limits: ReadLimits
    ) -> None:
        self._snapshot = snapshot
        self._nodes = {label: list(columns) for label, columns in nodes.items()}
        self._limits = limits
        self._turns = threading.BoundedSemaphore(_READERS)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._generation = 0  # those of an earlier one are not used again
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
        """Return the answer of a query. Raises QueryTimeout, QueryStopped where it took too much memory or ended its
        reader, UsageError for bad Cypher, StoreBusy where others run for the whole time. When `has_left` says that its
        caller is gone, the query is killed."""
        try:
            for name, value in parameters.items():
                _check_parameter(name, value)
        except RecursionError:
            raise UsageError("a parameter has too many nested lists") from None
        timeout_s, self._used = min(timeout_s, _LONGEST_S), time.monotonic()
        self._take_turn(timeout_s, has_left)
        try:
            process = self._take()
            try:
                self._open(process)
                return self._ask(process, cypher, parameters, limit, timeout_s, has_left)
            finally:
                self._put_back(process)
        finally:
            self._used = time.monotonic()
            self._turns.release()

    @property
    def unused_s(self) -> float:
        """Seconds since a query was asked; 0 where no reader waits for one."""
        return time.monotonic() - self._used if self._idle else 0.0

    def close(self, *, kill: bool = False) -> None:
        """End the readers that wait, with `kill` also those that answer."""
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
                process = _Process(self._generation)
            self._busy.add(process)
            return process

    def _put_back(self, process: _Process) -> None:
        """One that still answers, or whose heap is in pieces, is of no use: the next is started before it is needed."""
        with self._lock:
            self._busy.discard(process)
            if not process.is_spent and process.generation == self._generation:
                self._idle.append(process)
                return
        process.kill()
        if process.generation == self._generation:
            with contextlib.suppress(StoreError):  # whoever asks next is told
                fresh = _Process(process.generation)
                with self._lock:
                    self._idle.append(fresh)

    def _open(self, process: _Process) -> None:
        """Let the reader open the graph as it is now. A copy may be replaced meanwhile: then it is told of the next."""
        for last in (False, True):
            snapshot = self._snapshot()
            if process.version == snapshot.version:
                return
            process.version = -1
            half = self._limits.memory_mb << 19  # pages of the engine, and all else
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
            "cypher": cypher, "parameters": pack(dict(parameters)), "limit": limit,
            "timeout_ms": max(1, int(timeout_s * 1000)), "most_bytes": self._limits.result_mb << 20,
        }  # fmt: skip
        deadline = time.monotonic() + timeout_s + _GRACE_S
        columns: list[str] = []
        rows: list[list[Any]] = []
        try:
            process.send({"query": request})
            while "end" not in (answer := process.receive(deadline, has_left)):
                if "error" in answer:
                    raise self._error(answer, timeout_s)
                columns = answer.get("columns", columns)
                rows += (unpack(row) for row in answer.get("rows", ()))
        except _Late:
            raise _timeout(timeout_s) from None
        except _Ended as ended:
            raise QueryStopped(
                f"the query ended the process that read the graph for it ({ended}): it breaks the graph engine, or needs"
                f" more than {self._limits.memory_mb} MB; it was not sent again"
            ) from None
        return Rows(columns, rows, truncated=answer["end"])

    def _error(self, answer: dict[str, Any], timeout_s: float) -> StoreError | UsageError:
        kind, limits = answer["error"], self._limits
        if kind == "memory":
            return QueryStopped(
                f"the query needs more memory than {limits.memory_mb} MB and was stopped: narrow it, or raise"
                " `query_memory_mb` under [graph] in settings.toml"
            )
        if kind == "size":
            return QueryStopped(f"a single row of the result exceeds {limits.result_mb} MB: return less data")
        if kind == "timeout":
            return _timeout(timeout_s)
        if kind == "several":
            return UsageError("one statement at a time: remove the `;`")
        return UsageError(f"Cypher: {explain_error(answer['said'])}")


def _check_parameter(name: str, value: Any) -> None:
    """Raises UsageError for what the engine has no type for."""
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


def _timeout(timeout_s: float) -> QueryTimeout:
    return QueryTimeout(f"the query ran longer than {timeout_s:g} s and was stopped: add a LIMIT or narrow the pattern")


class _Late(Exception):
    """No answer came in time."""


class _Ended(Exception):
    """The process ended; says how."""


class _Process:
    """One reader. A thread takes its answers in, so that waiting for them has an end on every system."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.version = -1  # of the snapshot that it has open
        self.is_spent = False  # it answers still, or had too little memory
        environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
        environment["MALLOC_ARENA_MAX"] = "1"  # each thread's heap would take 64 MB of addresses
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "graphmem.backends.graph.reader"], env=environment,
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
        """Whether it can be asked."""
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
        """Return the next line of its answer. Raises _Late after the deadline (monotonic seconds), _Ended, or QueryStopped
        when the caller has left."""
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
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()


def copy_file(source: Path, places: Sequence[Path]) -> Path:
    """Copy a file to the first of these places whose disk has room, readable by this user alone; where the file system can, both
    share their blocks. Return the place. Raises StoreError where none has room."""
    needed = source.stat().st_size + ROOM
    target = next((place for place in places if shutil.disk_usage(place.parent).free >= needed), None)
    if target is None:
        raise StoreError(
            f"the disk is full: a query needs {needed >> 20} MB for a copy of {source.name}", path=str(source)
        )
    try:
        return _copied(source, target.with_name(target.name + ".new")).replace(target)
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"the graph cannot be copied for a query: {why}", path=str(source)) from error


def _copied(source: Path, target: Path) -> Path:
    with open(source, "rb") as taken, open(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as made:
        left = os.fstat(taken.fileno()).st_size
        try:
            while left and (done := os.copy_file_range(taken.fileno(), made.fileno(), left)):
                left -= done
        except (AttributeError, OSError):  # not on this system, or not between these file systems
            taken.seek(made.tell())
            shutil.copyfileobj(taken, made, 1 << 20)
    return target
