"""Projects sessions and turns: prompts, answers and tool calls become nodes in order, with the files they read and wrote,
the commits they made, and searchable items."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from graphmem.model.changes import Changes, Edge, Item, Node
from graphmem.model.events import Event
from graphmem.projections import names
from graphmem.projections.batch import Batch
from graphmem.text.todolists import is_own_list
from graphmem.text.toolcalls import shorten_text, told_call
from graphmem.trust.marking import MARK
from graphmem.trust.origin import origin_of

_SHOWN = frozenset(
    {
        "content",
        "role",
        "ref",
        "tool",
        "command",
        "exit_code",
        "failed",
        "reads",
        "writes",
        "commits",
        "input",
        "delivery",
        MARK,
    }
)
_FILES = {"TOUCHES": "writes", "USES": "reads"}
_TURN = (
    "Turn",
    (
        "ref",
        "session",
        "project",
        "role",
        "at",
        "sequence",
        "content",
        "tool",
        "command",
        "exit_code",
        "failed",
        "metadata",
        "origin",
        "suspicious",
    ),
)
_IN_SESSION = ("PART_OF", "Turn", "Session", ())
_PRODUCED = ("PRODUCED", "Turn", "Commit", ("at",))


def session_started(event: Event) -> Changes:
    """Return a Session and its Project."""
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
    """Return the end of a Session."""
    return Changes(
        nodes=[Node("Session", names.session_id(event.session), {"ref": event.session, "ended_at": event.at})]
    )


def project_turn(batch: Batch, event: Event) -> None:
    """Add a Turn with its position, files and commits. An agent's own list is kept with the tasks: as turns, each of its copies
    would be found."""
    if is_own_list(event.type, event.payload):
        return
    payload, get = event.payload, event.payload.get
    role, text = _said(payload)
    metadata = {name: value for name, value in payload.items() if name not in _SHOWN and value not in ("", None)}
    batch.weight += len(text)
    batch.nodes_of(_TURN)[event.id] = (
        get("ref") or "",
        event.session,
        event.project,
        role,
        event.at,
        event.clock,
        shorten_text(text, names.TEXT_LIMIT),
        get("tool"),
        get("command"),
        get("exit_code"),
        get("failed"),
        json.dumps(metadata, ensure_ascii=False, sort_keys=True) if metadata else None,
        origin_of(event),
        ", ".join(get(MARK) or ()) or None,
    )
    nodes, edges = _place(event.session, event.project)
    batch.edges_of(_IN_SESSION)[event.id, nodes[0].id] = ()
    for node in nodes:
        batch.node(node)
    for edge in edges:
        batch.edge(edge)
    if not get("failed"):
        _files(batch, event)
    _commits(batch, event)


def turn_item(batch: Batch, event: Event) -> None:
    """Add the searchable item of a Turn."""
    if is_own_list(event.type, event.payload):
        return
    payload, project = event.payload, event.project
    role, text = _said(payload)
    title, ref = str(payload.get("title") or ""), str(payload.get("ref") or "")
    batch.weight += len(text)
    batch.items[event.id] = Item(
        event.id, "turn", title, text, event.at, ref, event.session, project, role, event.id, event.clock
    )


def _said(payload: dict[str, Any]) -> tuple[str, str]:
    role = str(payload.get("role") or "user")
    return role, told_call(payload) if role == "tool" else str(payload.get("content", ""))


@lru_cache(maxsize=1_000)  # a replay meets the turns of few sessions at a time
def _place(ref: str, name: str) -> tuple[list[Node], list[Edge]]:
    """Return a Session in its Project, if any. Cached: do not modify."""
    session, project = names.session_id(ref), names.project_id(name)
    nodes, edges = [Node("Session", session, {"ref": ref, "project": name})], list[Edge]()
    if name:
        nodes.append(Node("Project", project, {"name": name}))
        edges.append(Edge("PART_OF", "Session", session, "Project", project, {}))
    return nodes, edges


def _files(batch: Batch, event: Event) -> None:
    for relation, key in _FILES.items():
        for path in event.payload.get(key, ()):
            file = _file(event.project, path)
            batch.node(file)
            batch.edges_of((relation, "Turn", "File", ("at",)))[event.id, file.id] = (event.at,)


@lru_cache(maxsize=10_000)
def _file(project: str, path: str) -> Node:
    """Return a File node. Cached: do not modify."""
    return Node("File", names.file_id(project, path), {"path": path, "project": project})


def _commits(batch: Batch, event: Event) -> None:
    """Relate a turn to commits named in command output. Their hashes are abbreviated; `cognify` links them to the history."""
    for hash_, subject in event.payload.get("commits", ()):
        commit = names.commit_id(hash_)
        batch.node(Node("Commit", commit, {"hash": hash_, "subject": subject, "project": event.project}))
        batch.edges_of(_PRODUCED)[event.id, commit] = (event.at,)
