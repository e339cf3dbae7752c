"""Projects explicit memories (`remember`) by kind, and document sections with their file."""

from __future__ import annotations

import json
from typing import Any

from graphmem.model.changes import Changes, Edge, Item, Link, Node
from graphmem.model.events import Event
from graphmem.model.kinds import KINDS, labels_where
from graphmem.projections import names
from graphmem.projections.provenance import provenance

_ABOUT_FILES = labels_where(is_about_files=True)


def project_memory(event: Event) -> Changes:
    """Return a node of the given kind with its tags and files. A later memory with the same ref replaces it."""
    payload = event.payload
    kind, ref = payload.get("kind", "fact"), payload.get("ref") or ""
    label, node = KINDS[kind].label, memory_id(event)
    title, content = payload.get("title") or "", payload["content"]
    changes = Changes(nodes=[Node(label, node, _properties(label, event, title, content, ref))])
    for tag in payload.get("tags", ()):
        changes.nodes.append(Node("Tag", names.tag_id(tag), {"name": tag, "project": event.project}))
        changes.edges.append(Edge("TAGGED", label, node, "Tag", names.tag_id(tag), {}))
    for path in payload.get("files", ()):
        file = names.file_id(event.project, path)
        changes.nodes.append(Node("File", file, {"path": path, "project": event.project}))
        changes.links.append(Link(node, file, path))
        if label in _ABOUT_FILES:
            changes.edges.append(Edge("ABOUT", label, node, "File", file, {"confidence": 1.0}))
    if label == "Fact":
        for source in payload.get("evidence", ()):
            changes.edges.append(Edge("DERIVED_FROM", "Fact", node, "Turn", source, {"at": event.at}))
    tags = tuple(payload.get("tags", ()))
    changes.items.append(
        Item(node, kind, title, content, event.at, ref, event.session, event.project, "", event.id, event.clock, tags)
    )
    return changes


def memory_id(event: Event) -> str:
    """Return the id of an explicit memory: that of its ref, or of its event."""
    ref = event.payload.get("ref") or ""
    return f"{event.payload.get('kind', 'fact')}:{event.project}:{ref}" if ref else event.id


def _properties(label: str, event: Event, title: str, content: str, ref: str) -> dict[str, Any]:
    properties: dict[str, Any] = {"project": event.project, "title": title, "content": content, "at": event.at}
    if label == "Summary":
        return properties | {"session": event.session, "kind": "explicit"}
    properties |= {"ref": ref, "status": "active"}
    if label == "Fact":
        properties |= {"session": event.session, "kind": "explicit", "valid_from": event.at, "recorded_at": event.clock}
        properties |= {"confidence": 1.0, "level": 0, "stage": "raw"} | provenance(event)
    return properties


def project_document(event: Event) -> Changes:
    """Return the sections of one file, each a Document that is PART_OF it. Of the `replaced` earlier sections, surplus
    ones are removed."""
    payload = event.payload
    path, file = payload["path"], names.file_id(event.project, payload["path"])
    changes = Changes(nodes=[Node("File", file, {"path": path, "project": event.project})])
    for number in range(len(payload["sections"]), payload.get("replaced", 0)):
        changes.removed_nodes.append(("Document", section_id(event.project, path, number)))
        changes.removed_items.append(section_id(event.project, path, number))
    for number, (title, text, line) in enumerate(payload["sections"]):
        node = section_id(event.project, path, number)
        properties = {"project": event.project, "title": title, "content": text, "path": path, "section": title,
                      "line": line, "at": event.at, "ref": f"{path}:{line}", "status": "active",
                      "metadata": json.dumps({"digest": payload["digest"]})} | provenance(event)  # fmt: skip
        changes.nodes.append(Node("Document", node, properties))
        changes.edges.append(Edge("PART_OF", "Document", node, "File", file, {}))
        changes.items.append(
            Item(node, "document", title, text, event.at, f"{path}:{line}", "", event.project, "", event.id, number)
        )
    return changes


def section_id(project: str, path: str, number: int) -> str:
    """Return the id of the n-th section of a document file."""
    return f"doc:{project}:{path}#{number}"
