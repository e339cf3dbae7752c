"""The stores of a shared server: where each is, and a bounded number of open ones. Which stores a request may open is decided by
its tenant; this module only opens them."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.interfaces.http.lanes import LaneExecutor
from graphmem.interfaces.tenancy.rights import check_name
from graphmem.store.adoption import stop_owner
from graphmem.store.shared_logs import log_place

__all__ = ["Place", "StorePool", "exists", "log_place", "schema_url"]
_LOG = "log.db"
_IDLE_S = 300.0  # seconds without use after which a store is closed


class Place:
    """The folders of a shared server. Names are checked, and a private store has the permanent id of its account: a new account
    with an old name does not get the old one's memories."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def team(self, project: str) -> Path:
        """Return the folder of a project's team store."""
        return self.home / "projects" / check_name("a project", project) / "team"

    def private(self, project: str, id: str) -> Path:
        """Return the folder of an account's private store in a project."""
        return self.home / "projects" / check_name("a project", project) / "private" / check_name("an account", id)

    def stores(self) -> list[tuple[str, str, Path]]:
        """Return the folders of all stores: the project, the id of the account ("" for the team), and the folder."""
        teams = [(folder.parent.name, "", folder) for folder in self.home.glob("projects/*/team")]
        privates = [
            (folder.parent.parent.name, folder.name, folder) for folder in self.home.glob("projects/*/private/*")
        ]
        return sorted(teams + privates)

    def privates(self, id: str) -> list[tuple[str, Path]]:
        """Return the private stores that an account has, with their projects."""
        found = sorted(self.home.glob(f"projects/*/private/{check_name('an account', id)}"))
        return [(folder.parent.parent.name, folder) for folder in found]


def exists(store: Path) -> bool:
    """Return whether something was ever written to a store."""
    return (store / _LOG).exists()


class _Open:
    """An open store, and how many use it now."""

    def __init__(self) -> None:
        self.executor: LaneExecutor | None = None
        self.users = 0
        self.used = 0.0
        self.opening = threading.Lock()


class StorePool:
    """Open stores, at most `most` at a time unless more are in use at once. Threads may lease the same one. Each open store has an
    owner process; it ends when its store is closed here."""

    def __init__(self, most: int, log_url: str = "") -> None:
        self._most = most
        self._log_url = log_url
        self._open: dict[Path, _Open] = {}
        self._lock = threading.Lock()
        self._closing = threading.Lock()  # a store is not opened again while its owner ends

    @property
    def paths(self) -> list[Path]:
        """Return the stores that are open."""
        with self._lock:
            return list(self._open)

    @contextlib.contextmanager
    def lease(self, store: Path, project: str) -> Iterator[LaneExecutor]:
        """Context manager: an open store, which stays open meanwhile. It is created if it is missing."""
        with self._lock:
            entry = self._open.setdefault(store, _Open())
            entry.users += 1
        try:
            with entry.opening:
                if entry.executor is None:
                    entry.executor = self._opened(store, project)
            yield entry.executor
        finally:
            with self._lock:
                entry.users -= 1
                entry.used = time.monotonic()
                if entry.executor is None and not entry.users:
                    self._open.pop(store, None)
            if len(self._open) > self._most:
                self.close_unneeded()

    def _opened(self, store: Path, project: str) -> LaneExecutor:
        with self._closing:
            pass
        if self._log_url and not exists(store):
            store.mkdir(parents=True, exist_ok=True, mode=0o700)
            settings.save_settings(store, {"log.url": schema_url(self._log_url, store)})
        return LaneExecutor(store, project)

    def close_unneeded(self) -> None:
        """Close the stores that nobody used for some time, and those above the limit. The server calls this regularly."""
        now = time.monotonic()
        with self._lock:
            idle = sorted((entry.used, store) for store, entry in self._open.items() if not entry.users)
            surplus = max(0, len(self._open) - self._most)
            chosen = [store for place, (used, store) in enumerate(idle) if place < surplus or now - used > _IDLE_S]
            closed = [(store, self._open.pop(store)) for store in chosen]
        for store, entry in closed:
            self._close(store, entry)

    def _close(self, store: Path, entry: _Open) -> None:
        with self._closing:
            if entry.executor is not None:
                with contextlib.suppress(GraphmemError, OSError):  # its log is away
                    entry.executor.close()
            with contextlib.suppress(GraphmemError, OSError):  # another program uses it, or it is gone
                stop_owner(store)

    def delete(self, store: Path) -> None:
        """Close a store and delete its folder. Whoever uses it gets an error."""
        with self._lock:
            entry = self._open.pop(store, None)
        self._close(store, entry or _Open())
        shutil.rmtree(store, ignore_errors=True)

    def close(self) -> None:
        """Close all stores. Their owners end."""
        with self._lock:
            entries, self._open = self._open, {}
        for store, entry in entries.items():
            self._close(store, entry)


def schema_url(url: str, store: Path) -> str:
    """Return the URL of a store's log: a schema of its own in the database of the server."""
    name = hashlib.sha256("/".join(store.parts[-3:]).encode()).hexdigest()[:24]
    return f"{url}{'&' if '?' in url else '?'}schema=graphmem_{name}"
