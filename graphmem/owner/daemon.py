"""The life of an owner: claim the store, serve, project what others append, and exit after a while without clients. A
second daemon finds the claim taken and leaves at once."""

from __future__ import annotations

import logging
import signal
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path

from graphmem import settings as settings_module
from graphmem.errors import GraphmemError
from graphmem.memify.run import due
from graphmem.wiring import Store

_log = logging.getLogger("graphmem.owner")
_LOG_BYTES = 256_000
_LOOK_S = 600.0  # seconds between two looks whether anything is due


def serve(path: Path, project: str) -> int:
    """Own the store until it is idle, a client says stop, or a signal comes. Returns the exit status."""
    _write_log(path)
    try:
        store = Store(path, settings_module.load(path), project or None)
        if not store.own():
            return 0
    except GraphmemError as error:
        _log.error("cannot own %s: %s", path, error)
        return error.exit_status
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: store.stopping.set())
    _log.info("owns %s", path)
    for found in store.renewal.found:
        _log.warning("made again: %s", found)
    try:
        loop(store)
    finally:
        store.close()
        _log.info("left")
    return 0


def loop(store: Store) -> None:
    """Project whenever the log has grown; wait a little longer each time it has not."""
    limits, seen, pause, looked = store.settings.owner, -1, 0.0, 0.0
    while not store.stopping.wait(pause):
        head = store.log.head()
        if head != seen and _project(store):
            seen, pause = head, limits.poll_s
            if time.monotonic() - looked > _LOOK_S or not looked:
                looked = time.monotonic()
                _evolve(store)
        else:
            pause = min(max(pause, limits.poll_s) * 1.5, limits.poll_most_s)
        if store.server is not None and (store.server.idle > limits.idle_s or store.server.deserted):
            return


def _project(store: Store) -> bool:
    """Whether it went well. A failure is logged and tried again later; it never ends the owner."""
    try:
        store.run("process")
        return True
    except GraphmemError as error:
        _log.warning("process: %s", error)
    except Exception as error:  # noqa: BLE001 (others are still served)
        _log.error("process: %s", type(error).__name__)
    return False


def _evolve(store: Store) -> None:
    """Work that is due runs when the owner wakes (DESIGN 7.12). A failure is logged; the next wake tries again."""
    try:
        trigger = due(store)
        if trigger:
            report = store.run("memify", trigger=trigger)
            _log.info("memify %s: %.1f s", trigger, report.seconds)
    except GraphmemError as error:
        _log.warning("memify: %s", error)
    except Exception as error:  # noqa: BLE001 (others are still served)
        _log.error("memify: %s", type(error).__name__)


def _write_log(path: Path) -> None:
    """A small log file in the store; it names events by id, never by content."""
    handler = RotatingFileHandler(path / "owner.log", maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    (path / "owner.log").chmod(0o600)
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
