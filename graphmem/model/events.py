"""The event: one thing that was observed or decided. Events are the only truth; everything else can be derived from
them again. Here are its record, the list of its types and what an append can answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

EVENT_TYPES = frozenset(
    {
        # conversations (REQUIREMENTS 2, 12)
        "session_start",
        "session_end",
        "session_summary",
        "user_prompt",
        "agent_response",
        "tool_observation",
        # explicit memory, its verdicts, and what was shown to whom
        "memory_remembered",
        "memory_feedback",
        "memory_shown",
        "memory_used",
        "memory_archived",
        "memory_restored",
        "memory_forgotten",
        "memory_reviewed",
        "supersession_decided",
        # the memory tree and endless mode: boundaries and decisions, by id; texts are derived (REQUIREMENTS 13, 22)
        "memory_compacted",
        "memory_marked",
        "memories_consolidated",
        "endless_changed",
        "turns_consolidated",
        # sources
        "commit_observed",
        "tree_indexed",
        "document_observed",
        "snapshot_captured",
        "test_run_observed",
        "source_ingested",
        # tasks (REQUIREMENTS 5)
        "task_created",
        "task_changed",
        "task_status_changed",
        "task_priority_changed",
        "task_title_changed",
        "task_blockers_set",
        "task_transition_rejected",
        "task_linked",
        "task_claimed",
        "condition_declared",
        "condition_resolved_to",
        "artifact_declared",
        # decisions of the owner of the store
        "fact_retired",
        "memified",
        "graduated",
        "setting_changed",
    }
)


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it is appended. `at` is world time in microseconds since 1970 UTC. `dedupe_key` names the act:
    a second append with the same key is a duplicate. Where None, the act is unique."""

    type: str
    payload: dict[str, Any]
    at: int
    session: str = ""
    project: str = ""
    actor: str = ""
    dedupe_key: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An appended event. `position` orders one log, `clock` (hybrid logical, microseconds) orders merged logs;
    `payload` is empty once it was purged, and where it is not of its type's shape: `problem` then says why. `foreign` says that
    another machine appended it."""

    position: int
    id: str
    type: str
    version: int
    at: int
    clock: int
    origin: str
    session: str
    project: str
    actor: str
    payload: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    foreign: bool = False


class Appended(NamedTuple):
    """The outcome of one append: the id of the event that now stands for the act, and whether it is new."""

    id: str
    outcome: Literal["new", "duplicate", "forgotten"]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a deterministic step or a model made of one event: kept, so that a rebuild neither runs nor pays again.
    `step` carries its version (`facts/1`), `source` is the id of the event, `input_hash` the hash of what was read.
    The log adds its `number` and the times of the source, so that a body holds none."""

    step: str
    source: str
    input_hash: str
    body: dict[str, Any]
    number: int = 0
    at: int = 0
    clock: int = 0


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge removed: numbers of payloads, derivations and blobs."""

    payloads: int = 0
    derivations: int = 0
    blobs: int = 0
