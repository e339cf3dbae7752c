"""Projects task events to Task, Condition and Artifact nodes, their relations, and a searchable item per task. An event
contains the whole resulting state, so each is projected independently."""

from __future__ import annotations

import json
from typing import Any

from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Node
from graphmem.model.events import TASK_EVENTS, Event
from graphmem.model.tasks import CLOSED, STEP
from graphmem.projections import names

TYPES = TASK_EVENTS

LABELS = {"task": "Task", "condition": "Condition", "artifact": "Artifact"}
# Relation name in events -> type in the graph. "related" has none: it exists only in the task book.
EDGES = {
    "parent": "PART_OF",
    "depends_on": "DEPENDS_ON",
    "waits_for": "WAITS_FOR",
    "discovered_from": "DISCOVERED_FROM",
    "duplicates": "DUPLICATES",
    "supersedes": "SUPERSEDES",
}
_WHOLE_HASH = 40
_TIMED = frozenset(EDGES.values()) - {"PART_OF"}
_PLAIN = ("description", "priority", "kind", "assignee", "source", "outcome", "ref")


def project_task(event: Event) -> Changes:
    """Return the changes of a task event; none for types without effect on the graph, and for the steps that an agent notes for
    itself: they would be found instead of the work they belong to."""
    function = _PROJECTIONS.get(event.type)
    is_step = str(event.payload.get("task", "")).startswith(f"{STEP}:")
    return function(event) if function and not is_step else Changes()


def _created(event: Event) -> Changes:
    payload = event.payload
    task = payload["task"]
    properties = {name: payload[name] for name in _PLAIN if payload.get(name)}
    properties |= {"project": event.project, "title": payload["title"], "status": payload.get("status", "pending"),
                   "priority": payload.get("priority", "medium"), "kind": payload.get("kind", "task"),
                   "created_at": event.at, "updated_at": event.at}  # fmt: skip
    changes = Changes(nodes=[Node("Task", task, properties)], items=[_item(event)])
    if event.project:
        home = names.project_id(event.project)
        changes.nodes.append(Node("Project", home, {"name": event.project}))
        changes.edges.append(Edge("PART_OF", "Task", task, "Project", home))
    _tags_and_files(changes, event, payload)
    return changes


def _item(event: Event) -> Item:
    payload = event.payload
    text = payload.get("description", "")
    return Item(payload["task"], "task", payload["title"], text[: names.TEXT_LIMIT], event.at, payload.get("ref", ""),
                event.session, event.project, "", event.id, 0, tuple(payload.get("labels", ())))  # fmt: skip


def _tags_and_files(changes: Changes, event: Event, fields: dict[str, Any]) -> None:
    task = event.payload["task"]
    for label in fields.get("labels", ()):
        changes.nodes.append(Node("Tag", names.tag_id(label), {"name": label, "project": event.project}))
        changes.edges.append(Edge("TAGGED", "Task", task, "Tag", names.tag_id(label)))
    for path in fields.get("files", ()):
        file = names.file_id(event.project, path)
        changes.nodes.append(Node("File", file, {"path": path, "project": event.project}))
        changes.edges.append(Edge("ABOUT", "Task", task, "File", file, {"confidence": 1.0}))


def _changed(event: Event) -> Changes:
    payload = event.payload
    task, fields = payload["task"], payload.get("set", {})
    properties = {name: fields[name] for name in (*_PLAIN, "title") if name in fields}
    changes = Changes(nodes=[Node("Task", task, properties | {"updated_at": event.at})])
    if "labels" in fields:
        changes.removed_edges.append(EdgeKey("TAGGED", "Task", task, "Tag"))
    if "files" in fields:
        changes.removed_edges.append(EdgeKey("ABOUT", "Task", task, "File"))
    _tags_and_files(changes, event, fields)
    if payload.get("title"):  # events that change the text contain all of it, for the item
        changes.items.append(_item(event))
    return changes


