"""Actions on existing tasks: status, blockers, claims, fields and relations. A function here returns an action (`Act`), which
decides what is legal for the task as it is then and which event records it. The ledger runs it, and handles conflicts with
other processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from graphmem import privacy
from graphmem.errors import UsageError
from graphmem.model.checked import check_argument
from graphmem.model.tasks import BLOCKING_RELATIONS, CLOSED, RELATIONS, BlockerRef, Task, to_datetime
from graphmem.tasks import blocking
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Act
from graphmem.tasks.transitions import priority_of, refusal_of, state_register


class StatusEvidence(TypedDict, total=False):
    """What a change of the status cites."""

    outcome: str  # the result, when closing
    commits: Sequence[str]  # that implement it
    facts: Sequence[str]  # ids of facts
    reason: str  # why the status changed
    by: str  # who changed it


MAX_TITLE_CHARS = 500
_FIELDS = frozenset(
    {"title", "description", "ref", "kind", "assignee", "source", "labels", "files", "aliases", "outcome"}
)


def check_fields(fields: Mapping[str, Any]) -> None:
    """Raise UsageError for a field value of the wrong type."""
    for name, value in fields.items():
        if name in _FIELDS:
            check_argument(name, value, "Iterable[str]" if name in ("labels", "files", "aliases") else "str")


def _claim_end_us(task: Task) -> int | None:
    """Return when the claim of a task ends."""
    return None if task.claimed_until is None else round(task.claimed_until.timestamp() * 1e6)


def _register_of(task: Task) -> dict[str, Any]:
    """Return the register of the task as it is."""
    return state_register(task.status, task.blocked_by, task.suggested, task.claimed_by, _claim_end_us(task))


def move(to: str, blockers: Sequence[BlockerRef] | None, fallback: Sequence[BlockerRef], cited: StatusEvidence) -> Act:
    """Return the action that changes the status; for "blocked" with these blockers, otherwise the existing ones, otherwise
    `fallback`. It records a rejected transition."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        refused = refusal_of(task, to)
        if refused:
            known = task.rejected.startswith(f"{task.status} → {to} ")  # recorded once, not at every attempt
            return None if known else ("task_transition_rejected", {"from": task.status, "to": to, "reason": refused})
        refs = list(task.blocked_by)
        if to == "blocked":
            refs = list(blockers) if blockers is not None else refs
            refs = refs or ([] if task.suggested else list(fallback))
            _check_acyclic(book, task, refs)
        state = state_register(to, refs, task.suggested, task.claimed_by, _claim_end_us(task))
        if state == _register_of(task) and not cited.keys() - {"reason", "by"}:
            return None
        type_ = "task_blockers_set" if to == task.status == "blocked" else "task_status_changed"
        return type_, {"from": task.status, "to": to, "mode": "replace", "state": state, **cited}

    return act


def _check_acyclic(book: TaskBook, task: Task, refs: Sequence[BlockerRef]) -> None:
    """Raise UsageError that shows the cycle which a blocker would create."""
    for ref in refs:
        if cycle := blocking.find_cycle(book, task.id, ref.id):
            raise UsageError(f"this would create a cycle: {format_chain(book, cycle)}", cycle=list(cycle))


def format_chain(book: TaskBook, chain: Sequence[str]) -> str:
    """Return a chain of entities as one line."""
    return " → ".join(book.tasks[each].name if each in book.tasks else book.title_of(each) for each in chain)


def reopen(now: int, reason: str) -> Act:
    """Return the action that reopens a task as in progress and unclaimed."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        if task.status not in CLOSED:
            return None
        state = state_register("in_progress", claimed_until=now)
        return "task_status_changed", {"from": task.status, "to": "in_progress", "state": state, "reopened": True,
                                       "reason": reason or "reopened"}  # fmt: skip

    return act


def claim(by: str, now: int, until: int, *, any_status: bool = False) -> Act:
    """Return the action that claims a task until a time, in microseconds; claiming it again extends the claim."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]]:
        is_taken = (
            task.claimed_by not in ("", by) and task.claimed_until is not None and task.claimed_until > to_datetime(now)
        )
        if is_taken:
            until_text = f"{task.claimed_until:%Y-%m-%d %H:%M} UTC"
            raise UsageError(f"{task.name} is claimed by {task.claimed_by} until {until_text}",
                             id=task.id, by=task.claimed_by)  # fmt: skip
        if task.status in CLOSED:
            raise UsageError(f"{task.name} is {task.status}: reopen it first", id=task.id)
        if not blocking.is_unblocked(book, task) and not any_status:
            names = format_chain(book, [blocker.id for blocker in blocking.effective_blockers(book, task)])
            raise UsageError(f"{task.name} still waits for {names}", id=task.id)
        state = state_register("in_progress", (), task.suggested, by, until)
        return "task_claimed", {"from": task.status, "by": by, "until": until, "state": state}

    return act


