"""Life cycle of an owner process: claim the store, serve clients, project appended events, and exit when there are no
clients for a while. A second process finds the claim taken and exits.

After much work an owner keeps 100 to 200 MB of fragmented memory that no allocator gives back. When nobody asks it any more,
it is replaced by a new process image, which needs 60 MB at rest."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError
from graphmem.hooks.deliveries import IN_FLIGHT_S, record_waiting
from graphmem.ingest.history import IndexedHeads, RecordedHeads
from graphmem.log.spool import count_waiting
from graphmem.log.stages import read_state
from graphmem.memify.runs import due_trigger
from graphmem.operations.evolution import Memify
from graphmem.operations.pipeline import Flush, Project, ReleaseMemory
from graphmem.operations.reading import FollowHistory, IndexCode, ResumeInit
from graphmem.owner.window import FlushScheduler
from graphmem.ports.request import Request
from graphmem.store import RunCommand, Store
from graphmem.store.idle import is_graph_unused
from graphmem.sync.derivations import COGNIFIED

_log = logging.getLogger("graphmem.owner")
_LOG_BYTES = 256_000
_RETRY_S = 60.0  # seconds until a repository that could not be read is read again
_USES = frozenset({"memory_shown", "memory_used"})  # event types that only memify reads
_EVOLVE_CHECK_S = 600.0  # seconds between two checks for due work
_RENEW_EVENTS, _RENEW_BYTES = (
    500,
    150 << 20,
)  # events since the start and bytes at rest from which the process is renewed
_SHUTDOWN_S = 30.0  # time to complete the current work after a termination signal
_RENEW_QUIET_S = 15.0  # seconds without a client before that
_INIT_QUIET_S = 2.0  # the same after `init`, which leaves the most, while nobody asks yet
_SWITCH_S = 0.001  # run time of a rebuild between yields to waiting hooks; an append needs about ten yields


def serve(path: Path, project: str, right: int, commands: Callable[[Store], RunCommand] | None = None) -> int:
    """Own the store until idle, a stop request, or a signal. `right` is the open file whose lock is the right to start the
    owner; `commands` creates what runs command lines of thin clients. Return the exit status."""
    _write_log(path)
    sys.setswitchinterval(_SWITCH_S)
    try:
        store = Store(path, settings_module.load_settings(path), project or None)
        begun = store.log.head()
        stopping = store.stopping
        stop_at_signals(stopping)  # before clients can reach it: whoever can, may ask it to stop
        if not store.own():
            return 0
    except GraphmemError as error:
        _log.error("cannot own %s: %s", path, error)
        return error.exit_status
    if commands is not None:
        store.run_command = commands(store)
    _log.info("owns %s", path)
    for found in store.access.files.damage:
        _log.warning("rebuilt: %s", found)
    is_swollen = False
    try:
        is_swollen = run_until_idle(store, begun)
    finally:
        store.close()
        _log.info("renewed" if is_swollen else "left")
    if is_swollen and not stopping.is_set():
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # keeps the right to start the owner
    os.close(right)  # now, not when the interpreter has ended: a hook may come in between and start the next owner
    return 0


def stop_at_signals(stopping: threading.Event) -> None:
    """Set an event on a termination signal, and exit on a second one or after half a minute: the store recovers from that as
    from a crash. A handler must not set the event itself, because it may have interrupted code that holds its lock."""
    asked: SimpleQueue[None] = SimpleQueue()  # its `put` does not take a lock that the interrupted code may hold

    def wait() -> None:
        asked.get()
        stopping.set()
        with suppress(Empty):
            asked.get(timeout=_SHUTDOWN_S)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait, name="graphmem-signals", daemon=True).start()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: asked.put(None))


def run_until_idle(store: Store, begun: int) -> bool:
    """Project whenever the log has grown; derive when a window is due; check for memify work now and then. Wait longer
    while there is nothing to do, and complete all work at the end. `begun` was the log head when the process started. Return
    whether it should be renewed."""
    limits, seen, pause, looked = store.settings.owner, -1, 0.0, 0.0
    is_released = is_initialised = False
    follower = _HistoryFollower(store)
    window = FlushScheduler(store.settings.buffer, store.log.state.watermark(COGNIFIED), time.monotonic())
    while not _wait(store, pause):
        _record_waiting(store)
        if (state := read_state(str(store.path))) is not None and state.is_pending:
            _run(store, ResumeInit())  # returns once `init` is done, whoever ran it
            _run(store, ReleaseMemory())
            is_initialised = True
        follower.follow()
        head, grown = _head(store, seen), False
        if head != seen and _run(store, Project(seen if seen >= 0 else None)):
            window.on_append(head, time.monotonic(), is_use=_is_use(store, seen))
            seen, grown, is_released = head, True, False
        when = window.due(time.monotonic())
        if when and (not window.has_changes or _run(store, Flush(idle=when == "idle"))):
            window.flushed(head, when)
            if time.monotonic() - looked > _EVOLVE_CHECK_S or not looked:
                looked = time.monotonic()
                _run_due_memify(store)
        if when == "idle":
            is_released = _run(store, ReleaseMemory())
        elif is_graph_unused(store.access.owned):
            is_released = _run(store, ReleaseMemory(only_graph=_is_asked(store, _RENEW_QUIET_S)))
        if is_initialised and _should_renew(store, head - begun, _INIT_QUIET_S):
            return True
        if is_released and _should_renew(store, head - begun, _RENEW_QUIET_S):
            return True
        pause = limits.poll_s if grown or window.waiting else min(max(pause, limits.poll_s) * 1.5, limits.max_poll_s)
        if _should_exit(store):
            break
    if window.waiting and not (store.server is not None and store.server.is_store_gone):
        _run(store, Flush(idle=True))
    return False


class _HistoryFollower:
    """Reads the new commits of the repositories whose history was imported, and their code again when they are at another one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heads = RecordedHeads(store.log)
        self._indexed = IndexedHeads(store.log)
        self._next = 0.0  # monotonic time of the next look

    def follow(self) -> None:
        """Record new commits, if there are any. What git cannot read is tried again later, not all the time."""
        if time.monotonic() < self._next:
            return
        with suppress(GraphmemError):
            if self._heads.find_behind() and (not _run(self._store, FollowHistory()) or self._heads.find_behind()):
                self._next = time.monotonic() + _RETRY_S
            for root in self._indexed.find_moved():
                _run(self._store, IndexCode(root))


