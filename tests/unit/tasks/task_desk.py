"""Tasks over a real log in a temporary folder, with a clock that ticks by itself and can be moved on."""

from __future__ import annotations

import tempfile
from pathlib import Path

from graphmem.backends.log.sqlite import SqliteLog
from graphmem.log.append import Recorder
from graphmem.model.tasks import Artifact, Condition, Task
from graphmem.tasks.book import TaskBook
from graphmem.tasks.service import Tasks

START = 1_760_000_000_000_000


class TickingClock:
    """Every look is a millisecond later; bytes are counted, not random."""

    def __init__(self, start: int = START) -> None:
        self.time = start
        self.drawn = 0

    def now(self) -> int:
        self.time += 1_000
        return self.time

    def random(self, size: int) -> bytes:
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")

    def sleep(self, seconds: float) -> None:
        self.time += round(seconds * 1e6)


class Desk:
    """A log with the tasks over it."""

    def __init__(self, folder: Path, project: str = "demo", name: str = "log.db", **options: object) -> None:
        self.clock = TickingClock()
        self.path = folder / name
        self.log = SqliteLog(self.path, self.clock)
        self.tasks = self.open(project, **options)

    def open(self, project: str = "demo", **options: object) -> Tasks:
        """Another view on the same log, as another process would have it."""
        return Tasks(self.log, Recorder(self.log).record, self.clock, project, origin=self.log.origin, **options)  # type: ignore[arg-type]

    def types(self) -> list[str]:
        return [event.type for event in self.log.read()]


def finished(tasks: Tasks, title: str, outcome: str = "") -> Task:
    """A new task that is done at once."""
    task = tasks.create(title, status="in_progress")
    return tasks.update(task.id, status="done", **({"outcome": outcome} if outcome else {}))


def temporary_desk() -> tuple[tempfile.TemporaryDirectory[str], Desk]:
    """For state machines, which cannot use fixtures."""
    folder = tempfile.TemporaryDirectory()
    return folder, Desk(Path(folder.name))


def book_of(*tasks: Task, conditions: tuple[Condition, ...] = (), artifacts: tuple[Artifact, ...] = ()) -> TaskBook:
    """A book with these entities and the indexes that the fold keeps."""
    book = TaskBook()
    book.conditions = {each.id: each for each in conditions}
    book.artifacts = {each.id: each for each in artifacts}
    for task in tasks:
        book.tasks[task.id] = task
        if task.parent:
            book.children[task.parent][task.id] = None
    for task in tasks:
        for _, target in book.waits(task):
            book.dependents[target][task.id] = None
    return book
