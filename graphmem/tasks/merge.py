"""Merges imported records into the book through the log: new tasks in bulk, existing ones field by field, the newer value
wins. Idempotent; an older file never undoes newer work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from graphmem.errors import UsageError
from graphmem.model.batches import batched
from graphmem.model.events import Draft
from graphmem.model.tasks import BLOCKING_RELATIONS, CLOSED, RELATIONS, BlockerRef, Exchanged, Task
from graphmem.tasks import actions
from graphmem.tasks.blockers import BlockerLookup, FoundBlockers
from graphmem.tasks.book import TaskBook
from graphmem.tasks.create import TaskDraft, existing_task, initial_events, task_identity
from graphmem.tasks.formats.records import Parsed, TaskRecord
from graphmem.tasks.ledger import Act, Ledger
from graphmem.tasks.transitions import ALLOWED, priority_of, status_of
from graphmem.text.keys import canonical_key, escape_project

_BATCH = 500


class RecordMerge:
    """One import. Relations to tasks that are neither in the book nor in the file are reported, not created."""

    def __init__(
        self, ledger: Ledger, lookup: BlockerLookup, parsed: Parsed, session: str = "", current: str | None = None
    ) -> None:
        self._ledger = ledger
        self._lookup = lookup
        self._conditions = parsed.conditions
        self._problems = list(parsed.problems)
        self._session = session
        self._current = current  # the current task, for texts that name none
        self._before = ledger.book()
        self._known = dict(self._before.tasks)  # tasks before the import
        self._names: dict[str, str] = {}
        self._records = self._united(parsed.records)
        self._counts = {"created": 0, "changed": 0, "unchanged": 0, "relations": 0}

    def run(self) -> Exchanged:
        """Run the import; errors of single records are reported, not raised."""
        drafts: list[list[Draft]] = []
        fresh: list[str] = []
        for id_, record in self._records.items():
            if id_ not in self._known:
                drafts.append(self._creation(id_, record))
                fresh.append(id_)
        for batch in batched(drafts, _BATCH):
            self._ledger.append([draft for each in batch for draft in each])
        book = self._ledger.book()
        created = {id_ for id_ in fresh if id_ in book.tasks}
        self._counts["created"] = len(created)
        for id_, record in self._records.items():
            if id_ in self._known and not record.id:
                self._counts["changed" if self._update(id_, record) else "unchanged"] += 1
        self._relate(created)
        for id_, record in self._records.items():
            if record.id and id_ in book.tasks:
                same = not self._adopt(id_, record)
                if id_ in self._known:
                    self._counts["unchanged" if same else "changed"] += 1
            elif id_ in created:
                self._status(id_, record, only_blockers=True)
        for each in self._conditions:
            self._apply_resolution(each)
        for id_, record in self._records.items():
            if record.waits:
                self._suggest(id_, record, is_new=id_ in created)
        return Exchanged(**self._counts, problems=tuple(self._problems))

    # -- identity

    def _united(self, records: Iterable[TaskRecord]) -> dict[str, TaskRecord]:
        """Group records by task id; of several for one task, the newer fields win."""
        united: dict[str, TaskRecord] = {}
        own = f"task:{escape_project(self._ledger.project)}:"
        for record in records:
            known = self._known_by(record) if record.only_known else None
            if record.ref.startswith(own):  # our own id, as exports name what no tracker named
                known = known or self._before.find(record.ref)
                record = replace(record, ref="")
            if known:
                united[known] = _newer(united[known], record) if known in united else record
            if not known and record.unknown_title:
                title, status = {"title": record.unknown_title}, "blocked" if record.waits else record.status
                record = replace(record, only_known=False, status=status, fields=title | record.fields)
            if known or record.only_known:
                continue
            try:
                new = self._new(record)
            except UsageError as error:
                self._problems.append(f"{record.ref or record.id or 'a task'}: {error}")
                continue
            found = self._before.tasks.get(record.id) or existing_task(self._ledger, self._before, new)
            id_ = found.id if found else record.id or task_identity(self._ledger, new)
            united[id_] = _newer(united[id_], record) if id_ in united else record
            for name in (record.ref, record.id, canonical_key(new.title)):
                if name:
                    self._names.setdefault(name, id_)
        return united

    def _new(self, record: TaskRecord) -> TaskDraft:
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.fields.items()}
        if "priority" in fields:
            fields["priority"] = priority_of(fields["priority"])
        return TaskDraft(**fields, ref=record.ref, source=record.source, at=record.created or record.updated,
                   status=status_of(record.status), done_at=record.closed or record.updated, session=self._session)  # fmt: skip

    def _known_by(self, record: TaskRecord) -> str | None:
        return self._named(record) or self._names.get(record.ref) or self._issue_of_any_repository(record.ref)

    def _issue_of_any_repository(self, ref: str) -> str | None:
        """Return the one issue of this batch with the number that a command names without its repository."""
        if not re.fullmatch(r"#\d+", ref):
            return None
        found = {id_ for name, id_ in self._names.items() if name.endswith(ref)}
        return found.pop() if len(found) == 1 else None

    def _named(self, record: TaskRecord) -> str | None:
        title = record.fields.get("title", "")
        if not record.ref and not title:
            return self._current
        return self._before.find(record.ref or title) or (self._lookup.find_certain_task(title) if title else None)

    def _find(self, name: str) -> str | None:
        return self._names.get(name) or self._names.get(canonical_key(name)) or self._ledger.book().find(name)

    # -- creation

    def _creation(self, id_: str, record: TaskRecord) -> list[Draft]:
        new = self._new(record)
        if new.status == "blocked":  # its blockers may not exist yet: they are added with the relations
            new = replace(new, status="pending")
        return initial_events(self._ledger, id_, new)

    # -- changes

    def _update(self, id_: str, record: TaskRecord) -> bool:
        book, task = self._ledger.book(), self._known[id_]
        before = book.revisions[id_]
        for name, value in record.fields.items():
            if record.only_known and name == "title":  # it was used to find the task, not to rename it
                continue
            if self._wins(book, task, record, name):
                act = actions.prioritise(value) if name == "priority" else actions.edit({name: value})
                self._act(id_, act, record.stamp(name))
        if record.ref and not task.ref:
            self._act(id_, actions.edit({"ref": record.ref}), record.updated)
        self._status(id_, record)
        return self._ledger.book().revisions[id_] != before

    def _wins(self, book: TaskBook, task: Task, record: TaskRecord, name: str) -> bool:
        """Return whether the record's value is newer than the book's. A value without a time counts as set by the
        importing person now."""
        stamp = record.stamp(name)
        return stamp is None or stamp > book.changed.get((task.id, name), book.changed.get((task.id, "created"), 0))

    def _act(self, id_: str, act: Act, at: int | None, before: Iterable[Draft] = ()) -> None:
        declared = [draft if at is None else replace(draft, at=at) for draft in before]  # when it was said, not read
        try:
            self._ledger.act(id_, act, before=declared, at=at, session=self._session)
        except UsageError as error:
            self._problems.append(str(error))

    def _status(self, id_: str, record: TaskRecord, *, only_blockers: bool = False) -> None:
        if not record.status:
            return
        book = self._ledger.book()
        task = book.tasks[id_]
        status = status_of(record.status)
        blockers = self._blockers(book, id_, record)
        if status == "blocked" and not blockers.refs and record.waits:
            blockers = self._lookup.find_blockers(record.waits, task=id_)
        said = () if only_blockers else task.depends_on  # already known blockers are skipped
        if status == "pending" and any(ref.id not in said for ref in blockers.refs):
            status = "blocked"
        if (only_blockers and status != "blocked") or not (only_blockers or self._wins(book, task, record, "status")):
            return
        if status == "blocked" and not blockers.refs:
            blockers = (
                self._lookup.placeholder(id_, task.title)
                if not task.blocked_by
                else FoundBlockers(list(task.blocked_by))
            )
        if task.status == status == "blocked" and {ref.id for ref in blockers.refs} <= {
            ref.id for ref in task.blocked_by
        }:
            return
        at = (record.closed if status in CLOSED else None) or record.stamp("status")
        cited: actions.StatusEvidence = {"commits": record.commits} if record.commits else {}
        for step in _steps(task.status, status):
            refs = blockers.refs if step == "blocked" else None
            act = (
                actions.reopen(self._ledger.now(), "imported")
                if step == "reopen"
                else actions.move(step, refs, (), cited)
            )
            self._act(id_, act, at, blockers.drafts if step == "blocked" else ())

    def _blockers(self, book: TaskBook, id_: str, record: TaskRecord) -> FoundBlockers:
        found = FoundBlockers()
        for name in record.relations.get("blocked_by", ()):
            target = self._find(name)
            if target and target != id_:
                found.refs.append(BlockerRef("task", target, name, 1.0, "task_id"))
        found.refs = [ref for ref in found.refs if ref.kind != "task" or self._open(book, ref)]
        return found

    @staticmethod
    def _open(book: TaskBook, ref: BlockerRef) -> bool:
        return ref.kind != "task" or (ref.id in book.tasks and book.tasks[ref.id].open)

    def _suggest(self, id_: str, record: TaskRecord, *, is_new: bool) -> None:
        """Add texts of blockers as suggestions to the existing ones."""
        task = self._ledger.book().tasks[id_]
        later = is_new or record.updated is None or record.updated > self._ledger.book().changed.get((id_, "status"), 0)
        if task.open and later:
            found = self._lookup.find_blockers(record.waits, task=id_)
            known = {ref.id for ref in (*task.blocked_by, *task.suggested)}
            new = [
                replace(ref, confidence=min(ref.confidence, 0.9)) for ref in found.refs if ref.id not in known | {id_}
            ]
            if new:
                self._act(id_, actions.suggest([*task.suggested, *new]), record.updated, found.drafts)

    def _adopt(self, id_: str, record: TaskRecord) -> bool:
        """Merge our own format: adopt everything newer with its time, so that both sides end with the same text. Return
        whether the task changed."""
        book = self._ledger.book()
        task, before = book.tasks[id_], book.revisions[id_]
        for name, value in record.fields.items():
            if self._newer(id_, record, name):
                act = (
                    actions.prioritise(value, touch=True)
                    if name == "priority"
                    else actions.edit({name: value}, touch=True)
                )
                self._act(id_, act, record.stamps[name])
        for relation in RELATIONS:
            if self._newer(id_, record, relation):
                wanted = record.relations.get(relation, [])
                now = [task.parent] if relation == "parent" else getattr(task, relation)
                for target in dict.fromkeys([*now, *wanted]):
                    kind = book.kind_of(target)
                    if target and (target in book.tasks or kind != "task"):
                        act = actions.link(relation, target, kind, remove=target not in wanted, touch=True)
                        self._act(id_, act, record.stamps[relation])
        fresh = id_ not in self._known and (record.status == "blocked" or bool(record.suggested))
        if fresh or self._newer(id_, record, "status"):
            self._take_state(id_, record)
        return self._ledger.book().revisions[id_] != before

    def _newer(self, id_: str, record: TaskRecord, name: str) -> bool:
        changed = self._ledger.book().changed
        return record.stamps.get(name, 0) > changed.get((id_, name), changed.get((id_, "created"), 0))

    def _take_state(self, id_: str, record: TaskRecord) -> None:
        status = status_of(record.status)
        confirmed = self._refs(record.blockers)
        suggested = self._refs(record.suggested)
        if status == "done" and self._ledger.book().tasks[id_].status == "pending":
            self._act(id_, actions.move("in_progress", None, (), {}), record.closed)
        cited: actions.StatusEvidence = {"commits": record.commits} if record.commits else {}
        at = record.stamp("status") or self._ledger.now()
        if (
            status in CLOSED
            and self._ledger.book().tasks[id_].status != status
            and record.closed
            and record.closed < at
        ):
            self._act(id_, actions.adopt(status, (), (), cited), record.closed)
        act = actions.adopt(status, confirmed.refs, suggested.refs, cited)
        self._act(id_, act, at, [*confirmed.drafts, *suggested.drafts])

    def _refs(self, payloads: Iterable[dict[str, Any]]) -> FoundBlockers:
        """Return blockers of our own format, with declarations of those that only the other side knew."""
        found = FoundBlockers()
        for payload in payloads:
            ref = BlockerRef.of(payload)
            if ref.kind == "condition":
                found.drafts.append(
                    self._lookup.draft_condition(ref.id, ref.text, [], placeholder=ref.label == "placeholder")
                )
            elif ref.kind == "artifact":
                found.drafts.append(self._lookup.declare_artifact(ref.text, ref.id)[1])
            if ref.kind != "task" or ref.id in self._ledger.book().tasks:
                found.refs.append(ref)
        return found

    # -- relations

    def _relate(self, created: set[str]) -> None:
        """Add relations of all records; those of new tasks in bulk, after one check for cycles."""
        bulk: list[tuple[str, str, str]] = []
        for id_, record in self._records.items():
            task = self._ledger.book().tasks.get(id_)
            for relation, name in _pairs(record) if not record.id or id_ in created else ():
                target = self._find(name)
                if target is None or task is None or target == id_:
                    self._problems.append(
                        f"{record.ref or id_} {relation.replace('_', ' ')} {name}, which does not exist"
                    )
                elif relation == "depends_on" and target in {ref.id for ref in task.blocked_by}:
                    continue  # already waiting for it
                elif target not in ((task.parent,) if relation == "parent" else getattr(task, relation)):
                    bulk.append((id_, relation, target))
        safe = [each for each in bulk if each[0] in created]
        if circles := _on_cycles(self._ledger.book(), safe):
            safe = [each for each in safe if each not in circles]
        for batch in batched((self._link(each) for each in dict.fromkeys(safe)), _BATCH):
            self._ledger.append(batch)
        self._counts["relations"] += len(dict.fromkeys(safe))
        for id_, relation, target in dict.fromkeys(each for each in bulk if each not in set(safe)):
            before = self._ledger.book().version
            self._act(id_, actions.link(relation, target, "task", remove=False), self._records[id_].updated)
            self._counts["relations"] += self._ledger.book().version > before

    def _link(self, relation: tuple[str, str, str]) -> Draft:
        id_, name, target = relation
        record = self._records[id_]
        payload = {"task": id_, "relation": name, "target": target, "kind": "task"}
        key = f"task_linked:{id_}:first:{name}:{target}"
        return self._ledger.draft(
            "task_linked",
            payload,
            key,
            at=record.stamps.get(name, record.created or record.updated),
            session=self._session,
        )

    def _apply_resolution(self, each: Any) -> None:
        known = self._ledger.book().conditions.get(each.id)
        if known is not None and not known.resolved:
            payload = {"condition": each.id, "target": each.resolved_to, "kind": each.resolved_kind, "type": "confirmed",
                       "confidence": 1.0}  # fmt: skip
            self._ledger.append([self._ledger.draft("condition_resolved_to", payload, None)])


def _pairs(record: TaskRecord) -> Iterator[tuple[str, str]]:
    """Yield (relation, name); blocking relations are permanent, also for closed tasks."""
    for relation, names in record.relations.items():
        for name in names if relation != "parent" else names[:1]:
            yield ("depends_on" if relation == "blocked_by" else relation), name


def _steps(now: str, to: str) -> list[str]:
    """Return the transitions that lead to a status; empty if there is no path."""
    if now == to:
        return ["blocked"] if to == "blocked" else []
    if now in CLOSED:
        return ["reopen", *_steps("in_progress", to)]
    if to in ALLOWED[now]:
        return [to]
    return ["in_progress", "done"] if (now, to) == ("pending", "done") else []


def _newer(one: TaskRecord, other: TaskRecord) -> TaskRecord:
    """Return the newer value of each field of two records; of equally new ones, a command on a known task comes last. An empty
    status does not count."""
    is_last = (one.updated or 0) > (other.updated or 0) or (one.updated == other.updated and not other.only_known)
    late, early = (one, other) if is_last else (other, one)
    fields, stamps = early.fields | late.fields, early.stamps | late.stamps
    for name, value in early.fields.items():
        found_by_title = name == "title" and late.only_known and not early.only_known
        if found_by_title or (early.stamp(name) or 0) > (late.stamp(name) or 0):
            fields[name], stamps[name] = value, early.stamp(name) or 0
    relations = {
        name: list(dict.fromkeys((*early.relations.get(name, ()), *late.relations.get(name, ()))))
        for name in early.relations.keys() | late.relations.keys()
    }
    if late.relations.get("parent"):
        relations["parent"] = late.relations["parent"]
    merged = replace(
        late, fields=fields, stamps=stamps, relations=relations, commits=[*early.commits, *late.commits],
        waits=[*early.waits, *late.waits], only_known=early.only_known and late.only_known,
        ref=early.ref if late.only_known and not early.only_known else late.ref,
    )  # fmt: skip
    if not late.status or (early.status and (early.stamp("status") or 0) > (late.stamp("status") or 0)):
        stamps["status"] = early.stamp("status") or 0
        merged = replace(
            merged, status=early.status, closed=early.closed, blockers=early.blockers, suggested=early.suggested
        )
    return merged


def _on_cycles(book: TaskBook, links: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Return those new links that are on a cycle of blocking or parent relations, together with existing ones."""
    if not (links := list(links)):
        return set()
    import networkx as nx  # takes a seventh of a second, which most processes never need

    found: set[tuple[str, str, str]] = set()
    for relations in (BLOCKING_RELATIONS, ("parent",)):
        graph = nx.DiGraph((id_, target) for id_, relation, target in links if relation in relations)
        for task in book.tasks.values():
            targets = (
                (each for _, each in book.waits(task)) if relations != ("parent",) else filter(None, (task.parent,))
            )
            graph.add_edges_from((task.id, target) for target in targets)
        home = {each: number for number, part in enumerate(nx.strongly_connected_components(graph)) for each in part}
        found |= {link for link in links if link[1] in relations and home[link[0]] == home[link[2]]}
    return found
