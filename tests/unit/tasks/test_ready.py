"""What can be worked on now: unblocked, unclaimed or with an expired claim, no epic with open parts; most urgent first. Pure: a task
book in memory. Mutants of `tasks/ready.py` die here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from task_desk import book_of

from graphmem.model.tasks import BlockerRef, Task, to_datetime
from graphmem.tasks.ready import Ready, urgency_score

NOW, MINUTE = 1_760_000_000_000_000, 60_000_000  # microseconds
EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def a_task(id_: str, status: str = "pending", **fields: Any) -> Task:
    return Task(id_, f"Do {id_}", status=status, **({"created_at": EARLY} | fields))  # type: ignore[arg-type]


def ready(*tasks: Task, now: int = NOW) -> str:
    return "".join(task.id for task in Ready()(book_of(*tasks), now))


def test_the_most_urgent_comes_first_then_the_oldest_then_by_id() -> None:
    tasks = [a_task("a", priority="low"), a_task("b", priority="critical", created_at=LATE),
             a_task("d", priority="critical"), a_task("c", priority="critical"), a_task("e")]  # fmt: skip
    assert ready(*tasks) == "cdbea"
    assert urgency_score(tasks[1])[1:] == (LATE.timestamp(), "b") and urgency_score(tasks[1])[0] == 0


def test_what_is_closed_blocked_or_a_note_is_not_ready() -> None:
    waits = a_task("w", "blocked", blocked_by=(BlockerRef("task", "a"),))
    assert ready(a_task("a"), waits) == "a"
    assert ready(a_task("a", "done"), waits) == "w"  # its blocker is gone
    assert ready(a_task("a", "done"), a_task("b", "cancelled"), a_task("n", source="code", updated_at=EARLY)) == ""


def test_a_claim_holds_until_its_last_moment_and_work_without_one_is_nobodys() -> None:
    claimed = a_task("c", "in_progress", claimed_by="ann", claimed_until=to_datetime(NOW + MINUTE))
    assert ready(claimed, now=NOW + MINUTE - 1) == "" and ready(claimed, now=NOW + MINUTE) == "c"
    assert ready(a_task("c", "in_progress"), now=NOW) == ""


def test_an_epic_waits_for_its_parts() -> None:
    epic = a_task("e", kind="epic")
    assert ready(epic, a_task("p", parent="e", priority="low")) == "p"
    assert ready(epic, a_task("p", "done", parent="e")) == "e" and ready(epic) == "e"
    assert (
        ready(a_task("t"), a_task("p", parent="t", created_at=LATE)) == "tp"
    )  # no epic: parts of it do not hold it up


def test_what_is_known_is_computed_anew_for_a_changed_or_another_book() -> None:
    listed, book = Ready(), book_of(a_task("a"))
    assert [task.id for task in listed(book, NOW)] == ["a"]
    book.tasks["b"] = a_task("b")
    assert [task.id for task in listed(book, NOW)] == ["a"]  # nothing says that it changed
    book.version += 1
    assert [task.id for task in listed(book, NOW)] == ["a", "b"]
    other = book_of(a_task("x"))
    other.version = book.version
    assert [task.id for task in listed(other, NOW)] == ["x"]
