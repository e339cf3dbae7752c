"""Sessions and turns: prompts, answers and tool calls become nodes in their order, with the files they read and wrote,
the commits they made, and items that can be found."""

from __future__ import annotations

import json
from typing import Any

from graphmem.language.toolcalls import brief, shorten
from graphmem.model.changes import Changes, Edge, Item, Node
from graphmem.model.events import Event
from graphmem.projections import names

_SHOWN = frozenset(
    {"content", "role", "ref", "tool", "command", "exit_code", "failed", "reads", "writes", "commits", "input"}
)


def session_started(event: Event) -> Changes:
    """A Session and its Project."""
    payload = event.payload
    properties = {
        "ref": event.session,
        "project": event.project,
        "started_at": event.at,
        "source": payload.get("source"),
        "branch": payload.get("branch"),
    }
    changes = Changes(nodes=[Node("Session", names.session(event.session), properties)])
    _in_project(changes, event)
    return changes


def session_ended(event: Event) -> Changes:
    """The end of a Session."""
    return Changes(nodes=[Node("Session", names.session(event.session), {"ref": event.session, "ended_at": event.at})])


def turn(event: Event) -> Changes:
    """A Turn with its place, its files and its commits."""
    payload = event.payload
    role = str(payload.get("role") or "user")
    text = brief(payload) if role == "tool" else str(payload.get("content", ""))
    metadata = {name: value for name, value in payload.items() if name not in _SHOWN and value not in ("", None)}
    properties: dict[str, Any] = {
        "ref": payload.get("ref") or "",
        "session": event.session,
        "project": event.project,
        "role": role,
        "at": event.at,
        "sequence": event.clock,
        "content": shorten(text, names.TEXT_LIMIT),
        "tool": payload.get("tool"),
        "command": payload.get("command"),
        "exit_code": payload.get("exit_code"),
        "failed": payload.get("failed"),
        "metadata": json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else None,
    }
    changes = Changes(nodes=[Node("Turn", event.id, properties)])
    session = names.session(event.session)
    changes.nodes.append(Node("Session", session, {"ref": event.session, "project": event.project}))
    changes.edges.append(Edge("PART_OF", "Turn", event.id, "Session", session, {}))
    _in_project(changes, event)
    if not payload.get("failed"):
        _files(changes, event)
    _commits(changes, event)
    changes.items.append(_item(event, role, text))
    return changes


def _item(event: Event, role: str, text: str) -> Item:
    return Item(
        id=event.id,
        kind="turn",
        title=str(event.payload.get("title") or ""),
        text=text,
        at=event.at,
        ref=str(event.payload.get("ref") or ""),
        session=event.session,
        project=event.project,
        role=role,
        event=event.id,
        sequence=event.clock,
    )


def _in_project(changes: Changes, event: Event) -> None:
    if event.project:
        project = names.project(event.project)
        changes.nodes.append(Node("Project", project, {"name": event.project}))
        changes.edges.append(Edge("PART_OF", "Session", names.session(event.session), "Project", project, {}))


def _files(changes: Changes, event: Event) -> None:
    for relation, key in (("TOUCHES", "writes"), ("USES", "reads")):
        for path in event.payload.get(key, ()):
            file = names.file(event.project, path)
            changes.nodes.append(Node("File", file, {"path": path, "project": event.project}))
            changes.edges.append(Edge(relation, "Turn", event.id, "File", file, {"at": event.at}))


def _commits(changes: Changes, event: Event) -> None:
    """Commits that the output of a command names. Their hashes are short; `cognify` links them to the history."""
    for hash_, subject in event.payload.get("commits", ()):
        commit = names.commit(hash_)
        properties = {"hash": hash_, "subject": subject, "project": event.project}
        changes.nodes.append(Node("Commit", commit, properties))
        changes.edges.append(Edge("PRODUCED", "Turn", event.id, "Commit", commit, {"at": event.at}))
