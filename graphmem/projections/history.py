"""Projects commits: author, time, message, changed files, and parents as NEXT. A renamed file SUPERSEDES its old path, so
that queries about a file reach its whole history."""

from __future__ import annotations

from graphmem.model.changes import Changes, Edge, Item, Node
from graphmem.model.events import Event
from graphmem.projections import names
from graphmem.projections.provenance import provenance

_COMES_OR_GOES = frozenset("ACDR")  # git's letters for what adds or removes a path


def project_commit(event: Event) -> Changes:
    """Return a Commit with its author, files and parents."""
    payload = event.payload
    node = names.commit_id(payload["hash"])
    files = payload.get("files", [])
    changes = Changes(
        nodes=[
            Node(
                "Commit",
                node,
                {
                    "hash": payload["hash"],
                    "project": event.project,
                    "subject": payload["subject"],
                    "body": payload["body"],
                    "at": event.at,
                    "committed_at": payload["committed_at"],
                    "author": payload["author"],
                    "merge": len(payload["parents"]) > 1,
                    "files": len(files),
                    "additions": sum(file["additions"] for file in files),
                    "deletions": sum(file["deletions"] for file in files),
                    "patch": payload.get("patch", ""),
                    "sequence": event.clock,
                    **provenance(event),
                },
            )
        ]
    )
    person = names.person_id(payload["author"], payload["email"])
    changes.nodes.append(Node("Person", person, {"name": payload["author"], "email": payload["email"]}))
    changes.edges.append(Edge("AUTHORED", "Person", person, "Commit", node, {"at": event.at}))
    project = names.project_id(event.project)
    changes.nodes.append(Node("Project", project, {"name": event.project}))
    changes.edges.append(Edge("PART_OF", "Commit", node, "Project", project, {}))
    for position, parent in enumerate(payload["parents"]):
        changes.nodes.append(Node("Commit", names.commit_id(parent), {"hash": parent}))
        changes.edges.append(Edge("NEXT", "Commit", names.commit_id(parent), "Commit", node, {"position": position}))
    for change in files:
        _file(changes, event, node, change["path"], change["kind"], change)
        if change.get("previous"):
            _renamed(changes, event, node, change["path"], change["previous"])
    text = f"{payload['body']}\n{' '.join(file['path'] for file in files[:50])}".strip()
    changes.items.append(
        Item(
            node,
            "commit",
            payload["subject"],
            text,
            event.at,
            payload["hash"],
            "",
            event.project,
            "",
            event.id,
            event.clock,
        )
    )
    return changes


def _renamed(changes: Changes, event: Event, commit: str, path: str, previous: str) -> None:
    _file(changes, event, commit, previous, "D", {"additions": 0, "deletions": 0})
    now, before = names.file_id(event.project, path), names.file_id(event.project, previous)
    changes.edges.append(Edge("SUPERSEDES", "File", now, "File", before, {"at": event.at, "reason": "renamed"}))


def _file(changes: Changes, event: Event, commit: str, path: str, kind: str, change: dict[str, object]) -> None:
    file = names.file_id(event.project, path)
    left = {"gone": kind == "D"} if kind in _COMES_OR_GOES else {}  # a change on another branch does not bring it back
    changes.nodes.append(Node("File", file, {"path": path, "project": event.project, **left}))
    properties = {
        "change": kind,
        "additions": change["additions"],
        "deletions": change["deletions"],
        "previous": change.get("previous") or None,
        "at": event.at,
    }
    changes.edges.append(Edge("TOUCHES", "Commit", commit, "File", file, properties))
