"""Queries about tasks: the read methods of `mem.tasks`. Results are computed in `ready.py`, `blocking.py`, `report.py`
and `match/`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from graphmem.errors import UsageError
from graphmem.model.tasks import BlockedTask, Condition, ContextRow, MatchResult, Task, TaskDetail, TaskReport
from graphmem.tasks import blocking, report
from graphmem.tasks.ledger import Ledger
from graphmem.tasks.match.matcher import Matcher
from graphmem.tasks.ready import Ready, urgency_score
from graphmem.tasks.steps import steps_left_open, steps_of
from graphmem.tasks.transitions import status_of

View = Literal["confirmed", "suggested", "placeholders", "resolved"]
CONFIRMED = 0.92  # confidence from which a blocker counts as confirmed in the four standard views


class TaskReads:
    """Mixin; needs `_ledger`, `_matcher` and `_ready`, which `Tasks` sets."""

    _ledger: Ledger
    _matcher: Matcher
    _ready: Ready

    def find(self, *, status: str | None = None, file: str | None = None, label: str | None = None) -> list[Task]:
        """Return all tasks, or those with a status, file or label; most urgent first."""
        wanted, book = None if status is None else status_of(status), self._ledger.book()
        return sorted(
            (
                task for task in (blocking.with_current_blockers(book, each) for each in book.tasks.values())
                if (wanted is None or task.status == wanted)
                and (file is None or file in task.files)
                and (label is None or label in task.labels)
            ),
            key=urgency_score,
        )  # fmt: skip

    def ready(self) -> list[Task]:
        """Return tasks that can be started now, most urgent first."""
        book = self._ledger.book()
        return [blocking.with_current_blockers(book, task) for task in self._ready(book, self._ledger.now())]

    def steps(self, session: str | None = None) -> list[Task]:
        """Return the entries of the to-do list that an agent kept in a session, in its order; without a session, those that were
        left open, of the latest session first. They are in no other list of tasks."""
        book = self._ledger.book()
        return steps_left_open(book) if session is None else steps_of(book, session)

    def blocked(self) -> list[BlockedTask]:
        """Return blocked tasks with their root blockers, most urgent first."""
        return report.blocked_section(self._ledger.book())

    def show(self, id: str | Task) -> TaskDetail:
        """Return a task with blockers, parts, dependents and history. Raises NotFound."""
        book = self._ledger.book()
        task = book.require(id.id if isinstance(id, Task) else str(id))
        return TaskDetail(
            blocking.with_current_blockers(book, task),
            tuple(blocking.root_blockers(book, task)),
            tuple(blocking.with_current_blockers(book, book.tasks[each]) for each in book.children.get(task.id, ())),
            tuple(blocking.with_current_blockers(book, book.tasks[each]) for each in book.dependents.get(task.id, ())),
            tuple(book.history[task.id]),
        )

    def match(self, text: str, *, k: int = 5, exclude: Iterable[str] = ()) -> MatchResult:
        """Return the tasks that a text refers to, best first. `exclude` names tasks that contain the text: they are not
        results, but their relatives are preferred."""
        return self._matcher.match(self._ledger.book(), text, k, tuple(exclude))

    def report(self) -> TaskReport:
        """Return a one-page report of all work."""
        return report.build_report(self._ledger.book(), self._ledger.project, self._ledger.now(), self.ready())

    def critical_path(self, goal: str | None = None) -> list[Task]:
        """Return the longest chain of open tasks, in order of execution; ending at the task `goal` if given."""
        return blocking.critical_path(self._ledger.book(), self.show(goal).task.id if goal else None)

    def unblocks(self, id: str) -> list[Task]:
        """Return the tasks that closing this one would make ready."""
        return blocking.freed_tasks(self._ledger.book(), self.show(id).task)

    def prime(self, by: str = "", *, unasked: bool = False) -> str:
        """Return a summary for an agent at session start, in under 400 tokens. If it is shown `unasked`, tasks that no
        person wrote are marked, or left out if they ask to run, install, send or reveal something."""
        return report.prime_text(self._ledger.book(), self._ledger.now(), self.ready(), by, unasked=unasked)

    def context(self, view: View | None = None) -> list[ContextRow]:
        """Return all blockers of open work and what each currently refers to. Only confirmed resolutions are substituted.
        `view` selects one of the four standard views: confirmed, suggested, placeholders, resolved."""
        if view not in (None, "confirmed", "suggested", "placeholders", "resolved"):
            raise UsageError(f"there is no view `{view}`: use confirmed, suggested, placeholders, resolved", view=view)
        return report.task_context(self._ledger.book(), view, CONFIRMED)

    def conditions(self, *, open_only: bool = False) -> list[Condition]:
        """Return conditions, oldest first."""
        found = self._ledger.book().conditions.values()
        return sorted(
            (each for each in found if not (open_only and each.resolved)), key=lambda each: (each.at, each.id)
        )
