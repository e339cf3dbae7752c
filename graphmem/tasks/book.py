"""The task book: a pure fold of task events to their current state, with indexes for queries. The rules are in
`transitions.py` and `blocking.py`.

An event contains the whole register that it sets (status, blockers, suggestions and claim together), so any order of
events gives a state in which a blocked task has a blocker and a closed one has none: merged logs need no repair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from graphmem.errors import NotFound
from graphmem.model.events import Event
from graphmem.model.tasks import CLOSED, Artifact, BlockerRef, Condition, Happening, Task, to_datetime
from graphmem.text.keys import canonical_key
from graphmem.trust.origin import origin_of

_TUPLES = frozenset({"labels", "files", "aliases"})
_FIELDS = frozenset(
    {"title", "description", "ref", "kind", "assignee", "source", "outcome", "labels", "files", "aliases"}
)


class TaskBook:
    """All tasks, conditions and artifacts of the applied events. Applying an event twice has the same effect as once."""

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.steps: dict[
            str, Task
        ] = {}  # entries of agents' own lists: neither listed, matched nor exported with the tasks
        self.conditions: dict[str, Condition] = {}
        self.artifacts: dict[str, Artifact] = {}
        self.history: dict[str, list[Happening]] = defaultdict(list)
        self.revisions: dict[str, int] = defaultdict(int)  # number of events of a task: names the next one
        self.refs: dict[str, str] = {}
        self.names: dict[str, dict[str, None]] = defaultdict(dict)  # canonical key -> ids, primary titles first
        self.children: dict[str, dict[str, None]] = defaultdict(dict)
        self.dependents: dict[str, dict[str, None]] = defaultdict(dict)  # what waits directly for an entity
        self.authors: dict[str, str] = {}  # origin of the title of each task: "person", "agent"
        self.changed: dict[tuple[str, str], int] = {}  # (task, field) -> world time of its last change
        self.version = 0
        self._applied: set[str] = set()
        self._early: dict[str, list[Event]] = defaultdict(list)

    def apply(self, event: Event) -> None:
        """Fold one event. Events of a task that is not created yet are kept until then; unknown types change nothing."""
        if event.id in self._applied:
            return
        self._applied.add(event.id)
        function, payload = _FOLDS.get(event.type), event.payload
        if function is None or not payload:
            return
        task = payload.get("task")
        if event.type not in _STANDALONE and task not in self.tasks and task not in self.steps:
            self._early[str(task)].append(event)
            return
        self.version += 1
        function(self, event)
        if event.type == "task_created":
            for waiting in self._early.pop(payload["task"], ()):
                self._applied.discard(waiting.id)
                self.apply(waiting)

    def get(self, id_: str) -> Task | None:
        """Return the task or step with this id."""
        return self.tasks.get(id_) or self.steps.get(id_)

    def find(self, name: str) -> str | None:
        """Return the id of the task with this id or tracker id, otherwise of the only one with this title or alias."""
        if name in self.tasks or name in self.steps:
            return name
        if name in self.refs:
            return self.refs[name]
        if name.startswith("#"):  # an issue of the only repository with this number
            found = [id_ for ref, id_ in self.refs.items() if ref.endswith(name)]
            return found[0] if len(found) == 1 else None
        ids = self.names.get(canonical_key(name)) or ()
        return next(iter(ids)) if len(ids) == 1 else None

    def require(self, name: str) -> Task:
        """Return the task or step that `find` finds. Raises NotFound; its message names tasks whose titles have all words of
        `name`, so that part of a title leads to the task but never closes one by mistake."""
        found = self.find(name)
        if found is not None:
            return self.tasks.get(found) or self.steps[found]
        words = canonical_key(name).split()
        near = [task for task in self.tasks.values() if words and set(words) <= set(canonical_key(task.title).split())]
        near.sort(key=lambda task: task.status in CLOSED)
        listed = ", ".join(f"`{task.id}` {task.title}" for task in near[:3])
        advice = f"similar: {listed}" if near else "`graphmem tasks match` finds similar ones"
        raise NotFound(f"there is no task `{name}`: {advice}", id=name)

    def waits(self, task: Task) -> list[tuple[str, str]]:
        """Return (kind, id) of everything the task waits for directly. Suggestions count for a blocked task without
        confirmed blockers."""
        refs = task.blocked_by or (task.suggested if task.status == "blocked" else ())
        found: list[tuple[str, str]] = [(ref.kind, ref.id) for ref in refs]
        found += [("task", target) for target in task.depends_on]
        found += [(self.kind_of(target), target) for target in task.waits_for]
        return found

    def kind_of(self, entity: str) -> str:
        """Return "task", "condition" or "artifact"."""
        return "condition" if entity in self.conditions else "artifact" if entity in self.artifacts else "task"

    def title_of(self, entity: str) -> str:
        """Return the display name of any entity."""
        if entity in self.tasks:
            return self.tasks[entity].title
        known = self.conditions.get(entity) or self.artifacts.get(entity)
        return known.text if known else entity

    # -- folding

    def _changing(self, event: Event) -> Task:
        id_ = event.payload["task"]
        return self.steps[id_] if id_ in self.steps else self.tasks[id_]

    def _put(self, task: Task, event: Event, *fields: str) -> None:
        """Replace a task and update all indexes. A step is in none."""
        task = replace(task, updated_at=max(task.updated_at, to_datetime(event.at)))
        for field in fields:
            self.changed[task.id, field] = max(event.at, self.changed.get((task.id, field), 0))
        if task.is_step:
            self.steps[task.id] = task
            return
        old = self.tasks.get(task.id)
        if old is not None:
            for _, target in self.waits(old):
                self.dependents[target].pop(task.id, None)
            if old.parent != task.parent:
                self.children[old.parent].pop(task.id, None)
            if old.ref != task.ref:
                self.refs.pop(old.ref, None)
        self.tasks[task.id] = task
        for _, target in self.waits(task):
            self.dependents[target][task.id] = None
        if task.parent:
            self.children[task.parent][task.id] = None
        if task.ref:
            self.refs[task.ref] = task.id

    def _tell(self, task: str, event: Event, text: str) -> None:
        self.revisions[task] += 1
        self.history[task].append(Happening(to_datetime(event.at), event.type, event.actor, text, event.id))

    def _name(self, task: Task) -> None:
        for title in (task.title, *task.aliases) if not task.is_step else ():
            if key := canonical_key(title):
                self.names[key][task.id] = None

    def _created(self, event: Event) -> None:
        payload = event.payload
        if self.get(payload["task"]) is not None:
            return
        at = to_datetime(event.at)
        task = Task(
            payload["task"], payload["title"], payload.get("ref", ""), payload.get("description", ""),
            priority=payload.get("priority", "medium"), kind=payload.get("kind", "task"), project=event.project,
            labels=tuple(payload.get("labels", ())), files=tuple(payload.get("files", ())),
            assignee=payload.get("assignee", ""), aliases=tuple(payload.get("aliases", ())),
            source=payload.get("source", ""), created_at=at, updated_at=at,
            session=event.session,
        )  # fmt: skip
        self._put(task, event, "created", "title", "description", "status", "priority", "kind", "labels", "assignee")
        self._name(task)
        self.authors[task.id] = "agent" if task.source == "agent" else origin_of(event)
        self._tell(task.id, event, f"created: {task.title}")

    def _changed(self, event: Event) -> None:
        task = self._changing(event)
        fields: dict[str, Any] = {k: v for k, v in event.payload.get("set", {}).items() if k in _FIELDS}
        fields |= {name: tuple(fields[name]) for name in _TUPLES & fields.keys()}
        if "title" in fields and fields["title"] != task.title:
            fields.setdefault("aliases", tuple(dict.fromkeys((*task.aliases, task.title))))
            self.authors[task.id] = origin_of(event)
        changed = replace(task, **fields)
        self._put(changed, event, *fields)
        self._name(changed)
        self._tell(task.id, event, "changed " + ", ".join(sorted(fields)))

    def _state(self, event: Event) -> None:
        payload = event.payload
        task, state = self._changing(event), payload["state"]
        status = state["status"]
        until = state.get("claimed_until")
        changed = replace(
            task, status=status,
            blocked_by=tuple(map(BlockerRef.of, state.get("blockers", ()))),
            suggested=tuple(map(BlockerRef.of, state.get("suggested", ()))),
            claimed_by=state.get("claimed_by", ""),
            claimed_until=to_datetime(until) if until is not None else None,
            closed_at=(task.closed_at if task.status == status else to_datetime(event.at)) if status in CLOSED else None,
            outcome=payload.get("outcome", task.outcome),
            commits=tuple(dict.fromkeys((*task.commits, *payload.get("commits", ())))),
            facts=tuple(dict.fromkeys((*task.facts, *payload.get("facts", ())))),
            assignee=payload.get("by") or task.assignee, rejected="",
        )  # fmt: skip
        self._put(changed, event, "status", *(["outcome"] if "outcome" in payload else []))
        self._tell(task.id, event, _story(task, changed, payload.get("reason", "")))

    def _priority(self, event: Event) -> None:
        task = replace(self._changing(event), priority=event.payload["to"])
        self._put(task, event, "priority")
        self._tell(task.id, event, f"priority {task.priority}")

    def _rejected(self, event: Event) -> None:
        payload = event.payload
        text = f"{payload['from']} → {payload['to']} was rejected: {payload['reason']}"
        self._put(replace(self._changing(event), rejected=text), event)
        self._tell(payload["task"], event, text)

    def _linked(self, event: Event) -> None:
        payload = event.payload
        task, relation, target = self._changing(event), payload["relation"], payload["target"]
        removed = bool(payload.get("removed"))
        if relation == "parent":
            if not removed or task.parent == target:
                task = replace(task, parent="" if removed else target)
        else:
            rest = tuple(each for each in getattr(task, relation) if each != target)
            changed: dict[str, Any] = {relation: rest if removed else (*rest, target)}
            task = replace(task, **changed)
        self._put(task, event, relation)
        self._tell(
            task.id, event, f"{'no longer ' if removed else ''}{relation.replace('_', ' ')} {self.title_of(target)}"
        )

    def _condition(self, event: Event) -> None:
        payload = event.payload
        self.conditions.setdefault(
            payload["condition"],
            Condition(payload["condition"], payload["text"], bool(payload.get("placeholder")), payload.get("task", ""),
                      tuple(payload.get("candidates", ())), at=to_datetime(event.at)),
        )  # fmt: skip

    def _resolved(self, event: Event) -> None:
        payload = event.payload
        source, target = payload["condition"], payload.get("target", "")
        verdict = payload.get("type", "confirmed")
        self.revisions[source] += 1
        if source in self.artifacts:
            self.artifacts[source] = replace(self.artifacts[source], resolved=verdict == "confirmed")
        condition = self.conditions.get(source)
        if condition is None:
            return
        if verdict == "rejected":
            rejected = tuple(dict.fromkeys((*condition.rejected, target)))
            undone = condition.resolved and condition.resolved_to == target
            condition = replace(condition, rejected=rejected)
            if undone:
                condition = replace(condition, resolved=False, resolved_to="", resolved_kind="")
        elif verdict == "confirmed":
            condition = replace(condition, resolved=True, resolved_to=target, resolved_kind=payload.get("kind", ""),
                                confidence=payload.get("confidence", 1.0))  # fmt: skip
        elif target not in condition.candidates:
            condition = replace(condition, candidates=(*condition.candidates, target))
        self.conditions[source] = condition

    def _artifact(self, event: Event) -> None:
        payload = event.payload
        artifact = Artifact(
            payload["artifact"], payload.get("kind", "generic"), payload.get("text", ""), at=to_datetime(event.at)
        )
        self.artifacts.setdefault(artifact.id, artifact)


def _story(before: Task, after: Task, reason: str) -> str:
    if before.status != after.status:
        text = f"{before.status} → {after.status}"
    elif after.claimed_by and (after.claimed_by, after.claimed_until) != (before.claimed_by, before.claimed_until):
        text = f"claimed by {after.claimed_by}"
    else:
        text = f"blockers: {len(after.blocked_by)} confirmed, {len(after.suggested)} suggested"
    return f"{text}: {reason}" if reason else text


_STANDALONE = frozenset({"task_created", "condition_declared", "condition_resolved_to", "artifact_declared"})
_FOLDS: dict[str, Callable[[TaskBook, Event], None]] = {
    "task_created": TaskBook._created,
    "task_changed": TaskBook._changed,
    "task_title_changed": TaskBook._changed,
    "task_status_changed": TaskBook._state,
    "task_blockers_set": TaskBook._state,
    "task_claimed": TaskBook._state,
    "task_priority_changed": TaskBook._priority,
    "task_transition_rejected": TaskBook._rejected,
    "task_linked": TaskBook._linked,
    "condition_declared": TaskBook._condition,
    "condition_resolved_to": TaskBook._resolved,
    "artifact_declared": TaskBook._artifact,
}
