"""Verbs of the group `graphmem tasks`, such as `tasks ready`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any, cast

from graphmem.interfaces.noted import ResultWithNote
from graphmem.interfaces.verbs.verb import Verb
from graphmem.memory import Memory
from graphmem.tasks.arguments import TaskChanges
from graphmem.tasks.render import render
from graphmem.tasks.transitions import status_of

Id = Annotated[str, "id, ref or title of a task"]


def create(
    mem: Memory,
    title: Annotated[str, "what to do"],
    description: Annotated[str, "details"] = "",
    priority: Annotated[str, "low, medium, high or critical"] = "medium",
    blocked_by: Annotated[list[str] | None, "what it waits for: a task, a link, an issue, or free text"] = None,
    ref: Annotated[str | None, "your own id; a second task with the same id is not created"] = None,
    parent: Annotated[str | None, "the parent task"] = None,
    label: Annotated[list[str] | None, "labels"] = None,
) -> Any:
    """Create a task. An existing equal task is returned instead."""
    status = "blocked" if blocked_by else "pending"
    known = {task.id for task in mem.tasks.find()}
    task = mem.tasks.create(title, description=description, status=status, priority=priority, blocked_by=blocked_by or (),
                            ref=ref, parent=parent, labels=label or ())  # fmt: skip
    if task.id not in known:
        return task
    if task.open:
        return ResultWithNote(task, "This task already exists; nothing was changed.")
    again = f"`graphmem tasks reopen {quote(task.name)}` reopens it"
    return ResultWithNote(task, f"This task is {task.status.replace('_', ' ')} already and was not changed: {again}.")


def update(
    mem: Memory,
    id: Id,
    title: Annotated[str | None, "a new title"] = None,
    description: Annotated[str | None, "a new description"] = None,
    status: Annotated[str | None, "pending, in_progress, blocked, done or cancelled"] = None,
    priority: Annotated[str | None, "low, medium, high or critical"] = None,
    blocked_by: Annotated[list[str] | None, "replace its blockers with these"] = None,
    outcome: Annotated[str | None, "when closing: the result"] = None,
    commit: Annotated[list[str] | None, "when closing: the commits that implement it"] = None,
) -> Any:
    """Change a task. Closing may cite its outcome and commits."""
    given = {"title": title, "description": description, "status": status, "priority": priority,
             "blocked_by": blocked_by, "outcome": outcome, "commits": commit}  # fmt: skip
    to = status_of(status) if status else ""
    before = mem.tasks.show(id).blockers if to == "done" else ()
    changes = cast(TaskChanges, {name: value for name, value in given.items() if value is not None})
    task = mem.tasks.update(id, **changes)
    if to == "done" and task.status == "in_progress":  # a task that was never started needs two transitions
        closing = {"status": to, "outcome": outcome, "commits": commit}
        task = mem.tasks.update(task.id, **cast(TaskChanges, {name: value for name, value in closing.items() if value}))
        return ResultWithNote(
            task, "The task had not been started, so it was started and then closed; its history shows both."
        )
    if task.status == "done" and before:
        return ResultWithNote(
            task, f"It was still blocked by {'; '.join(each.title for each in before)}; these blockers were removed."
        )
    return task


def ready(mem: Memory) -> Any:
    """List tasks that can be started now, most urgent first."""
    return mem.tasks.ready()


def listed(
    mem: Memory,
    status: Annotated[str | None, "only this status"] = None,
    file: Annotated[str | None, "only tasks about this file"] = None,
    label: Annotated[str | None, "only tasks with this label"] = None,
) -> Any:
    """List tasks, most urgent first."""
    return mem.tasks.find(status=status, file=file, label=label)


def steps(
    mem: Memory,
    session: Annotated[
        str | None, "the list of this session, with what is done (default: what any session left open)"
    ] = None,
) -> Any:
    """List the steps of agents' own to-do lists that were left open, latest session first."""
    return mem.tasks.steps(session)


def claim(
    mem: Memory,
    by: Annotated[str, "who claims it"],
    id: Annotated[str | None, "a task (default: the first ready one)"] = None,
    lease: Annotated[float | None, "seconds until the claim expires"] = None,
) -> Any:
    """Claim a task. If several agents try at once, exactly one succeeds."""
    return mem.tasks.claim(id, by, lease=lease)


def blocked(mem: Memory) -> Any:
    """List blocked tasks and their root causes."""
    return mem.tasks.blocked()


def show(mem: Memory, id: Id) -> Any:
    """Show a task with its blockers, subtasks and history."""
    return mem.tasks.show(id)


def match(
    mem: Memory, text: Annotated[str, "text about a task"], k: Annotated[int, "maximum number of tasks"] = 5
) -> Any:
    """Find the tasks that a text refers to."""
    return mem.tasks.match(text, k=k)


def reopen(mem: Memory, id: Id, reason: Annotated[str, "why"] = "") -> Any:
    """Reopen a closed task."""
    return mem.tasks.reopen(id, reason)


