"""Follows the to-do list that an agent keeps during a session. Its entries are steps: tasks of kind "step" that belong to the
session, change with each list that the agent sends, and are kept apart from the tasks of people and trackers. What is open when
the session is over was left open; a later list that repeats it takes it over."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from graphmem.model.tasks import CLOSED, STEP, Task
from graphmem.tasks import actions
from graphmem.tasks.book import TaskBook
from graphmem.tasks.create import TaskDraft, initial_events
from graphmem.tasks.ledger import Ledger
from graphmem.text.keys import canonical_key, escape_project
from graphmem.text.todolists import TodoChange, TodoEntry
from graphmem.text.words import content_words

_SAME_WORDS = 0.5  # share of the words of two titles from which an entry counts as reworded
REMOVED, CONTINUED = "no longer on the list", "continued in a later session"


class StepList:
    """The list of one session."""

    def __init__(self, ledger: Ledger, session: str) -> None:
        self._ledger = ledger
        self._session = session

    def apply(self, change: TodoChange, at: int) -> int:
        """Record what a list tool was given at a time, in microseconds; return the number of steps that changed. Idempotent; a
        list that is older than the latest one changes nothing."""
        known = steps_of(self._ledger.book(), self._session)
        if any(round(step.updated_at.timestamp() * 1e6) > at for step in known):
            return 0
        if not change.is_whole:
            return sum(self._apply_entry(entry, at) for entry in change.entries)
        matched = _match(change.entries, known)
        kept = {step.id for step in matched if step is not None}
        count = 0
        for step in known:
            if step.id not in kept and step.open:
                count += self._move(step, "cancelled", at, REMOVED)
        for entry, match in zip(change.entries, matched, strict=True):
            count += self._create(entry, at) if match is None else self._update(match, entry, at)
        return count

    def _apply_entry(self, entry: TodoEntry, at: int) -> int:
        known = steps_of(self._ledger.book(), self._session)
        named = [step for step in known if entry.id and f"#{entry.id}" in step.aliases]
        same = named or [step for step in known if entry.title and _key(step.title) == _key(entry.title)]
        if same:
            return self._update(same[-1], entry, at)
        return self._create(entry, at) if entry.title else 0

    def _update(self, step: Task, entry: TodoEntry, at: int) -> int:
        title = self._ledger.safe(entry.title)
        renamed = bool(title) and title != step.title
        if renamed:
            self._ledger.act(step.id, actions.edit({"title": title}), at=at, session=self._session)
        return int(bool(self._move(step, entry.status, at)) or renamed)

    def _move(self, step: Task, status: str, at: int, reason: str = "") -> int:
        if not status or step.status == status:
            return 0
        act = actions.adopt(status, (), (), {"reason": reason})
        self._ledger.act(step.id, act, at=at, session=self._session)
        return 1

    def _create(self, entry: TodoEntry, at: int) -> int:
        """Create a step. One with the same title that an earlier session left open is continued here."""
        book = self._ledger.book()
        for other in book.steps.values():
            if other.open and other.session != self._session and _key(other.title) == _key(entry.title):
                self._move(other, "cancelled", at, CONTINUED)
        titles = Counter(_key(step.title) for step in steps_of(book, self._session))
        words = f"{self._session}\0{_key(self._ledger.safe(entry.title))}\0{titles[_key(entry.title)]}"
        id_ = f"{STEP}:{escape_project(self._ledger.project)}:{hashlib.sha256(words.encode()).hexdigest()[:16]}"
        new = TaskDraft(
            entry.title, status=entry.status or "pending", kind=STEP, source="agent", at=at, done_at=at, session=self._session,
            aliases=(f"#{entry.id}",) if entry.id else (),
        )  # fmt: skip
        self._ledger.append(initial_events(self._ledger, id_, new))
        return int(id_ in self._ledger.book().steps)


def steps_of(book: TaskBook, session: str) -> list[Task]:
    """Return the steps of a session, in the order in which it noted them."""
    return [step for step in book.steps.values() if step.session == session]


def steps_left_open(book: TaskBook) -> list[Task]:
    """Return the steps that are open, those of the latest session first."""
    latest = {step.session: step.updated_at for step in sorted(book.steps.values(), key=lambda step: step.updated_at)}
    return sorted(
        (step for step in book.steps.values() if step.open), key=lambda step: latest[step.session], reverse=True
    )


def _match(entries: Sequence[TodoEntry], known: Sequence[Task]) -> list[Task | None]:
    """Return for each entry of a whole list the step that it is: the one with its title, otherwise the open one whose title it
    rewords; None for a new one."""
    left = {step.id: step for step in known}
    found: list[Task | None] = []
    for entry in entries:  # a title that occurs twice is two steps; what is open is meant first
        same = [step for step in left.values() if _key(step.title) == _key(entry.title)]
        match = min(same, key=lambda step: not step.open, default=None)
        found.append(match)
        if match is not None:
            del left[match.id]
    for row, entry in enumerate(entries):
        if found[row] is None and (match := _reworded(entry, left.values())) is not None:
            found[row] = match
            del left[match.id]
    return found


def _reworded(entry: TodoEntry, steps: Iterable[Task]) -> Task | None:
    words = set(content_words(entry.title))
    shares = [(_share(words, set(content_words(step.title))), step) for step in steps if step.status not in CLOSED]
    share, match = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return match if share >= _SAME_WORDS else None


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def _key(title: str) -> str:
    return canonical_key(title) or title.strip()