def adopt(status: str, refs: Sequence[BlockerRef], suggested: Sequence[BlockerRef], cited: StatusEvidence) -> Act:
    """Return the action that takes over the state that the same task has elsewhere, without checking transitions."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]]:
        free_refs = [ref for ref in refs if not blocking.find_cycle(book, task.id, ref.id)]
        if status == "blocked" and not free_refs and not suggested:
            return "task_transition_rejected", {
                "from": task.status,
                "to": status,
                "reason": "this task has no such blocker",
            }
        state = state_register(status, free_refs, suggested)
        return "task_status_changed", {"from": task.status, "to": status, "state": state, "reason": "merged", **cited}

    return act


def suggest(refs: Sequence[BlockerRef]) -> Act:
    """Return the action that replaces the suggested blockers; the confirmed ones are unchanged."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        if task.status in CLOSED:
            raise UsageError(f"{task.name} is {task.status}, so nothing blocks it", id=task.id)
        chosen = [ref for ref in refs if not blocking.find_cycle(book, task.id, ref.id)]
        if not chosen and task.status == "blocked" and not task.blocked_by:
            raise UsageError("a blocked task needs a blocker: unblock it instead", id=task.id)
        state = state_register(task.status, task.blocked_by, chosen, task.claimed_by, _claim_end_us(task))
        return None if state == _register_of(task) else ("task_blockers_set", {"mode": "suggest", "state": state})

    return act


def confirm(blocker: str) -> Act:
    """Return the action that confirms a suggested blocker."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        chosen = [replace(ref, confidence=1.0, label="confirmed") for ref in task.suggested if ref.id == blocker]
        if not chosen:
            return None
        _check_acyclic(book, task, chosen)
        real = [ref for ref in task.blocked_by if ref.label != "placeholder"]
        state = state_register("blocked", [*real, *chosen], [ref for ref in task.suggested if ref.id != blocker])
        type_ = "task_blockers_set" if task.status == "blocked" else "task_status_changed"
        return type_, {"from": task.status, "to": "blocked", "mode": "replace", "state": state}

    return act


def unblock(blocker: str | None, now: int, reason: str) -> Act:
    """Return the action that removes one blocker, confirmed or suggested, or all. A task without any is in progress again and
    unclaimed."""

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        kept = [ref for ref in task.blocked_by if blocker is not None and ref.id != blocker]
        hints = [ref for ref in task.suggested if blocker is not None and ref.id != blocker]
        if (len(kept), len(hints)) == (len(task.blocked_by), len(task.suggested)):
            return None
        body: dict[str, Any] = {"from": task.status, "mode": "replace", "reason": reason}
        if task.status == "blocked" and not kept and not hints:
            return "task_status_changed", body | {
                "to": "in_progress",
                "state": state_register("in_progress", claimed_until=now),
            }
        state = state_register(task.status, kept, hints, task.claimed_by, _claim_end_us(task))
        return "task_blockers_set", body | {"state": state}

    return act


def edit(fields: dict[str, Any], *, touch: bool = False) -> Act:
    """Return the action that sets fields. Unchanged ones are skipped, unless `touch` requests to update their time, too. Raises
    UsageError for an unknown field or a title that is too long."""
    unknown = fields.keys() - _FIELDS
    if unknown:
        raise UsageError(f"a task has no changeable field `{min(unknown)}`", fields=sorted(unknown))
    check_fields(fields)
    if len(str(fields.get("title", ""))) > MAX_TITLE_CHARS:
        raise UsageError(f"the title has more than {MAX_TITLE_CHARS} characters: move details to the description")

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        new = {name: list(value) if isinstance(value, tuple | set | list) else value for name, value in fields.items()}
        if not touch:
            new = {
                name: value for name, value in new.items() if _as_list(getattr(task, name)) not in (value, _safe(value))
            }
        if not new:
            return None
        if not str(new.get("title", "x")).strip():
            raise UsageError("a task needs a title", id=task.id)
        body: dict[str, Any] = {"set": new}
        if new.keys() & {"title", "description", "labels", "ref"}:  # the projection needs the whole text of the item
            words = {
                name: new.get(name, _as_list(getattr(task, name))) for name in ("title", "description", "ref", "labels")
            }
            body |= words
        return ("task_title_changed" if "title" in new else "task_changed"), body

    return act


def _safe(value: Any) -> Any:
    """Return a text redacted as in the log."""
    if isinstance(value, list):
        return [_safe(each) for each in value]
    return privacy.redact(value).text if isinstance(value, str) and len(value) > 3 else value


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def prioritise(name: str | int, *, touch: bool = False) -> Act:
    """Return the action that sets the priority. Raises UsageError for an unknown one."""
    to = priority_of(name)

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        return (
            None if task.priority == to and not touch else ("task_priority_changed", {"from": task.priority, "to": to})
        )

    return act


def link(relation: str, target: str, kind: str, *, remove: bool, touch: bool = False) -> Act:
    """Return the action that sets or removes a relation to another task; blocking relations must be acyclic. Raises UsageError
    for an unknown relation."""
    if relation not in RELATIONS:
        raise UsageError(f"there is no relation `{relation}`: use {', '.join(RELATIONS)}", relation=relation)

    def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
        now = (task.parent,) if relation == "parent" else getattr(task, relation)
        present = target in now
        if present is not remove and not touch:
            return None
        if not remove and not present:
            cycle: tuple[str, ...] = ()
            if relation in BLOCKING_RELATIONS:
                cycle = blocking.find_cycle(book, task.id, target)
            elif relation == "parent":
                cycle = blocking.lineage_cycle(book, task.id, target)
            elif target == task.id:
                cycle = (target, target)
            if cycle:
                raise UsageError(f"this would create a cycle: {format_chain(book, cycle)}", cycle=list(cycle))
        body = {"relation": relation, "target": target, "kind": kind}
        return "task_linked", body | ({"removed": True} if remove else {})

    return act