def block(mem: Memory, id: Id, by: Annotated[str | None, "the blocker"] = None) -> Any:
    """Add a blocker to a task."""
    task = mem.tasks.block(id, by)
    if by:
        return task
    return ResultWithNote(task, "No blocker was named, so a placeholder was added: name the blocker with --by.")


def unblock(mem: Memory, id: Id, blocker: Annotated[str | None, "only this blocker"] = None) -> Any:
    """Remove one or all blockers of a task."""
    return mem.tasks.unblock(id, blocker)


def resolve(
    mem: Memory,
    condition: Annotated[str, "id or text of a condition"],
    target: Annotated[str | None, "the task that it refers to; without one, it is marked as fulfilled"] = None,
    undo: Annotated[bool, "take that back: it is open again"] = False,
) -> Any:
    """Link a condition to a task, or mark it fulfilled."""
    return mem.tasks.resolve(condition, target, verdict="rejected" if undo else "confirmed")


def report(mem: Memory, format: Annotated[str, "markdown, json or mermaid"] = "markdown") -> str:
    """Show the state of all work on one page."""
    return render(mem.tasks.report(), format)


def link(
    mem: Memory,
    id: Id,
    relation: Annotated[str, "depends_on, waits_for, parent, discovered_from, duplicates, supersedes or related"],
    to: Annotated[str, "the other task"],
    remove: Annotated[bool, "remove the relation"] = False,
) -> Any:
    """Add or remove a relation between two tasks. A cycle of blockers is rejected and shown."""
    return mem.tasks.link(id, relation, to, remove=remove)


def confirm(mem: Memory, id: Id, blocker: Annotated[str | None, "only this blocker"] = None) -> Any:
    """Confirm suggested blockers of a task."""
    return mem.tasks.confirm(id, blocker)


def release(mem: Memory, id: Id, by: Annotated[str, "only if this worker holds the claim"] = "") -> Any:
    """Release a claimed task."""
    return mem.tasks.release(id, by)


def unblocks(mem: Memory, id: Id) -> Any:
    """List the tasks that become ready when this one is closed."""
    return mem.tasks.unblocks(id)


def critical_path(mem: Memory, goal: Annotated[str | None, "the task to reach"] = None) -> Any:
    """Show the longest chain of open tasks, in order."""
    return mem.tasks.critical_path(goal)


def context(mem: Memory, view: Annotated[str | None, "confirmed, suggested, placeholders or resolved"] = None) -> Any:
    """Show all blockers of open work and what each refers to."""
    return mem.tasks.context(view)  # type: ignore[arg-type]


def conditions(mem: Memory, open_only: Annotated[bool, "only unresolved conditions"] = False) -> Any:
    """List conditions that tasks wait for."""
    return mem.tasks.conditions(open_only=open_only)


def prime(mem: Memory) -> str:
    """Summarise open work for an agent. Takes under 400 tokens, for the start of a session."""
    return mem.tasks.prime()


def load(
    mem: Memory,
    path: Annotated[Path, "an export of beads or GitHub issues, a Markdown checklist, or an exported state"],
    format: Annotated[str, "auto, beads, github, markdown or state"] = "auto",
) -> Any:
    """Import tasks from a file. Idempotent."""
    return mem.tasks.load(path.read_text("utf-8", "replace"), format)  # type: ignore[arg-type]


def dump(mem: Memory, format: Annotated[str, "state, beads, github or markdown"] = "state") -> str:
    """Print all tasks in an exchange format."""
    return mem.tasks.dump(format)  # type: ignore[arg-type]


def sync(mem: Memory, path: Annotated[Path, "a text file in git, with one sorted JSON line per task"]) -> Any:
    """Synchronise tasks with a text file in git, field by field."""
    return mem.tasks.sync(path)


TASKS: tuple[Verb, ...] = (
    Verb("tasks create", create, writes=True, agent=True),
    Verb("tasks update", update, writes=True, agent=True),
    Verb("tasks list", listed, agent=True),
    Verb("tasks ready", ready, agent=True),
    Verb("tasks steps", steps),
    Verb("tasks claim", claim, writes=True, agent=True),
    Verb("tasks blocked", blocked, agent=True),
    Verb("tasks show", show),
    Verb("tasks match", match),
    Verb("tasks reopen", reopen, writes=True),
    Verb("tasks block", block, writes=True),
    Verb("tasks unblock", unblock, writes=True),
    Verb("tasks resolve", resolve, writes=True),
    Verb("tasks report", report),
    Verb("tasks link", link, writes=True),
    Verb("tasks confirm", confirm, writes=True),
    Verb("tasks release", release, writes=True),
    Verb("tasks unblocks", unblocks),
    Verb("tasks critical-path", critical_path),
    Verb("tasks context", context),
    Verb("tasks conditions", conditions),
    Verb("tasks prime", prime, agent=True),
    Verb("tasks import", load, writes=True, local=True),
    Verb("tasks export", dump),
    Verb("tasks sync", sync, writes=True, local=True),
)
