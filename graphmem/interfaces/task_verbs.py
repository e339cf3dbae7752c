"""The verbs of tasks: `graphmem tasks ready` and its kin. One row each, like those of `verbs.py`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from graphmem.interfaces.verb import Noted, Verb
from graphmem.memory import Memory
from graphmem.tasks.render import render
from graphmem.tasks.transitions import status_of

Id = Annotated[str, "a task: its id, ref or title"]


def create(
    mem: Memory,
    title: Annotated[str, "what is to be done"],
    description: Annotated[str, "more about it"] = "",
    priority: Annotated[str, "low, medium, high or critical"] = "medium",
    blocked_by: Annotated[list[str] | None, "what it waits for: a task, a link, an issue, or words"] = None,
    ref: Annotated[str | None, "your own id: the same one is created once"] = None,
    parent: Annotated[str | None, "the task it is part of"] = None,
    label: Annotated[list[str] | None, "labels"] = None,
) -> Any:
    """Create a task; an equal one is returned instead."""
    status = "blocked" if blocked_by else "pending"
    known = {task.id for task in mem.tasks.find()}
    task = mem.tasks.create(title, description=description, status=status, priority=priority, blocked_by=blocked_by or (),
                            ref=ref, parent=parent, labels=label or ())  # fmt: skip
    if task.id not in known:
        return task
    if task.open:
        return Noted(task, "This task was there already; nothing was changed.")
    again = f"`graphmem tasks reopen {quote(task.name)}` brings it back"
    return Noted(task, f"This task is {task.status.replace('_', ' ')} already, and stays so: {again}.")


def update(
    mem: Memory,
    id: Id,
    title: Annotated[str | None, "a new title"] = None,
    description: Annotated[str | None, "a new description"] = None,
    status: Annotated[str | None, "pending, in_progress, blocked, done or cancelled"] = None,
    priority: Annotated[str | None, "low, medium, high or critical"] = None,
    blocked_by: Annotated[list[str] | None, "replaces what it waits for"] = None,
    outcome: Annotated[str | None, "when closing: its result"] = None,
    commit: Annotated[list[str] | None, "when closing: the commits that did it"] = None,
) -> Any:
    """Change a task; closing may cite its outcome and commits."""
    given = {"title": title, "description": description, "status": status, "priority": priority,
             "blocked_by": blocked_by, "outcome": outcome, "commits": commit}  # fmt: skip
    to = status_of(status) if status else ""
    before = mem.tasks.show(id).blockers if to == "done" else ()
    task = mem.tasks.update(id, **{name: value for name, value in given.items() if value is not None})
    if to == "done" and task.status == "in_progress":  # work that never began was begun: the second of two steps
        closing = {"outcome": outcome, "commits": commit}
        task = mem.tasks.update(task.id, status=to, **{name: value for name, value in closing.items() if value})
        return Noted(task, "It had never begun: it was begun and then closed, and its history shows both.")
    if task.status == "done" and before:
        return Noted(
            task, f"It still waited for {'; '.join(each.title for each in before)}: those blockers are cleared."
        )
    return task


def ready(mem: Memory) -> Any:
    """List what can be started now, most urgent first."""
    return mem.tasks.ready()


def listed(
    mem: Memory,
    status: Annotated[str | None, "only this status"] = None,
    file: Annotated[str | None, "only tasks about this file"] = None,
    label: Annotated[str | None, "only with this label"] = None,
) -> Any:
    """List tasks, most urgent first."""
    return mem.tasks.find(status=status, file=file, label=label)


def claim(
    mem: Memory,
    by: Annotated[str, "who takes it"],
    id: Annotated[str | None, "a task; without one, the first that is ready"] = None,
    lease: Annotated[float | None, "seconds until the claim ends by itself"] = None,
) -> Any:
    """Claim a task; of several agents at once exactly one gets it."""
    return mem.tasks.claim(id, by, lease=lease)


def blocked(mem: Memory) -> Any:
    """List blocked tasks, and the root of each chain of blockers."""
    return mem.tasks.blocked()


def show(mem: Memory, id: Id) -> Any:
    """Show one task with its blockers, parts and history."""
    return mem.tasks.show(id)


def match(mem: Memory, text: Annotated[str, "words that may mean a task"], k: Annotated[int, "how many"] = 5) -> Any:
    """Find the tasks that a text means."""
    return mem.tasks.match(text, k=k)


def reopen(mem: Memory, id: Id, reason: Annotated[str, "why"] = "") -> Any:
    """Reopen a closed task."""
    return mem.tasks.reopen(id, reason)


def block(mem: Memory, id: Id, by: Annotated[str | None, "what it waits for"] = None) -> Any:
    """Add a blocker to a task."""
    task = mem.tasks.block(id, by)
    if by:
        return task
    return Noted(task, "What it waits for is not named, so it waits for a placeholder: name it with --by.")


def unblock(mem: Memory, id: Id, blocker: Annotated[str | None, "only this one"] = None) -> Any:
    """Remove one blocker of a task, or all."""
    return mem.tasks.unblock(id, blocker)


def resolve(
    mem: Memory,
    condition: Annotated[str, "a condition: its id or words"],
    target: Annotated[str | None, "the task it turned out to be; without one, it is fulfilled"] = None,
) -> Any:
    """Resolve a condition: link it to a task, or mark it as fulfilled."""
    return mem.tasks.resolve(condition, target)


def report(mem: Memory, format: Annotated[str, "markdown, json or mermaid"] = "markdown") -> str:
    """Show the state of the work on one page."""
    return render(mem.tasks.report(), format)


def link(
    mem: Memory,
    id: Id,
    relation: Annotated[str, "depends_on, waits_for, parent, discovered_from, duplicates, supersedes or related"],
    to: Annotated[str, "the other task"],
    remove: Annotated[bool, "remove the relation"] = False,
) -> Any:
    """Relate a task to another; a cycle of blockers is refused and shown."""
    return mem.tasks.link(id, relation, to, remove=remove)


def confirm(mem: Memory, id: Id, blocker: Annotated[str | None, "only this one"] = None) -> Any:
    """Make suggested blockers of a task real ones."""
    return mem.tasks.confirm(id, blocker)


def release(mem: Memory, id: Id, by: Annotated[str, "only if it is theirs"] = "") -> Any:
    """Release a claimed task."""
    return mem.tasks.release(id, by)


def unblocks(mem: Memory, id: Id) -> Any:
    """List the tasks that closing this one would make ready."""
    return mem.tasks.unblocks(id)


def critical_path(mem: Memory, goal: Annotated[str | None, "towards this task"] = None) -> Any:
    """Show the longest chain of open tasks, in the order to do them."""
    return mem.tasks.critical_path(goal)


def context(mem: Memory, view: Annotated[str | None, "confirmed, suggested, placeholders or resolved"] = None) -> Any:
    """Show every blocker of open work with its current meaning."""
    return mem.tasks.context(view)  # type: ignore[arg-type]


def conditions(mem: Memory, open_only: Annotated[bool, "only those not resolved"] = False) -> Any:
    """List conditions that work waits for."""
    return mem.tasks.conditions(open_only=open_only)


def prime(mem: Memory) -> str:
    """Summarise for an agent that starts what is open, in under 400 tokens."""
    return mem.tasks.prime()


def load(
    mem: Memory,
    path: Annotated[Path, "an export of beads or GitHub issues, a Markdown checklist, or our own state"],
    format: Annotated[str, "auto, beads, github, markdown or state"] = "auto",
) -> Any:
    """Import tasks from a file. Idempotent."""
    return mem.tasks.load(path.read_text("utf-8", "replace"), format)  # type: ignore[arg-type]


def dump(mem: Memory, format: Annotated[str, "state, beads, github or markdown"] = "state") -> str:
    """Print all tasks in one of the formats."""
    return mem.tasks.dump(format)  # type: ignore[arg-type]


def sync(mem: Memory, path: Annotated[Path, "the text in git: one sorted JSON line a task"]) -> Any:
    """Synchronise tasks with a text file in git, field by field."""
    return mem.tasks.sync(path)


TASKS: tuple[Verb, ...] = (
    Verb("tasks create", create, writes=True, agent=True),
    Verb("tasks update", update, writes=True, agent=True),
    Verb("tasks list", listed, agent=True),
    Verb("tasks ready", ready, agent=True),
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
