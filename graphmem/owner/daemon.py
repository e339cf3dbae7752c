"""The life of an owner: claim the store, serve, project what others append, and exit after a while without clients. A
second daemon finds the claim taken and leaves at once."""

from __future__ import annotations

import logging
import signal
from logging.handlers import RotatingFileHandler
from pathlib import Path

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError
from graphmem.wiring import Store

_log = logging.getLogger("graphmem.owner")
_LOG_BYTES = 256_000


def serve(path: Path, project: str) -> int:
    """Own the store until it is idle, a client says stop, or a signal comes. Returns the exit status."""
    settings = settings_module.load(path)
    store = Store(path, settings, project or None)
    _write_log(path)
    if not store.own():
        return 0
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: store.stopping.set())
    _log.info("owns %s", path)
    try:
        loop(store)
    finally:
        store.close()
        _log.info("left")
    return 0


def loop(store: Store) -> None:
    """Project whenever the log has grown; wait a little longer each time it has not."""
    limits, seen, pause = store.settings.owner, -1, 0.0
    while not store.stopping.wait(pause):
        head = store.log.head()
        if head != seen:
            _project(store)
            seen, pause = head, limits.poll_s
        else:
            pause = min(pause * 1.5, limits.poll_most_s)
        if store.server is not None and store.server.idle > limits.idle_s:
            return
        if not store.owned():  # somebody deleted the directory: nothing is left to own
            return


def _project(store: Store) -> None:
    """A failure is logged and tried again with the next event; it never ends the owner."""
    try:
        store.run("process")
    except GraphmemError as error:
        _log.warning("process: %s", error)
    except Exception as error:  # noqa: BLE001 (others are still served)
        _log.error("process: %s", type(error).__name__)


def _write_log(path: Path) -> None:
    """A small log file in the store; it names events by id, never by content."""
    handler = RotatingFileHandler(path / "owner.log", maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    (path / "owner.log").chmod(0o600)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
