"""Connects conditions that tasks wait for with tasks created later: "the Redis upgrade" is met by the task "Redis upgrade". A
certain match resolves the condition, a probable one becomes a candidate; the waiting task is released when that one is done."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from graphmem.model.events import Draft
from graphmem.model.tasks import Condition, MatchResult
from graphmem.tasks.blockers import STRICT_GAP, STRICT_SCORE, Match
from graphmem.tasks.blocking import find_cycle
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Ledger

PROBABLE = 0.75  # score from which a task is suggested
_MOST = 200  # newest open conditions that are compared


def open_conditions(book: TaskBook) -> list[Condition]:
    """Return the conditions that nothing has met yet, newest first."""
    waiting = [one for one in book.conditions.values() if not one.resolved and not one.placeholder]
    return sorted(waiting, key=lambda one: one.at, reverse=True)[:_MOST]


def meet_conditions(ledger: Ledger, match: Match, created: Collection[str]) -> None:
    """Record which open conditions are met by the tasks `created`."""
    book = ledger.book()
    if created and (waiting := open_conditions(book)):
        ledger.append(list(_meetings(ledger, match, created, waiting)))


def _meetings(ledger: Ledger, match: Match, created: Collection[str], waiting: Iterable[Condition]) -> Iterator[Draft]:
    book = ledger.book()
    for condition in waiting:
        blocked = tuple(
            task.id
            for task in book.tasks.values()
            if any(ref.id == condition.id for ref in (*task.blocked_by, *task.suggested))
        )
        result = match(condition.text, blocked)
        best = result.best
        if best is None or best.task.id not in created or best.score < PROBABLE or not best.task.open:
            continue
        target = best.task.id
        if target in condition.rejected or find_cycle(book, condition.id, target):
            continue
        verdict = "confirmed" if _is_certain(result) else "pending"
        if verdict == "pending" and target in condition.candidates:
            continue
        payload: dict[str, Any] = {
            "condition": condition.id, "source_kind": "condition", "target": target, "kind": "task", "type": verdict,
            "resolution_type": "matched_later", "confidence": round(best.score, 4),
        }  # fmt: skip
        yield ledger.draft("condition_resolved_to", payload, f"condition_met:{condition.id}:{target}:{verdict}")


def _is_certain(result: MatchResult) -> bool:
    scores = [each.score for each in result.candidates]
    gap = scores[0] - scores[1] if len(scores) > 1 else 1.0
    return result.confidence == "high" and scores[0] >= STRICT_SCORE and gap >= STRICT_GAP
