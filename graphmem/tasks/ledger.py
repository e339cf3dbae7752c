"""Reads the task book from the log and appends task events. The key of each event names its predecessor for the task
(optimistic locking): of several processes that change the same state exactly one succeeds, and the others retry."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphmem.errors import NotFound, StoreError
from graphmem.log.append import redact_draft
from graphmem.log.upcast import upcast
from graphmem.model.events import TASK_EVENTS, Appended, Draft, Event
from graphmem.model.tasks import Task
from graphmem.ports.callers import ACCOUNT, USER, WRITER, signed
from graphmem.ports.clock import Clock
from graphmem.ports.log import EventLog
from graphmem.privacy import PrivacySettings
from graphmem.tasks.book import TaskBook
from graphmem.text.keys import canonical_key

# Redacts drafts and appends them to the log.
AppendDrafts = Callable[[Sequence[Draft]], list[Appended]]
# An action: given the current state, returns (type, payload) to append, or None if there is nothing to do.
Act = Callable[[TaskBook, Task], "tuple[str, dict[str, Any]] | None"]

_REREAD = frozenset({"memory_forgotten", "log_merged"})  # events after which all are read again
_TYPES = (*TASK_EVENTS, *sorted(_REREAD))
_ATTEMPTS = 200


class Ledger:
    """The tasks of one project in a log. Events of other processes are seen at the next read; threads hold `lock` while
    they use the book."""

    def __init__(
        self, log: EventLog, record: AppendDrafts, clock: Clock, project: str, *, origin: str = "", actor: str = "",
        hiding: PrivacySettings | None = None,
    ) -> None:  # fmt: skip
        self._log = log
        self._record = record
        self._clock = clock
        self.project = project
        self._origin = origin
        self._actor = actor
        self._hiding = hiding or PrivacySettings()
        self.lock = threading.RLock()
        self._book = TaskBook()
        self._position = 0
        self._last = 0  # clock of the last folded event

    def now(self) -> int:
        """Return microseconds since 1970 UTC."""
        return self._clock.now()

    def safe(self, text: str) -> str:
        """Return a text redacted as in the log: ids and keys are made from it."""
        kept: str = redact_draft(text, self._hiding, Counter())
        return kept

    def key(self, title: str) -> str:
        """Return the canonical key of a redacted title."""
        return canonical_key(self.safe(title))

    def book(self) -> TaskBook:
        """Return the current book. Merged past events, forgotten ones, and newly trusted machines cause a complete fold."""
        with self.lock:
            head = self._log.head()
            if head != self._position:
                events = list(self._log.read(self._position, types=_TYPES, upto=head))
                if any(map(self._out_of_order, events, [None, *events])):
                    self._book, self._last = TaskBook(), 0
                    events = list(self._log.read(0, types=_TYPES, upto=head, order="clock"))
                elif self._position == 0:
                    events.sort(key=lambda event: (event.clock, event.origin, event.position))
                self._fold(events)
                self._position = head
            return self._book

    def _out_of_order(self, event: Event, before: Event | None) -> bool:
        if self._position == 0:
            return False
        return event.type in _REREAD or event.clock < max(self._last, before.clock if before else 0)

    def _fold(self, events: Iterable[Event]) -> None:
        for event in upcast(events):
            if event.project in ("", self.project) and event.type not in _REREAD:
                self._book.apply(event)
            self._last = max(self._last, event.clock)

    def draft(
        self, type_: str, payload: dict[str, Any], key: str | None, *, at: int | None = None, session: str = ""
    ) -> Draft:
        """Return an event of this project; `at` in microseconds, None for now."""
        return Draft(type_, payload, self.now() if at is None else at, session, self.project, self._writer(), key)

    def _writer(self) -> str:
        """Return the actor of what is written now: an agent that uses its tools, or the store's own."""
        writer = WRITER.get()
        return signed(writer) if writer != USER or ACCOUNT.get() else self._actor

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Record events with permanent keys (created, declared)."""
        return self._record(drafts) if drafts else []

    def act(
        self, task: str, act: Act, *, before: Sequence[Draft] = (), at: int | None = None, session: str = ""
    ) -> Task:
        """Perform an action on a task: append `before` (declarations) and the event that `act` returns, in one
        transaction. `act` is called again with the new state whenever another process was faster. Raises NotFound, and
        what `act` raises."""
        salt, last = 0, None
        for _ in range(_ATTEMPTS):
            book = self.book()
            found = book.get(task)
            if found is None:
                raise NotFound(f"there is no task `{task}`", id=task)
            answer = act(book, found)
            if answer is None:
                return found
            newest = book.history[task][-1].event
            salt = salt + 1 if newest == last else 0  # the key belongs to a forgotten event: try the next
            last = newest
            type_, payload = answer
            key = f"task_act:{task}:{self._origin}:{newest}:{salt}"
            drafts = [*before, self.draft(type_, {"task": task, **payload}, key, at=at, session=session)]
            if self._record(drafts)[-1].outcome == "new":
                return self.book().get(task) or found
        raise StoreError(f"the task `{task}` is being changed by other processes: try again", id=task)
