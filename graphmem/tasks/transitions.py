"""The task state machine: statuses, allowed transitions, and the register of each status. Pure tables and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from graphmem.errors import UsageError
from graphmem.model.tasks import CLOSED, PRIORITIES, STATUSES, BlockerRef, Priority, Status, Task

# done -> in_progress is allowed only as an explicit reopen.
ALLOWED: dict[str, frozenset[str]] = {
    "pending": frozenset({"in_progress", "blocked", "cancelled"}),
    "in_progress": frozenset({"blocked", "done", "cancelled"}),
    "blocked": frozenset({"in_progress", "done", "cancelled"}),
    "done": frozenset(),
    "cancelled": frozenset(),
}
# Status names of trackers and people.
_SYNONYMS = {
    word: status
    for status, words in {
        "pending": "open todo new backlog ready deferred reopened 대기 할일",
        "in_progress": "started doing active wip hooked 진행 진행중",
        "blocked": "waiting stuck 차단 막힘",
        "done": "closed completed complete resolved fixed 완료",
        "cancelled": "canceled wontfix not_planned invalid 취소",
    }.items()
    for word in words.split()
}
_PRIORITY_SYNONYMS = {
    word: priority
    for priority, words in {
        "critical": "0 p0 urgent blocker 긴급",
        "high": "1 p1 major 높음",
        "medium": "2 p2 normal 보통",
        "low": "3 p3 4 p4 minor trivial 낮음",
    }.items()
    for word in words.split()
}


def status_of(name: str) -> Status:
    """Return the status for a word, including tracker names. Raises UsageError for an unknown one."""
    return cast(Status, _word(name, STATUSES, _SYNONYMS, "status"))


def priority_of(name: str | int) -> Priority:
    """Return the priority for a word or a number from 0 (critical) to 4. Raises UsageError for an unknown one."""
    return cast(Priority, _word(str(name), PRIORITIES, _PRIORITY_SYNONYMS, "priority"))


def _word(name: str, known: Sequence[str], synonyms: dict[str, str], what: str) -> str:
    word = name.strip().lower().replace("-", "_").replace(" ", "_")
    word = synonyms.get(word, word)
    if word not in known:
        raise UsageError(f"there is no {what} `{name}`: use {', '.join(known)}", **{what: name})
    return word


def refusal_of(task: Task, to: str) -> str:
    """Return why the task cannot take this status, or ""."""
    if to == task.status or to in ALLOWED[task.status]:
        return ""
    if task.status == "pending" and to == "done":
        return "a task that was not started cannot be done; it is now in progress"
    if task.status in CLOSED:
        return f"a task that is {task.status} can only be changed by reopening it"
    return f"a task that is {task.status} cannot become {to}"


def state_register(
    status: str,
    blockers: Sequence[BlockerRef] = (),
    suggested: Sequence[BlockerRef] = (),
    claimed_by: str = "",
    claimed_until: int | None = None,
) -> dict[str, Any]:
    """Return the register of a status: the state that an event stores. Only a blocked task has confirmed blockers, a closed
    one has no suggestions either, and only work in progress is claimed."""
    state: dict[str, Any] = {"status": status, "blockers": [], "suggested": []}
    if status == "blocked":
        state["blockers"] = [ref.payload() for ref in blockers]
    if status not in CLOSED:
        confirmed = {ref.id for ref in blockers} if status == "blocked" else set()
        state["suggested"] = [ref.payload() for ref in suggested if ref.id not in confirmed]
    if status == "in_progress" and claimed_until is not None:  # no name: unclaimed
        state |= {"claimed_by": claimed_by, "claimed_until": claimed_until}
    return state
