"""Sessions and turns: prompts, answers and tool calls become nodes in their order, with the files they read and wrote,
the commits they made, and items that can be found."""

from __future__ import annotations

import json
from functools import lru_cache
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
    (session, *project), edges = _place(event.session, event.project)
    return Changes(nodes=[Node("Session", session.id, properties), *project], edges=list(edges))


def session_ended(event: Event) -> Changes:
    """The end of a Session."""
    return Changes(nodes=[Node("Session", names.session(event.session), {"ref": event.session, "ended_at": event.at})])


def turn(event: Event) -> Changes:
    """A Turn with its place, its files and its commits."""
    payload = event.payload
    role, text = _said(payload)
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
    nodes, edges = _place(event.session, event.project)
    session = nodes[0].id
    changes = Changes(nodes=[Node("Turn", event.id, properties), *nodes])
    changes.edges = [Edge("PART_OF", "Turn", event.id, "Session", session, {}), *edges]
    if not payload.get("failed"):
        _files(changes, event)
    _commits(changes, event)
    return changes


def turn_item(event: Event) -> Changes:
    """What a Turn is found by."""
    payload, project = event.payload, event.project
    role, text = _said(payload)
    title, ref = str(payload.get("title") or ""), str(payload.get("ref") or "")
    item = Item(event.id, "turn", title, text, event.at, ref, event.session, project, role, event.id, event.clock)
    return Changes(items=[item])


def _said(payload: dict[str, Any]) -> tuple[str, str]:
    role = str(payload.get("role") or "user")
    return role, brief(payload) if role == "tool" else str(payload.get("content", ""))


@lru_cache(maxsize=1_000)  # a replay meets the turns of few sessions at a time
def _place(ref: str, name: str) -> tuple[list[Node], list[Edge]]:
    """A Session in its Project, where there is one. Not to be changed."""
    session, project = names.session(ref), names.project(name)
    nodes, edges = [Node("Session", session, {"ref": ref, "project": name})], list[Edge]()
    if name:
        nodes.append(Node("Project", project, {"name": name}))
        edges.append(Edge("PART_OF", "Session", session, "Project", project, {}))
    return nodes, edges


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
