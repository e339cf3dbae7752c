"""Changes to tasks: the write methods of `mem.tasks`. Each resolves names, then `actions.py` decides which event to
record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack, cast

from graphmem.errors import NotFound, StoreError, UsageError
from graphmem.model.tasks import RELATIONS, Condition, Task
from graphmem.plurals import counted
from graphmem.tasks import actions, blocking
from graphmem.tasks.actions import StatusEvidence
from graphmem.tasks.arguments import NewTask, TaskChanges
from graphmem.tasks.blockers import BlockerLookup, FoundBlockers
from graphmem.tasks.book import TaskBook
from graphmem.tasks.condition_matching import meet_conditions
from graphmem.tasks.create import TaskDraft, check_new, existing_task, initial_events, task_identity
from graphmem.tasks.ledger import Ledger
from graphmem.tasks.ready import Ready
from graphmem.tasks.transitions import refusal_of, state_register, status_of

DEFAULT_LEASE_US = 3_600_000_000  # one hour in microseconds: the lease of a claim
MAX_LEASE_S = 366 * 86_400  # of a claim
_CITED = ("outcome", "commits", "facts", "reason", "by")


class TaskWrites:
    """Mixin; needs `_ledger`, `_lookup` and `_ready`, which `Tasks` sets."""

    _ledger: Ledger
    _lookup: BlockerLookup
    _ready: Ready

    def create(
        self, title: str, *, description: str = "", status: str = "pending", priority: str | int = "medium",
        blocked_by: Iterable[Any] | Any = (), ref: str | None = None, parent: str | None = None, **more: Unpack[NewTask],
    ) -> Task:  # fmt: skip
        """Return the task with this title or `ref`, creating it if it does not exist. For `more` see `NewTask`."""
        links: dict[str, Any] = {name: targets for name, targets in more.items() if name in RELATIONS}
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list | set | tuple) else value
            for name, value in more.items()
            if name not in RELATIONS
        }
        status = "in_progress" if status_of(status) == "done" else status  # a new task cannot start as done
        actions.check_fields(fields)
        try:
            new = TaskDraft(title, description, status, str(priority), ref or "", **fields)
        except TypeError as error:
            raise UsageError(
                f"a task cannot be created with {', '.join(fields)}: {error}", fields=sorted(fields)
            ) from error
        found = existing_task(self._ledger, self._ledger.book(), new)
        if found is None:
            task = self._begin(new, blocked_by)
        elif new.ref and not found.ref:
            task = self._ledger.act(found.id, actions.edit({"ref": new.ref}))
        else:
            return found
        for relation, targets in ({"parent": parent} | links).items():
            for target in [targets] if isinstance(targets, str | Task) else targets or ():
                task = self.link(task.id, relation, target)
        if found is None:
            meet_conditions(self._ledger, self._lookup.find_matches, {task.id})
        return task

    def _begin(self, new: TaskDraft, blocked_by: Iterable[Any] | Any) -> Task:
        id_ = task_identity(self._ledger, new)
        blockers = self._lookup.find_blockers(blocked_by, task=id_)
        if any(self._ledger.key(ref.text) == self._ledger.key(new.title) for ref in blockers.refs):
            raise UsageError("a task cannot wait for itself", title=new.title)
        if status_of(new.status) == "blocked" and not blockers.refs:
            blockers = self._lookup.placeholder(id_, new.title)
        drafts = initial_events(self._ledger, id_, new, blockers)
        check_new(self._ledger.append(drafts), drafts)
        task = self._ledger.book().tasks.get(id_)
        if task is None:
            raise StoreError("the task could not be stored under its name: use a simpler title or `ref`", id=id_)
        return task

    def update(self, id: str, **changes: Unpack[TaskChanges]) -> Task:
        """Change fields, status, blockers or parent of a task; see `TaskChanges`. Raises UsageError for a rejected
        transition, which is also recorded; marking a task as done that was never started makes it in progress instead."""
        task = self._get(id)
        changed: dict[str, Any] = dict(changes)
        cited = cast(StatusEvidence, {name: changed.pop(name) for name in _CITED if name in changed})
        status, waits = changed.pop("status", None), changed.pop("blocked_by", None)
        suggested, parent, priority = (changed.pop(name, None) for name in ("suggested", "parent", "priority"))
        if changed:
            task = self._ledger.act(task.id, actions.edit(changed))
        if priority is not None:
            task = self._ledger.act(task.id, actions.prioritise(priority))
        if parent is not None:
            task = self.link(task.id, "parent", parent or task.parent, remove=not parent)
        if status is not None or waits is not None:
            task = self._move(task, status, waits, cited)
        elif cited:
            task = self._move(task, task.status, None, cited)
        if suggested is not None:
            found = self._lookup.find_blockers(suggested, task=task.id)
            task = self._ledger.act(task.id, actions.suggest(found.refs), before=found.drafts)
        return task

    def _move(self, task: Task, status: str | None, waits: Any, cited: StatusEvidence) -> Task:
        blockers = None if waits is None else self._lookup.find_blockers(waits, task=task.id)
        if blockers is not None and not blockers.refs and status is None:
            return self.unblock(task.id, reason=cited.get("reason", ""))
        to = status_of(status) if status is not None else "blocked"
        fallback, before = FoundBlockers(), list(blockers.drafts) if blockers else []
        if to == "blocked" and not (blockers and blockers.refs) and not refusal_of(task, to):
            fallback = self._lookup.placeholder(task.id, task.title)
            before += fallback.drafts if not (task.blocked_by or task.suggested) else []
        evidence = cited.copy()
        if "commits" in cited:
            evidence["commits"] = _as_list(cited["commits"])
        if "facts" in cited:
            evidence["facts"] = _as_list(cited["facts"])
        refs = blockers.refs if blockers else None
        moved = self._ledger.act(task.id, actions.move(to, refs, fallback.refs, evidence), before=before)
        if moved.status == to:
            return moved
        if (moved.status, to) == ("pending", "done"):
            return self._ledger.act(task.id, actions.move("in_progress", None, (), {"reason": moved.rejected}))
        raise UsageError(f"{moved.name}: {moved.rejected}", id=moved.id, status=moved.status, to=to)

    def reopen(self, id: str, reason: str = "") -> Task:
        """Reopen a closed task as in progress and unclaimed."""
        return self._ledger.act(self._get(id).id, actions.reopen(self._ledger.now(), reason))

    def claim(self, id: str | None, by: str, *, lease: float | None = None) -> Task | None:
        """Claim a task for `lease` seconds (default: an hour), or with None the first ready one; None if there is none.
        Of concurrent processes exactly one succeeds; the others get UsageError, or the next task."""
        if lease is not None and not 0 < lease <= MAX_LEASE_S:
            raise UsageError(
                f"the duration of a claim must be greater than 0 and at most {MAX_LEASE_S:,} seconds", lease=str(lease)
            )
        now = self._ledger.now()
        until = now + (DEFAULT_LEASE_US if lease is None else round(lease * 1e6))
        if id is not None:
            return self._ledger.act(self._get(id).id, actions.claim(by, now, until))
        for task in self._ready(self._ledger.book(), now):
            try:
                return self._ledger.act(task.id, actions.claim(by, now, until))
            except UsageError:  # another process was faster
                continue
        return None

    def release(self, id: str, by: str = "") -> Task:
        """Release a claimed task; with `by`, only if that worker holds the claim."""
        now = self._ledger.now()

        def act(book: TaskBook, task: Task) -> tuple[str, dict[str, Any]] | None:
            if not task.claimed_by or (by and task.claimed_by != by):
                return None
            state = state_register("in_progress", (), task.suggested, claimed_until=now)
            return "task_status_changed", {
                "from": task.status,
                "to": "in_progress",
                "state": state,
                "reason": "released",
            }

        return self._ledger.act(self._get(id).id, act)

    def block(self, id: str, by: Any = None, *, confirmed: bool = True) -> Task:
        """Add a blocker (None: an unnamed one); unconfirmed ones are suggestions and do not block yet."""
        task = self._get(id)
        if by is not None and self._ledger.book().find(str(getattr(by, "id", by))) == task.id:
            raise UsageError(f"{task.name} cannot wait for itself", id=task.id)
        found = self._lookup.find_blockers(by if by is not None else (), task=task.id)
        self._ledger.append(found.drafts)
        if confirmed:
            real = [ref for ref in task.blocked_by if ref.label != "placeholder" or not found.refs]
            return self.update(task.id, status="blocked", blocked_by=[*real, *found.refs])
        return self.update(task.id, suggested=[*task.suggested, *found.refs])

    def confirm(self, id: str, blocker: str | None = None) -> Task:
        """Confirm one suggested blocker, or all; the task is then blocked."""
        task = self._get(id)
        for each in [self._entity(blocker)] if blocker else [ref.id for ref in task.suggested]:
            task = self._ledger.act(task.id, actions.confirm(each))
        return task

    def unblock(self, id: str, blocker: Any = None, *, reason: str = "") -> Task:
        """Remove one or all blockers. A task without any is in progress and unclaimed."""
        which = None if blocker is None else self._entity(blocker)
        return self._ledger.act(self._get(id).id, actions.unblock(which, self._ledger.now(), reason or "unblocked"))

    def link(self, id: str, relation: str, target: Any, *, remove: bool = False) -> Task:
        """Relate a task to another one: depends_on, waits_for (also a condition or artifact), parent, discovered_from,
        duplicates, supersedes, related. Raises UsageError that shows the cycle a blocking relation would create."""
        book = self._ledger.book()
        task = self._get(id)
        entity = self._entity(target, kinds=("task",) if relation != "waits_for" else ("task", "condition", "artifact"))
        return self._ledger.act(task.id, actions.link(relation, entity, book.kind_of(entity), remove=remove))

    def resolve(
        self, condition: Any, target: Any = None, *, verdict: str = "confirmed", confidence: float = 1.0
    ) -> Condition | None:
        """Record what a condition turned out to be: a task, another condition, or an artifact; without a target it was
        fulfilled (also for an artifact). `verdict`: confirmed, pending (a candidate) or rejected (not this one)."""
        if verdict not in ("confirmed", "pending", "rejected"):
            raise UsageError(f"there is no verdict `{verdict}`: use confirmed, pending, rejected", verdict=verdict)
        book = self._ledger.book()
        source = self._entity(condition, kinds=("condition", "artifact"))
        drafts, end = [], ""
        if target is not None and target != "":
            found = self._lookup.find_blockers([target])
            if len(found.refs) != 1:
                raise UsageError(
                    f"`{target}` refers to {counted(len(found.refs), 'blocker')}: give one", target=str(target)
                )
            drafts, end = found.drafts, found.refs[0].id
            if verdict == "confirmed" and (cycle := blocking.find_cycle(book, source, end)):
                raise UsageError(f"this would create a cycle: {actions.format_chain(book, cycle)}", cycle=list(cycle))
        known = book.conditions.get(source)
        if known and verdict == "confirmed" and known.resolved and known.resolved_to == end:
            return known
        kind = found.refs[0].kind if end else ""
        payload = {"condition": source, "source_kind": book.kind_of(source), "target": end, "kind": kind,
                   "type": verdict, "resolution_type": "user_confirmed", "confidence": confidence}  # fmt: skip
        self._ledger.append([*drafts, self._ledger.draft("condition_resolved_to", payload, None)])
        return self._ledger.book().conditions.get(source)

    # -- names

    def _get(self, name: str | Task) -> Task:
        return self._ledger.book().require(name.id if isinstance(name, Task) else str(name))

    def _entity(self, named: Any, kinds: Sequence[str] = ("task", "condition", "artifact")) -> str:
        """Return the id of an existing entity, by id, tracker id, title or the text of a condition."""
        book = self._ledger.book()
        text = str(getattr(named, "id", named))
        choices = {"task": book.find(text), "condition": None, "artifact": None}
        for kind, table, key in (("condition", book.conditions, self._lookup.declare_condition(text)[0]),
                                 ("artifact", book.artifacts, self._lookup.declare_artifact(text)[0])):  # fmt: skip
            choices[kind] = text if text in table else key if key in table else None
        found = next((id_ for kind in kinds if (id_ := choices[kind])), None)
        if found is None:
            raise NotFound(f"there is no {' or '.join(kinds)} `{text}`", id=text)
        return found


def _as_list(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
