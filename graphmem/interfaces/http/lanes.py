"""Runs synchronous store calls in threads, so that the event loop never blocks. Calls in the same lane run one at a
time; a slow query in one lane does not delay the others."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio.to_thread

from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory

T = TypeVar("T")
Lane = Literal["quick", "graph", "code", "slow", "query", "check", "live"]
_SLOW = frozenset(
    {"path", "process", "rebuild", "forget", "doctor", "memify", "around", "neighbours", "stats", "analytics"}
)
_MAX_DURATIONS = 500  # durations per verb
_REPEATED = frozenset({"stats", "doctor"})  # expensive and requested often


class LaneExecutor:
    """One memory for each lane, opened on first use. Close it at the end."""

    is_local = True  # whether its visitors may use files of this machine: they are its user

    def __init__(self, store: Path | None, project: str | None = None) -> None:
        self._store = store
        self._project = project
        self._memories: dict[str, Memory] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._opening = threading.Lock()
        self._answers: dict[str, tuple[int, asyncio.Future[Any]]] = {}
        self._took: dict[str, deque[float]] = {}
        with self._lock("quick"):
            first = self._memory("quick")
            self.location, self.project = first.location, first.project

    async def run(self, call: Callable[[Memory], T], lane: Lane = "quick") -> T:
        """Run a call in a thread and return its result. Raises what the call raises."""
        return await anyio.to_thread.run_sync(self._run, call, lane)

    async def verb(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Run a verb. Expensive counts are recomputed only if the log has grown."""
        _check(given)
        started = time.perf_counter()
        try:
            if verb.name in _REPEATED:
                return await self.counted(verb.name, lambda memory: verb.call(memory, **given))
            return await self.run(lambda memory: verb.call(memory, **given), lane_of(verb.name))
        finally:
            self._took.setdefault(verb.name, deque(maxlen=_MAX_DURATIONS)).append(time.perf_counter() - started)

    async def warm(self) -> None:
        """Prepare what the first page needs, so that it loads quickly."""
        with contextlib.suppress(GraphmemError, OSError):  # requests will report the error
            await self.counted("stats", lambda memory: memory.stats())
            await self.run(lambda memory: memory.tasks.ready())

    def timings(self) -> list[tuple[str, int, float, float, float]]:
        """Return (verb, calls, median, 95th percentile, maximum), in milliseconds, over recent calls."""
        rows = []
        for name, took in sorted(self._took.items()):
            ordered = [seconds * 1_000 for seconds in sorted(took)]
            rows.append(
                (name, len(ordered), ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1])
            )
        return rows

    async def counted(self, name: str, call: Callable[[Memory], T]) -> T:
        """Return a result that depends only on the log and its projections. Concurrent callers share one computation,
        which continues if a caller disconnects."""
        head: int = await self.run(lambda memory: memory.head, "live")
        known = self._answers.get(name)
        if known is None or known[0] != head:
            known = self._answers[name] = head, asyncio.ensure_future(self._count(name, call))
        found: T = await asyncio.shield(known[1])
        return found

    async def _count(self, name: str, call: Callable[[Memory], T]) -> T:
        try:
            found = await self.run(call, "check" if name == "doctor" else "slow")
            behind = await self.run(lambda memory: projection_lag(memory.outbox()), "live")
        except BaseException:
            self._answers.pop(name, None)
            raise
        if behind:  # projection is still running, so do not cache
            self._answers.pop(name, None)
        return found

    def bound(self) -> LaneExecutor:
        """Return the executor for a page that is being opened: with several stores, that of the store it names; on a shared server,
        that of its user."""
        return self

    @contextlib.contextmanager
    def borrow(self, lane: Lane) -> Iterator[Memory]:
        """Context manager: the memory of a lane, for this thread alone."""
        with self._lock(lane):
            yield self._memory(lane)

    def _run(self, call: Callable[[Memory], T], lane: Lane) -> T:
        with self.borrow(lane) as memory:
            return call(memory)

    def _lock(self, lane: str) -> threading.Lock:
        with self._opening:
            return self._locks.setdefault(lane, threading.Lock())

    def _memory(self, lane: str) -> Memory:
        if lane in self._memories:
            self._memories[lane].follow_moved_log()
        else:
            self._memories[lane] = Memory.open(self._store, project=self._project, daemon=True)
        return self._memories[lane]

    def close(self) -> None:
        """Close all memories."""
        for lane in list(self._memories):
            with self._lock(lane):
                self._memories.pop(lane).close()


def lane_of(name: str) -> Lane:
    """Return the lane in which a verb runs."""
    if name.startswith("code "):
        return "code"
    if name in ("sessions", "session", "show"):
        return "graph"
    if name == "cypher":  # may take as long as a query
        return "query"
    return "slow" if name in _SLOW else "quick"


def projection_lag(state: Mapping[str, Any]) -> int:
    """Return how many events the slowest projection is behind, from the result of `outbox`."""
    return max([0, *(int(state["head"] - at) for name, at in state["cursors"].items() if name.endswith(".events"))])


def _check(value: Any) -> None:
    """Raise UsageError for text that cannot be stored in a file."""
    if isinstance(value, str):
        if "\0" in value or (not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)):
            raise UsageError("text must not contain NUL or lone surrogates")
    elif isinstance(value, Mapping):
        for inner in value.values():
            _check(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check(inner)
