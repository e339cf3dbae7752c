"""Records of tasks: work with blockers, conditions and artifacts, matches of a text, and report data. All are computed
from events in `tasks/book.py`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

Status = Literal["pending", "in_progress", "blocked", "done", "cancelled"]
Priority = Literal["low", "medium", "high", "critical"]
Confidence = Literal["high", "suggested", "none"]
EntityKind = Literal["task", "condition", "artifact"]

STATUSES: tuple[Status, ...] = ("pending", "in_progress", "blocked", "done", "cancelled")
PRIORITIES: tuple[Priority, ...] = ("low", "medium", "high", "critical")
NEVER = datetime.min.replace(tzinfo=UTC)
CLOSED = frozenset({"done", "cancelled"})
STEP = "step"  # start of the ids, and kind, of the entries of the list that an agent keeps during a session
LEFT_BY_AGENT = (
    "answer"  # source of a task that an agent left for later in an answer: a suggestion until somebody takes it up
)
SUGGESTED = "suggested"  # its label
# Relations between tasks. Blocking relations must be acyclic; "blocked_by" is stored with the status instead.
BLOCKING_RELATIONS = ("depends_on", "waits_for")
RELATIONS = (*BLOCKING_RELATIONS, "parent", "discovered_from", "duplicates", "supersedes", "related")


def to_datetime(microseconds: int) -> datetime:
    """Convert microseconds since 1970 UTC to an aware datetime, clamped to the supported range."""
    try:
        return datetime.fromtimestamp(microseconds / 1e6, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.max.replace(tzinfo=UTC) if microseconds > 0 else datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BlockerRef:
    """What a task waits for: an entity by kind and id, the original text, a confidence in [0, 1] with its label
    (`artifact`, `task_id`, `title`, `condition`, `placeholder`, `given`), and up to five candidate task ids."""

    kind: EntityKind
    id: str
    text: str = ""
    confidence: float = 1.0
    label: str = "given"
    candidates: tuple[str, ...] = ()

    def payload(self) -> dict[str, Any]:
        """Return the form stored in an event."""
        return {"kind": self.kind, "id": self.id, "text": self.text, "confidence": self.confidence,
                "label": self.label, "candidates": list(self.candidates)}  # fmt: skip

    @classmethod
    def of(cls, payload: dict[str, Any]) -> BlockerRef:
        """Parse the form stored in an event."""
        return cls(payload["kind"], payload["id"], payload.get("text", ""), payload.get("confidence", 1.0),
                   payload.get("label", "given"), tuple(payload.get("candidates", ())))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work that persists across sessions. `blocked_by` is confirmed, `suggested` awaits confirmation;
    relations contain task ids. A claim is valid until `claimed_until`. `session` created it."""

    id: str
    title: str
    ref: str = ""
    description: str = ""
    status: Status = "pending"
    priority: Priority = "medium"
    kind: str = "task"
    project: str = ""
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    assignee: str = ""
    aliases: tuple[str, ...] = ()
    parent: str = ""
    blocked_by: tuple[BlockerRef, ...] = ()
    suggested: tuple[BlockerRef, ...] = ()
    depends_on: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    discovered_from: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    outcome: str = ""
    commits: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    source: str = ""
    claimed_by: str = ""
    claimed_until: datetime | None = None
    created_at: datetime = NEVER
    updated_at: datetime = NEVER
    closed_at: datetime | None = None
    rejected: str = ""
    session: str = ""

    @property
    def open(self) -> bool:
        """Return whether it is neither done nor cancelled."""
        return self.status not in CLOSED

    @property
    def is_step(self) -> bool:
        """Return whether it is an entry of the to-do list that an agent keeps during a session."""
        return self.id.startswith(f"{STEP}:")

    @property
    def is_note(self) -> bool:
        """Return whether it only suggests work and nobody took it up: an agent left it for later, or it is a code comment (earlier
        versions created tasks from those)."""
        is_suggested = self.source in ("code", LEFT_BY_AGENT)
        return is_suggested and self.status == "pending" and self.updated_at <= self.created_at

    @property
    def name(self) -> str:
        """Return the tracker id if there is one, otherwise the id."""
        return self.ref or self.id


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must become true. `resolved_to` is the task, condition or artifact it turned out to be; `resolved`:
    it no longer blocks by itself. A placeholder represents an unnamed blocker."""

    id: str
    text: str
    placeholder: bool = False
    task: str = ""
    candidates: tuple[str, ...] = ()
    resolved: bool = False
    resolved_to: str = ""
    resolved_kind: str = ""
    confidence: float = 0.0
    rejected: tuple[str, ...] = ()
    at: datetime = NEVER


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something outside the store: a URL, a tracker key, an issue of a repository, or anything else."""

    id: str
    kind: str
    text: str
    resolved: bool = False
    at: datetime = NEVER


@dataclass(frozen=True, slots=True)
class Happening:
    """A line of a task's history: time, event type, actor, and text."""

    at: datetime
    type: str
    actor: str
    text: str
    event: str = ""


@dataclass(frozen=True, slots=True)
class Blocker:
    """An effective blocker, after all resolutions, with the chain of ids from the task to it."""

    kind: str
    id: str
    title: str
    chain: tuple[str, ...]
    state: Literal["direct", "resolved", "pending"] = "direct"


@dataclass(frozen=True, slots=True)
class TaskDetail:
    """A task with all details."""

    task: Task
    blockers: tuple[Blocker, ...]
    children: tuple[Task, ...]
    dependents: tuple[Task, ...]
    history: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class BlockedTask:
    """A blocked task, its root blockers, and the tasks that closing it would unblock."""

    task: Task
    blockers: tuple[Blocker, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task that a text may refer to. `score` in [0, 1] is comparable across results."""

    task: Task
    score: float
    method: str = ""

    @property
    def ref(self) -> str:
        """Return the tracker id of the task, otherwise its id."""
        return self.task.name


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Candidates, best first. "high": the first one is meant (calibrated at 97% or better); "suggested": worth checking;
    "none": no evidence for any."""

    confidence: Confidence
    candidates: tuple[Candidate, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """Return the first candidate."""
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A blocker as it was named, and what it now refers to."""

    task: Task
    blocker: BlockerRef
    target: str
    state: Literal["direct", "resolved", "pending"]


@dataclass(frozen=True, slots=True)
class TaskReport:
    """A one-page report of all work; lists are in order of priority."""

    project: str
    at: datetime
    counts: dict[str, int]
    ready: tuple[Task, ...]
    in_progress: tuple[Task, ...]
    blocked: tuple[BlockedTask, ...]
    critical_path: tuple[Task, ...]
    unblocks: tuple[tuple[Task, int], ...]
    stale: tuple[Task, ...]
    orphans: tuple[Task, ...]
    by_file: tuple[tuple[str, tuple[Task, ...]], ...]
    burndown: tuple[tuple[str, int, int, int], ...]  # day, created, closed, open at the end of the day
    recent: tuple[Task, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Result of an import: tasks created, changed and unchanged, relations set, and unreadable lines."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    relations: int = 0
    problems: tuple[str, ...] = ()