def _state(event: Event) -> Changes:
    """Return status, blockers, suggestions and closing data, all of which the event contains."""
    payload = event.payload
    task, state = payload["task"], payload["state"]
    closed = state["status"] in CLOSED
    properties: dict[str, Any] = {"status": state["status"], "updated_at": event.at}
    if not closed:
        properties["closed_at"] = None
    elif payload.get("from") != state["status"]:  # a later citation does not close it again
        properties["closed_at"] = event.at
    if "outcome" in payload:
        properties["outcome"] = payload["outcome"]
    if payload.get("by"):
        properties["assignee"] = payload["by"]
    changes = Changes(nodes=[Node("Task", task, properties)])
    for kind, key in (("BLOCKED_BY", "blockers"), ("BLOCKED_BY_SUGGESTED", "suggested")):
        for label in LABELS.values():
            changes.removed_edges.append(EdgeKey(kind, "Task", task, label))
        for blocker in state.get(key, ()):
            meta = {"raw_text": blocker.get("text", ""), "confidence": blocker.get("confidence", 1.0),
                    "label": blocker.get("label", "given"), "at": event.at}  # fmt: skip
            changes.edges.append(Edge(kind, "Task", task, LABELS[blocker["kind"]], blocker["id"], meta))
    for hash_ in payload.get("commits", ()):
        commit = names.commit_id(hash_)
        if (
            len(hash_) < _WHOLE_HASH
        ):  # a relation to a full hash waits for its commit; an abbreviated one never resolves
            changes.nodes.append(Node("Commit", commit, {"hash": hash_}))
        changes.edges.append(Edge("FIXED_BY", "Task", task, "Commit", commit, {"at": event.at, "confidence": 1.0}))
    for fact in payload.get("facts", ()):
        changes.edges.append(Edge("PRODUCED", "Task", task, "Fact", fact, {"at": event.at}))
    return changes


def _priority(event: Event) -> Changes:
    properties = {"priority": event.payload["to"], "updated_at": event.at}
    return Changes(nodes=[Node("Task", event.payload["task"], properties)])


def _linked(event: Event) -> Changes:
    payload = event.payload
    kind = EDGES.get(payload["relation"])
    if kind is None:
        return Changes()
    task, target, label = payload["task"], payload["target"], LABELS[payload.get("kind", "task")]
    if payload.get("removed"):
        return Changes(removed_edges=[EdgeKey(kind, "Task", task, label, target)])
    changes = Changes()
    if payload["relation"] == "parent":  # a task has one parent
        changes.removed_edges.append(EdgeKey(kind, "Task", task, "Task"))
    changes.edges.append(Edge(kind, "Task", task, label, target, {"at": event.at} if kind in _TIMED else {}))
    return changes


def _condition(event: Event) -> Changes:
    payload = event.payload
    meta = {"candidates": payload.get("candidates", []), "task": payload.get("task", "")}
    properties = {"project": event.project, "title": payload["text"], "at": event.at,
                  "placeholder": bool(payload.get("placeholder")), "resolved": False,
                  "metadata": json.dumps(meta, ensure_ascii=False, sort_keys=True)}  # fmt: skip
    return Changes(nodes=[Node("Condition", payload["condition"], properties)])


def _resolved(event: Event) -> Changes:
    payload = event.payload
    source, target, verdict = payload["condition"], payload.get("target", ""), payload.get("type", "confirmed")
    label = LABELS[payload.get("source_kind", "condition")]
    if label != "Condition":
        return Changes()
    changes = Changes()
    if verdict == "confirmed":
        changes.nodes.append(Node(label, source, {"resolved": True}))
        changes.removed_edges += [EdgeKey("RESOLVES_TO", label, source, other) for other in LABELS.values()]
    if not target:
        if verdict == "rejected":  # it was not fulfilled after all
            changes.nodes.append(Node(label, source, {"resolved": False}))
        return changes
    target_label = LABELS[payload.get("kind", "task")]
    if verdict == "rejected":
        changes.removed_edges.append(EdgeKey("RESOLVES_TO", label, source, target_label, target))
    else:
        meta = {"resolution": verdict, "confidence": payload.get("confidence", 1.0), "at": event.at}
        changes.edges.append(Edge("RESOLVES_TO", label, source, target_label, target, meta))
    return changes


def _artifact(event: Event) -> Changes:
    payload = event.payload
    text = payload.get("text", "")
    properties = {"project": event.project, "title": text, "kind": payload.get("kind", "generic"), "at": event.at}
    properties["url"] = text if "://" in text else None
    return Changes(nodes=[Node("Artifact", payload["artifact"], properties)])


_PROJECTIONS = {
    "task_created": _created,
    "task_changed": _changed,
    "task_title_changed": _changed,
    "task_status_changed": _state,
    "task_blockers_set": _state,
    "task_claimed": _state,
    "task_priority_changed": _priority,
    "task_linked": _linked,
    "condition_declared": _condition,
    "condition_resolved_to": _resolved,
    "artifact_declared": _artifact,
}
