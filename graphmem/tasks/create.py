"""Creates tasks: their identity and initial events. Creating an existing task returns it and records nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphmem import privacy
from graphmem.errors import StoreError, UsageError
from graphmem.model.events import Draft
from graphmem.model.tasks import Status, Task
from graphmem.tasks.actions import MAX_TITLE_CHARS
from graphmem.tasks.blockers import FoundBlockers
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Ledger
from graphmem.tasks.transitions import priority_of, state_register, status_of
from graphmem.text.keys import canonical_key, task_key


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """Data of a task that may be new. `at` and `done_at` are in microseconds since 1970 UTC."""

    title: str
    description: str = ""
    status: str = "pending"
    priority: str = "medium"
    ref: str = ""
    kind: str = "task"
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    assignee: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    outcome: str = ""
    at: int | None = None
    done_at: int | None = None
    session: str = ""

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise UsageError("a task needs a title")
        if len(self.title) > MAX_TITLE_CHARS:  # titles are shown in lists: the full text goes into the description
            whole = f"{self.title}\n\n{self.description}".strip()
            object.__setattr__(self, "description", whole)
            redacted = privacy.redact(self.title).text  # truncation could remove a closing private tag
            cut = (
                redacted
                if len(redacted) <= MAX_TITLE_CHARS
                else redacted[: MAX_TITLE_CHARS - 1].rsplit(None, 1)[0] + "…"
            )
            object.__setattr__(self, "title", cut)


def existing_task(ledger: Ledger, book: TaskBook, new: TaskDraft) -> Task | None:
    """Return the existing task that this one equals. With a tracker id: the task that has it, or one with the same title
    and no tracker id. Without: the task with the same canonical key, preferably open. A redacted title may match
    unrelated tasks, so it is never joined to a tracker id or found by it."""
    if new.ref and (found := book.refs.get(new.ref)):
        return book.tasks[found]
    title = ledger.safe(new.title)
    partial = bool(privacy.count_marks(title))
    if new.ref and partial:
        return None
    same = [book.tasks[each] for each in book.names.get(canonical_key(title), ())]
    if new.ref or partial:
        same = [task for task in same if not task.ref]
    return min(same, key=lambda task: (bool(new.ref) and not task.open, not task.open, bool(task.ref)), default=None)


def task_identity(ledger: Ledger, new: TaskDraft) -> str:
    """Return the id of a new task, from the tracker id or otherwise the title, both redacted, because ids are permanent."""
    return task_key(ledger.project, ledger.safe(new.ref or new.title))


def initial_events(ledger: Ledger, task: str, new: TaskDraft, blockers: FoundBlockers | None = None) -> list[Draft]:
    """Return the events that create a task: pending or in progress first; then status and blockers of a blocked one; a
    closed one goes through in progress. Their keys are permanent."""
    status, waits = status_of(new.status), blockers is not None and bool(blockers.refs)
    if waits and status in ("pending", "in_progress"):
        status = "blocked"
    first: Status = "in_progress" if status in ("in_progress", "done") else "pending"
    begun = ledger.now() if new.at is None else new.at
    payload: dict[str, Any] = {
        "task": task, "title": new.title.strip(), "description": new.description, "ref": new.ref, "kind": new.kind,
        "priority": priority_of(new.priority), "status": "pending", "key": ledger.key(new.title),
        "labels": list(new.labels), "files": list(new.files), "assignee": new.assignee, "source": new.source,
        "aliases": list(new.aliases),
    }  # fmt: skip
    payload = {name: value for name, value in payload.items() if value or name in ("description", "ref")}

    def act(type_: str, number: int, body: dict[str, Any], at: int = begun) -> Draft:
        key = f"{type_}:{task}:first:{number}" if number else f"{type_}:{task}"
        return ledger.draft(type_, {"task": task, **body}, key, at=at, session=new.session)

    drafts = [act("task_created", 0, payload)]
    if first == "in_progress":
        drafts.append(act("task_status_changed", 1, {"from": "pending", "to": first, "state": state_register(first)}))
    if status == "blocked" and blockers is not None:
        state = state_register("blocked", blockers.refs)
        drafts.append(act("task_status_changed", 1, {"from": "pending", "to": "blocked", "state": state}))
        drafts.append(act("task_blockers_set", 2, {"mode": "replace", "state": state}))
    elif status in ("done", "cancelled"):
        body = {"from": first, "to": status, "state": state_register(status)} | (
            {"outcome": new.outcome} if new.outcome else {}
        )
        drafts.append(act("task_status_changed", 2, body, new.done_at or begun))
    return [*(blockers.drafts if blockers and status == "blocked" else ()), *drafts]


def check_new(outcomes: Sequence[Any], drafts: Sequence[Draft]) -> None:
    """Raise StoreError if the log rejects the task because it was forgotten."""
    for draft, outcome in zip(drafts, outcomes, strict=True):
        if draft.type == "task_created" and outcome.outcome == "forgotten":
            raise StoreError(
                "this task was forgotten and cannot be created again: use another title", title=draft.payload["title"]
            )
