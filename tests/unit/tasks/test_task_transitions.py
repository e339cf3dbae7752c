"""The table of transitions as a table: which are refused and why, and what each status keeps."""

from __future__ import annotations

from itertools import product

import pytest

from graphmem.errors import UsageError
from graphmem.model.tasks import PRIORITIES, STATUSES, BlockerRef, Task
from graphmem.tasks.transitions import priority_of, refusal_of, state_register, status_of

ALLOWED = {
    ("pending", "in_progress"), ("pending", "blocked"), ("pending", "cancelled"), ("in_progress", "blocked"),
    ("in_progress", "done"), ("in_progress", "cancelled"), ("blocked", "in_progress"), ("blocked", "done"),
    ("blocked", "cancelled"),
}  # fmt: skip
WAIT = BlockerRef("task", "a")
ASKED = BlockerRef("task", "b")


@pytest.mark.parametrize(("before", "to"), list(product(STATUSES, STATUSES)))
def test_a_transition_is_allowed_or_refused_in_a_sentence(before: str, to: str) -> None:
    why = refusal_of(Task("t", "Mend the gate", status=before), to)  # type: ignore[arg-type]
    if before == to or (before, to) in ALLOWED:
        assert why == ""
    elif (before, to) == ("pending", "done"):
        assert why == "a task that was not started cannot be done; it is now in progress"
    elif before in ("done", "cancelled"):
        assert why == f"a task that is {before} can only be changed by reopening it"
    else:
        assert why == f"a task that is {before} cannot become {to}"


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_keeps_only_what_belongs_to_it(status: str) -> None:
    state = state_register(status, [WAIT], [WAIT, ASKED], "me", 5)
    confirmed, suggested = [[ref["id"] for ref in state[name]] for name in ("blockers", "suggested")]
    assert confirmed == (["a"] if status == "blocked" else [])
    # of a blocked task, what is confirmed is suggested no more; of a closed one, nothing is
    assert suggested == {"blocked": ["b"], "done": [], "cancelled": []}.get(status, ["a", "b"])
    claim = {name: state[name] for name in ("claimed_by", "claimed_until") if name in state}
    assert claim == ({"claimed_by": "me", "claimed_until": 5} if status == "in_progress" else {})


def test_work_in_progress_may_be_unclaimed() -> None:
    assert state_register("in_progress") == {"status": "in_progress", "blockers": [], "suggested": []}


@pytest.mark.parametrize(
    ("said", "status"),
    [(status, status) for status in STATUSES]
    + [
        (" In Progress", "in_progress"),
        ("in-progress", "in_progress"),
        ("WIP", "in_progress"),
        ("진행중", "in_progress"),
    ]
    + [("not planned", "cancelled"), ("closed", "done"), ("stuck", "blocked"), ("reopened", "pending")],
)
def test_a_status_has_the_words_of_other_trackers(said: str, status: str) -> None:
    assert status_of(said) == status


@pytest.mark.parametrize(
    ("said", "priority"),
    [(priority, priority) for priority in PRIORITIES]
    + [(0, "critical"), ("P1", "high"), (4, "low"), ("보통", "medium")],
)
def test_a_priority_is_a_word_or_a_number(said: str | int, priority: str) -> None:
    assert priority_of(said) == priority


def test_an_unknown_word_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError) as refused:
        status_of("frozen")
    assert str(refused.value) == f"there is no status `frozen`: use {', '.join(STATUSES)}"
    assert refused.value.data == {"status": "frozen"}
    with pytest.raises(UsageError, match=r"^there is no priority `5`: use "):
        priority_of(5)
