"""The neutral record between tracker files and the book: one per task, with relations by tracker id, and the time of each
field, so that a merge never prefers an older value. Also small conversions for all formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from graphmem.model.tasks import NEVER, Condition, Task

# Fields of a record that can change an existing task.
FIELDS = ("title", "description", "priority", "kind", "labels", "files", "assignee", "aliases", "outcome")


@dataclass(slots=True)
class TaskRecord:
    """One task as a file describes it. Times are in microseconds since 1970 UTC, None if unknown."""

    ref: str  # the tracker's id
    fields: dict[str, Any]  # only what the file contains: title, description, priority, ...
    status: str = "pending"  # "" if the file does not say
    relations: dict[str, list[str]] = field(
        default_factory=dict
    )  # relation -> names of tasks; `blocked_by`: a tracker's "blocks"
    blockers: list[dict[str, Any]] = field(default_factory=list)  # confirmed, as in an event
    suggested: list[dict[str, Any]] = field(default_factory=list)  # suggested, as in an event
    created: int | None = None
    updated: int | None = None  # when the fields without an entry in `stamps` were last set
    closed: int | None = None
    stamps: dict[str, int] = field(default_factory=dict)  # field -> when it was last set
    commits: list[str] = field(default_factory=list)  # that implement it
    id: str = ""  # graphmem's own id; only in graphmem's own format
    source: str = ""  # where the task comes from: "text", "git", "agent", ...
    waits: list[str] = field(default_factory=list)  # words for what may block it
    only_known: bool = False  # change a known task, never create one
    unknown_title: str = (
        ""  # with `only_known`: title of the task to create all the same, because a tracker lists it, or a person waits
    )

    def stamp(self, name: str) -> int | None:
        """Return when this field was last set."""
        return self.stamps.get(name, self.updated)


@dataclass(slots=True)
class Parsed:
    """Content of a file: records, and a sentence for each unreadable part."""

    records: list[TaskRecord] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)


def parse_time_us(text: Any) -> int | None:
    """Parse an ISO 8601 time to microseconds since 1970 UTC (UTC without a zone); None for anything else."""
    if not isinstance(text, str) or not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1e6)


def format_time(at: datetime | None) -> str | None:
    """Format a time, exact to the microsecond; None for no time."""
    return None if at is None or at == NEVER else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def names(value: Any) -> list[str]:
    """Return names from a list of strings or of objects with a name or login."""
    found = []
    for each in value if isinstance(value, list) else []:
        name = each.get("name") or each.get("login") if isinstance(each, dict) else each
        if isinstance(name, str) and name:
            found.append(name)
    return found


def text(value: Any) -> str:
    """Return the value if it is a string, otherwise ""."""
    return value if isinstance(value, str) else ""


def name_of(tasks: dict[str, Task], id_: str) -> str:
    """Return the name of a task in files: its tracker id, otherwise its id."""
    return tasks[id_].name if id_ in tasks else id_
