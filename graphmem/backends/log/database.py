"""What each database adds to the log: transactions, checks, erasure, and what several stores need that share one log."""

from __future__ import annotations

import threading
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from graphmem.backends.log.connection import Connection
from graphmem.backends.log.merges import MergeTrust


class LogDatabase(metaclass=ABCMeta):  # not ABC: its layout would keep an instance from becoming `forked.Refusing`
    """The part of a log that depends on its database."""

    @property
    @abstractmethod
    def location(self) -> str:
        """Return where the log is, for messages."""

    @abstractmethod
    def is_moved(self) -> bool:
        """Return whether another process moved the log to another place since it was opened."""

    @abstractmethod
    def check(self, step: str = "") -> None:
        """Raise StoreDamaged if the results of a step, or without a step an event, were modified."""

    @abstractmethod
    def verify(self) -> list[str]:
        """Return all problems of the log, one sentence each."""

    @abstractmethod
    def close(self) -> None:
        """Close the log."""

    @abstractmethod
    def _transaction(self, failure: str) -> AbstractContextManager[None]:
        """Context manager: atomic and durable; no other process writes meanwhile. Raises StoreError that starts with
        `failure`."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Context manager: hold the lock, and translate errors."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Connection]:
        """Context manager: a connection for reading all of the log, row by row."""

    @abstractmethod
    def _blank_names(self) -> None:
        """Erase the names (session, project, actor) of erased events, inside a transaction."""

    @abstractmethod
    def _scrub(self) -> None:
        """Erase all copies of deleted rows. Raises StoreError while a reader holds old pages."""

    @abstractmethod
    def _changed_derivations(self, step: str = "") -> Iterator[tuple[int, str, str]]:
        """Yield number, step and source of modified derivations; of one step, if it is given."""

    @abstractmethod
    def _share_trust(self, trust: MergeTrust) -> None:
        """Let SQL know what was decided about merged events, inside the transaction that records it."""

    # -- other users of the log

    def wait_for_append(self, timeout_s: float, stopping: threading.Event) -> None:
        """Wait until something is appended, if the log can tell, `stopping` is set, or this time has passed."""
        stopping.wait(timeout_s)

    @contextmanager
    def lease(self, name: str) -> Iterator[None]:
        """Context manager: work of this name is done for one store at a time. A store with a log of its own has only one
        owner."""
        yield

    def rewritten_by_others(self) -> int:
        """Return up to which position another store has changed how this log is read; 0 if none has, and always where a
        store has a log of its own."""
        return 0