def _wait(store: Store, pause_s: float) -> bool:
    """Wait until the log grows, as far as it can tell, at most for a time; return whether the process is to stop."""
    store.log.wait_for_append(pause_s, store.stopping)
    return store.stopping.is_set()


def _head(store: Store, before: int) -> int:
    """Return the last position of the log; the one `before` while its server is away: projections catch up later."""
    try:
        return store.log.head()
    except GraphmemError as error:
        _log.warning("%s", error)
        return before


def _is_use(store: Store, seen: int) -> bool:
    """Return whether all events after a position only say that memories were used; False at the start of the process."""
    with suppress(GraphmemError):
        return seen >= 0 and all(event.type in _USES for event in store.log.read(seen))
    return False


def _should_exit(store: Store) -> bool:
    """Return whether no client has asked for the configured time, or the store was deleted or moved."""
    server = store.server
    return server is not None and (server.idle_s > store.settings.owner.idle_s or server.is_store_gone)


def _is_asked(store: Store, within_s: float) -> bool:
    """Return whether a client is connected, or was lately."""
    return store.server is not None and store.server.idle_s <= within_s


def _should_renew(store: Store, events: int, quiet_s: float) -> bool:
    """Return whether the process did much work since its start (`events`), needs much memory at rest, and no client has asked
    for `quiet_s` seconds."""
    server = store.server
    if events <= _RENEW_EVENTS or server is None or _is_asked(store, quiet_s):
        return False
    return not server.is_store_gone and not store.stopping.is_set() and resident_bytes() > _RENEW_BYTES


def resident_bytes() -> int:
    """Return the memory of this process that is not that of files; 0 where the system does not tell."""
    with suppress(OSError):
        found = re.search(rb"^RssAnon:\s+(\d+) kB$", Path("/proc/self/status").read_bytes(), re.M)
        return int(found[1]) << 10 if found else 0
    return 0


def _record_waiting(store: Store) -> None:
    """Record what hooks left to be recorded, because it was large or their time was up."""
    try:
        if count_waiting(str(store.path)).number:
            record_waiting(store, older_s=IN_FLIGHT_S)
    except (GraphmemError, OSError) as error:
        _log.warning("deliveries of hooks: %s", error)


def _run(store: Store, request: Request[Any]) -> bool:
    """Run an operation and return whether it succeeded. A failure is logged and retried later; it never ends the owner."""
    try:
        store.run(request)
        return True
    except GraphmemError as error:
        _log.warning("%s: %s", type(request).__name__, error)
    except Exception as error:  # noqa: BLE001 (others are still served)
        _log.error("%s: %s", type(request).__name__, type(error).__name__)
    return False


def _run_due_memify(store: Store) -> None:
    """Run due memify work. A failure is logged; the next check retries."""
    try:
        trigger = due_trigger(store.log, store.clock.now())
        if trigger:
            report = store.run(Memify(trigger))
            _log.info("memify %s: %.1f s", trigger, report.seconds)
    except GraphmemError as error:
        _log.warning("memify: %s", error)
    except Exception as error:  # noqa: BLE001 (others are still served)
        _log.error("memify: %s", type(error).__name__)


def _write_log(path: Path) -> None:
    """Write a small log file in the store; it refers to events by id, never by content."""
    handler = RotatingFileHandler(path / "owner.log", maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    (path / "owner.log").chmod(0o600)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
