"""Determines which tasks can be worked on now, most urgent first. Cached until the book changes."""

from __future__ import annotations

from graphmem.model.tasks import PRIORITIES, Task, to_datetime
from graphmem.tasks.blocking import is_unblocked
from graphmem.tasks.book import TaskBook

RANK = {name: rank for rank, name in enumerate(reversed(PRIORITIES))}


def urgency_score(task: Task) -> tuple[int, float, str]:
    """Return the sort key: priority, then age, then id."""
    return RANK[task.priority], task.created_at.timestamp(), task.id


class Ready:
    """Ready tasks: open, unblocked and unclaimed. Included are blocked tasks whose blockers are all gone, and tasks in
    progress whose claim expired. An epic with open parts is not ready: its parts are."""

    def __init__(self) -> None:
        self._seen: tuple[TaskBook, int] | None = None
        self._free: list[Task] = []

    def __call__(self, book: TaskBook, now: int) -> list[Task]:
        """Return the tasks that are ready at `now` (microseconds since 1970 UTC)."""
        if self._seen is None or self._seen[0] is not book or self._seen[1] != book.version:
            candidates = (
                task for task in book.tasks.values() if task.open and not task.is_note and _startable(book, task)
            )
            self._free = sorted((task for task in candidates if is_unblocked(book, task)), key=urgency_score)
            self._seen = (book, book.version)
        at = to_datetime(now)
        return [
            task for task in self._free
            if task.status != "in_progress" or (task.claimed_until is not None and task.claimed_until <= at)
        ]  # fmt: skip


def _startable(book: TaskBook, task: Task) -> bool:
    if task.status == "in_progress" and task.claimed_until is None:
        return False
    return task.kind != "epic" or not any(book.tasks[part].open for part in book.children.get(task.id, ()))
