"""Events: everything observed or decided. Events are the only source of truth; all other data can be derived from them.
Defines the event record, the list of event types, and the outcomes of an append."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

TASK_EVENTS = (
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
)
EVENT_TYPES = frozenset(
    {
        # conversations
        "session_start",
        "session_end",
        "session_summary",
        "user_prompt",
        "agent_response",
        "tool_observation",
        # explicit memories, their feedback, and what was shown
        "memory_remembered",
        "memory_feedback",
        "memory_shown",
        "memory_used",
        "memory_archived",
        "memory_restored",
        "memory_forgotten",
        "memory_reviewed",
        "supersession_decided",
        "entities_merged",
        "approval_required",
        "approval_decided",
        # memory tree and endless mode: boundaries and decisions, by id; texts are derived
        "memory_compacted",
        "memory_marked",
        "memories_consolidated",
        "endless_changed",
        "turns_consolidated",
        # sources
        "commit_observed",
        "tree_indexed",
        "scip_indexed",
        "document_observed",
        "snapshot_captured",
        "test_run_observed",
        "source_ingested",
        *TASK_EVENTS,
        # decisions of the store's owner
        "log_merged",
        "fact_retired",
        "memified",
        "graduated",
        "setting_changed",
    }
)


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it is appended. `at` is world time in microseconds since 1970 UTC. `dedupe_key` identifies the
    action: a second append with the same key is a duplicate. With None, the action is unique."""

    type: str
    payload: dict[str, Any]
    at: int
    session: str = ""
    project: str = ""
    actor: str = ""
    dedupe_key: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An appended event. `position` orders one log, `clock` (hybrid logical clock, microseconds) orders merged logs.
    `payload` is empty after a purge, and if it does not have the shape of its type; then `problem` says why. `foreign`:
    merged from another machine that the user did not vouch for."""

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

    @property
    def is_ignored(self) -> bool:
        """Return whether it is a decision of a machine that the user did not vouch for."""
        return self.foreign and self.type in DECISIONS


# Tasks, and decisions of the user about what is stored and shown. From a machine that nobody vouched for they decide
# nothing here. Their tombstones hide only what came from such machines (see `backends.log.exchange`).
DECISIONS = frozenset(
    {
        *TASK_EVENTS,
        "memory_forgotten",
        "memory_feedback",
        "memory_archived",
        "memory_restored",
        "memory_reviewed",
        "supersession_decided",
        "entities_merged",
        "approval_required",
        "approval_decided",
        "memory_marked",
        "memories_consolidated",
        "endless_changed",
        "turns_consolidated",
        "log_merged",
        "fact_retired",
        "memified",
        "graduated",
        "setting_changed",
    }
)


class MergeCounts(NamedTuple):
    """The outcome of a merge: the number of new events; whether any event that was erased at the source is still here,
    though forgotten; whether the user newly vouches for events that were merged before."""

    new: int
    erased: bool
    revised: bool


class Appended(NamedTuple):
    """The outcome of an append: the id of the event for the action, and whether it is new."""

    id: str
    outcome: Literal["new", "duplicate", "forgotten"]


@dataclass(frozen=True, slots=True)
class Derivation:
    """The stored result of a deterministic step or a model for one event, so that a rebuild need not recompute or pay for
    it. `step` contains its version (`facts/1`), `source` is the event id, `input_hash` the hash of its input. The log
    adds `number` and the times of the source."""

    step: str
    source: str
    input_hash: str
    body: dict[str, Any]
    number: int = 0
    at: int = 0
    clock: int = 0


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge removed: counts of payloads, derivations and blobs."""

    payloads: int = 0
    derivations: int = 0
    blobs: int = 0
