"""Reads the book of tasks from the log and writes acts to it. Every act on a task is one event whose key names the
event before it, so that of several processes that act on the same state exactly one succeeds and the others look again.
It does not know which acts make sense."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphmem.errors import NotFound, StoreError
from graphmem.log.append import redact_draft
from graphmem.log.upcast import upcast
from graphmem.model.events import Appended, Draft, Event
from graphmem.model.tasks import TASK_EVENTS, Task
from graphmem.ports.clock import Clock
from graphmem.ports.log import EventLog
from graphmem.privacy import PrivacySettings
from graphmem.tasks.book import TaskBook
from graphmem.text.keys import canonical_key

Record = Callable[[Sequence[Draft]], list[Appended]]
# What an act puts into the log given the state that it finds: (type, payload), or None when there is nothing to do.
Act = Callable[[TaskBook, Task], "tuple[str, dict[str, Any]] | None"]

_TYPES = frozenset({*TASK_EVENTS, "memory_forgotten"})
_ATTEMPTS = 200


class Ledger:
    """The tasks of one project in one log. Other processes' acts are seen at the next read; threads hold `lock` while
    they use the book."""

    def __init__(
        self, log: EventLog, record: Record, clock: Clock, project: str, *, origin: str = "", actor: str = "",
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
        """Microseconds since 1970 UTC."""
        return self._clock.now()

    def safe(self, text: str) -> str:
        """A text as the log will keep it: ids and keys are made from this, or what is private would live on in them."""
        kept: str = redact_draft(text, self._hiding, Counter())
        return kept

    def key(self, title: str) -> str:
        """The canonical key of a title as the log will keep it."""
        return canonical_key(self.safe(title))

    def book(self) -> TaskBook:
        """The book as of now. Events that merge brought in from the past, and forgotten ones, cause a new fold."""
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
        return event.type == "memory_forgotten" or event.clock < max(self._last, before.clock if before else 0)

    def _fold(self, events: Iterable[Event]) -> None:
        for event in upcast(events):
            if event.project in ("", self.project) and event.type != "memory_forgotten":
                self._book.apply(event)
            self._last = max(self._last, event.clock)

    def draft(
        self, type_: str, payload: dict[str, Any], key: str | None, *, at: int | None = None, session: str = ""
    ) -> Draft:
        """An event of this project; `at` in microseconds, now where None."""
        return Draft(type_, payload, self.now() if at is None else at, session, self.project, self._actor, key)

    def append(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Record events whose keys name them for good (created, declared)."""
        return self._record(drafts) if drafts else []

    def act(
        self, task: str, act: Act, *, before: Sequence[Draft] = (), at: int | None = None, session: str = ""
    ) -> Task:
        """Do one act on a task: `before` (declarations) and the event that `act` answers, in one transaction. Asked
        again with the new state whenever another act came first. Raises NotFound, and whatever `act` raises."""
        salt, last = 0, None
        for _ in range(_ATTEMPTS):
            book = self.book()
            found = book.tasks.get(task)
            if found is None:
                raise NotFound(f"there is no task `{task}`", id=task)
            answer = act(book, found)
            if answer is None:
                return found
            newest = book.history[task][-1].event
            salt = salt + 1 if newest == last else 0  # the key is taken by a forgotten act: try the next
            last = newest
            type_, payload = answer
            key = f"task_act:{task}:{self._origin}:{newest}:{salt}"
            drafts = [*before, self.draft(type_, {"task": task, **payload}, key, at=at, session=session)]
            if self._record(drafts)[-1].outcome == "new":
                return self.book().tasks[task]
        raise StoreError(f"the task `{task}` is being changed by other processes: try again", id=task)
