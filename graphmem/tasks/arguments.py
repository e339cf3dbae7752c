"""The optional arguments of `mem.tasks.create` and `mem.tasks.update`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

from graphmem.model.tasks import Task

Related = str | Task | Iterable[str | Task] | None  # one or more tasks: an id, tracker id, title or Task each


class TaskDetails(TypedDict, total=False):
    """Fields that both `create` and `update` set. `outcome` says what a closed task led to."""

    kind: str
    labels: Iterable[str]
    files: Iterable[str]
    assignee: str
    source: str
    aliases: Iterable[str]
    outcome: str


class NewTask(TaskDetails, total=False):
    """Further fields of a new task. `at` and `done_at` are in microseconds since 1970 UTC. The rest are relations."""

    at: int | None
    done_at: int | None
    session: str
    depends_on: Related
    waits_for: Related
    discovered_from: Related
    duplicates: Related
    supersedes: Related
    related: Related


class TaskChanges(TaskDetails, total=False):
    """Changes of an existing task. `blocked_by` replaces the confirmed blockers, `suggested` the suggested ones; each is one
    or more of: an entity, its id, or free text. `parent` "" removes the parent. `commits`, `facts`, `reason` and `by`
    document a change of status."""

    title: str
    description: str
    ref: str
    status: str
    priority: str | int
    parent: str | Task
    blocked_by: Any
    suggested: Any
    commits: str | Iterable[str]
    facts: str | Iterable[str]
    reason: str
    by: str
