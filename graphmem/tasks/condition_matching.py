"""Connects conditions that tasks wait for with tasks created later: "the Redis upgrade" is met by the task "Redis upgrade". A
strict match resolves the condition, a probable one becomes a candidate; the waiting task is released when that one is done."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from graphmem.model.events import Draft
from graphmem.model.tasks import Condition, Task
from graphmem.tasks.blockers import FindMatches, is_strict_match
from graphmem.tasks.blocking import find_cycle
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Ledger
from graphmem.tasks.match.terms import split_terms

PROBABLE = 0.75  # score from which a task is suggested
_MAX_CONDITIONS = 200  # newest open conditions that are compared
_MAX_MATCHED = 10  # conditions per new task that are matched against all tasks (about a millisecond each)
_MIN_SHARED = 0.5  # of the terms of a condition, or of a title, that the other must have


def _open_conditions(book: TaskBook) -> list[Condition]:
    """Return the conditions that nothing has met yet, newest first."""
    waiting = [one for one in book.conditions.values() if not one.resolved and not one.placeholder]
    return sorted(waiting, key=lambda one: one.at, reverse=True)[:_MAX_CONDITIONS]


def meet_conditions(ledger: Ledger, match: FindMatches, created: Collection[str]) -> None:
    """Record which open conditions are met by the tasks `created`."""
    if not created:
        return
    book = ledger.book()
    similar = _similar_conditions(_open_conditions(book), [book.tasks[id_] for id_ in created if id_ in book.tasks])
    if similar:
        ledger.append(list(_draft_resolutions(ledger, match, created, similar)))


def fulfil_conditions(ledger: Ledger, told: Sequence[str], at: int, session: str) -> int:
    """Record which open conditions sentences tell to be fulfilled: those that share most terms of the condition. Return how
    many."""
    terms = [frozenset(split_terms(sentence)) for sentence in told]
    told_at = datetime.fromtimestamp(at / 1e6, UTC)
    drafts = []
    for condition in _open_conditions(ledger.book()):
        wanted = frozenset(split_terms(condition.text))
        if condition.at < told_at and wanted and max(len(wanted & said) for said in terms) / len(wanted) >= PROBABLE:
            payload = {"condition": condition.id, "source_kind": "condition", "target": "", "kind": "", "type": "confirmed",
                       "resolution_type": "told", "confidence": 0.9}  # fmt: skip
            drafts.append(ledger.draft("condition_resolved_to", payload, None, at=at, session=session))
    ledger.append(drafts)
    return len(drafts)


def _similar_conditions(conditions: Sequence[Condition], created: Iterable[Task]) -> list[Condition]:
    """Return the conditions that share enough terms with a new task, the most similar first."""
    wanted = [frozenset(split_terms(condition.text)) for condition in conditions]
    asking = defaultdict(list)  # term -> rows of the conditions that have it
    for row, words in enumerate(wanted):
        for word in words:
            asking[word].append(row)
    shares: dict[int, float] = {}
    tasks = 0
    for task in created:
        tasks += 1
        title = frozenset(split_terms(task.title))
        known = title.union(split_terms(" ".join((*task.aliases, task.ref, task.description))))
        common = Counter(row for word in known for row in asking.get(word, ()))
        for row, number in common.items():
            share = number / max(min(len(wanted[row]), len(title)), 1)
            if share >= _MIN_SHARED:
                shares[row] = max(share, shares.get(row, 0.0))
    similar = sorted(shares, key=lambda row: -shares[row])
    return [conditions[row] for row in similar[: _MAX_MATCHED * tasks]]


def _waiting_tasks(book: TaskBook) -> dict[str, list[str]]:
    """Return the ids of the tasks that wait for each condition, those with a suggestion only included."""
    waiting = defaultdict(list)
    for task in book.tasks.values():
        for ref in (*task.blocked_by, *task.suggested):
            waiting[ref.id].append(task.id)
    return waiting


def _draft_resolutions(
    ledger: Ledger, match: FindMatches, created: Collection[str], conditions: Iterable[Condition]
) -> Iterator[Draft]:
    book = ledger.book()
    waiting_tasks = _waiting_tasks(book)
    for condition in conditions:
        blocked = tuple(waiting_tasks.get(condition.id, ()))
        result = match(condition.text, blocked)
        best = result.best
        if best is None or best.task.id not in created or best.score < PROBABLE or not best.task.open:
            continue
        target = best.task.id
        if target in condition.rejected or find_cycle(book, condition.id, target):
            continue
        verdict = "confirmed" if is_strict_match(result) else "pending"
        if verdict == "pending" and target in condition.candidates:
            continue
        payload: dict[str, Any] = {
            "condition": condition.id, "source_kind": "condition", "target": target, "kind": "task", "type": verdict,
            "resolution_type": "matched_later", "confidence": round(best.score, 4),
        }  # fmt: skip
        yield ledger.draft("condition_resolved_to", payload, f"condition_met:{condition.id}:{target}:{verdict}")
