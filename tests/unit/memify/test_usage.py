"""Only what was shown counts as used; pairs that are found together are bound, bounded and forgotten with time."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.memify.usage import DAY, Note, Usage, fold_usage, manual_decisions
from graphmem.model.events import Event


def event(kind: str, payload: dict[str, Any], at: int = 0, session: str = "s") -> Event:
    return Event(1, f"{kind}{at}", kind, 1, at, at, "o", session, "p", "", payload)


def test_what_was_only_retrieved_was_not_used() -> None:
    usage = fold_usage([event("memory_shown", {"items": ["a"], "retrieved": ["a", "b"]}, 5)])
    assert usage.items["a"].shown == 1 and usage.items["a"].last == 5 and usage.items["a"].sessions == {"s"}
    assert usage.items["b"].shown == 0 and usage.items["b"].last == 0 and usage.items["b"].retrieved == 1


def test_notes_of_one_event_keep_their_own_time_and_session() -> None:
    notes = [{"at": 1, "session": "x", "shown": ["a"]}, {"at": 9, "session": "y", "shown": ["a"], "chosen": ["a"]}]
    use = fold_usage([event("memory_used", {"notes": notes}, 20, "")]).items["a"]
    assert (use.shown, use.chosen, use.last, use.sessions) == (2, 1, 9, {"x", "y"})


def test_a_bond_grows_with_use_stays_within_one_and_halves_in_ninety_days() -> None:
    usage = Usage()
    for _ in range(500):
        usage.add(Note(0, "s", shown=("a", "b")))
    bond = usage.bonds["a", "b"]
    assert bond.weight == 1.0
    assert bond.now(90 * DAY) == pytest.approx(0.5)
    usage.add(Note(90 * DAY, "s", shown=("b", "a"), chosen=("a",)))
    assert usage.bonds["a", "b"].weight == pytest.approx(0.55)


def test_a_task_that_is_done_credits_what_its_session_was_shown() -> None:
    done = {"state": {"status": "done"}}
    usage = fold_usage([event("memory_shown", {"items": ["a"]}, 1), event("task_status_changed", done, 2)])
    assert usage.items["a"].chosen == 1
    later = [event("memory_shown", {"items": ["a"]}, 1), event("task_status_changed", done, 5 * 3_600_000_000, "")]
    assert fold_usage(later).items["a"].chosen == 0


def test_the_last_decision_by_hand_counts() -> None:
    events = [event("memory_archived", {"item": "a"}), event("memory_feedback", {"item": "b", "verdict": "wrong"})]
    assert manual_decisions(events).away == {"a", "b"}
    more = [event("memory_restored", {"item": "a"}), event("memory_feedback", {"item": "b", "verdict": "useful"})]
    hand = manual_decisions([*events, *more])
    assert hand.away == set() and hand.kept == {"a"}
