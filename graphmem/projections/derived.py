"""Projects derivations to nodes and edges: mentioned entities, facts with evidence, links between existing nodes. The
bodies, written by `cognify`, contain everything needed, so a rebuild reads nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from graphmem.model.bounds import clamp_time
from graphmem.model.changes import Changes, Edge, Item, Link, Node
from graphmem.model.events import Derivation
from graphmem.owntypes import RELATIONS, label_of, relation_of
from graphmem.projections import names
from graphmem.projections.batch import Batch

_SOURCES = frozenset({"Turn", "Commit", "Snapshot", "Document"})  # labels of possible sources of a fact
_SPEAKERS = {"user": "person", "agent": "agent", "commit": "repository"}  # origin of facts that do not state one


def project_entities(batch: Batch, derivation: Derivation) -> None:
    """Project `{label, node, item, project, mentions: [[type, name, count]]}` to entities and MENTIONS."""
    _mentioned(batch, derivation, lambda kind: "Entity")


def mention_items(batch: Batch, derivation: Derivation) -> None:
    """Add what the same derivation says to the text index: names mentioned in an item."""
    item: str = derivation.body.get("item") or ""
    for kind, name, _ in derivation.body["mentions"] if item else ():
        batch.links[Link(item, names.entity_id(kind, name), name)] = None


def _mentioned(batch: Batch, derivation: Derivation, labelled: Callable[[str], str]) -> None:
    body = derivation.body
    label, node, project = body["label"], body["node"], body["project"]
    if not label:  # of an event that makes no node
        return
    found = [(_entity(labelled(kind), kind, name, project), count) for kind, name, count in body["mentions"]]
    for entity, count in found:  # all or none
        batch.node(entity)
        batch.edges_of(("MENTIONS", label, entity.label, ("count",)))[node, entity.id] = (count,)


@lru_cache(maxsize=50_000)  # a replay meets the same few names repeatedly
def _entity(label: str, kind: str, name: str, project: str) -> Node:
    """Return an entity node. Cached: do not modify."""
    entity = names.entity_id(kind, name)
    name = name.rstrip("/") or name  # `src/` and `src` are one folder, whichever is projected last
    properties = {"name": name, "type": kind, "canonical": entity.rpartition(":")[2], "project": project}
    return Node(label, entity, properties)


def project_typed(batch: Batch, derivation: Derivation) -> None:
    """Like `project_entities`, for the project's custom types, with the relations between them. Both have their own
    labels."""
    _mentioned(batch, derivation, label_of)
    if not derivation.body["label"]:
        return
    project = derivation.body["project"]
    for name, start_type, start, end_type, end in derivation.body["relations"]:
        kind = relation_of(name)
        ends = (
            label_of(start_type),
            names.entity_id(start_type, start),
            label_of(end_type),
            names.entity_id(end_type, end),
        )
        batch.edge(Edge(kind, *ends, {} if kind in RELATIONS else {"project": project}))


def project_facts(derivation: Derivation) -> Changes:
    """Project `{source, label, project, session, facts: [{id, content, kind, ...}]}` to facts DERIVED_FROM their source,
    with their subjects. `valid` is the offset in seconds from the source to when the fact becomes true."""
    body, changes = derivation.body, Changes()
    if "claim" in body:  # of an explicit fact, whose event created the node
        changes.nodes.append(Node("Fact", body["explicit"], _claim(body["claim"])))
    if "files" in body:
        _subjects(changes, body, {"id": body["explicit"], "files": body["files"]})
    for fact in body["facts"]:
        if fact.get("claim", ("", ""))[1] == "correction":
            continue  # says nothing until the claim that it corrects is found
        _fact(changes, derivation, fact)
        _subjects(changes, body, fact)
    return changes


def _fact(changes: Changes, derivation: Derivation, fact: dict[str, Any]) -> None:
    body, at, node = derivation.body, derivation.at, fact["id"]
    properties = {
        "project": body["project"],
        "session": body["session"],
        "kind": fact["kind"],
        "title": fact.get("title", ""),
        "content": fact["content"],
        "outcome": fact.get("outcome", "unknown"),
        "intent": fact.get("intent", ""),
        "confidence": fact["confidence"],
        "at": at,
        "valid_from": clamp_time(at + fact.get("valid", 0) * 1_000_000),
        "recorded_at": derivation.clock,
        "status": "active",
        "stage": "working",
        "level": 1,
        "origin": fact.get("origin") or _SPEAKERS.get(fact.get("speaker", "")),
    }
    if "claim" in fact:
        properties |= _claim(fact["claim"])
    if fact.get("subject"):
        properties["subject"] = fact["subject"]
    changes.nodes.append(Node("Fact", node, properties))
    evidence = {
        "start_offset": fact["start"],
        "end_offset": fact["end"],
        "method": "exact",
        "confidence": 1.0,
        "at": at,
    }
    label, source = body["label"], body["source"]
    if label in _SOURCES:
        changes.edges.append(Edge("DERIVED_FROM", "Fact", node, label, source, {"at": at}))
        changes.edges.append(Edge("EVIDENCE_OF", label, source, "Fact", node, evidence))
    if label == "Commit":
        changes.edges.append(Edge("RECORDED_IN", "Fact", node, "Commit", source, {"at": at}))
    text, session, project = fact["content"], body["session"], body["project"]
    changes.items.append(
        Item(node, "fact", fact.get("title", ""), text, at, "", session, project, "", derivation.source)
    )


def _claim(claim: list[Any]) -> dict[str, Any]:
    found = dict(zip(("subject", "predicate", "object"), claim, strict=False))
    return found if found["subject"] else {name: value for name, value in found.items() if name != "subject"}


def _subjects(changes: Changes, body: dict[str, Any], fact: dict[str, Any]) -> None:
    """Relate a fact to what it names: files, entities and persons."""
    node, project = fact["id"], body["project"]
    for path in fact.get("files", ()):
        file = names.file_id(project, path)
        changes.nodes.append(Node("File", file, {"path": path, "project": project}))
        changes.edges.append(Edge("ABOUT", "Fact", node, "File", file, {"confidence": 0.9}))
    for kind, name in fact.get("entities", ()):
        entity = _entity("Entity", kind, name, project)
        changes.nodes.append(entity)
        changes.edges.append(Edge("MENTIONS", "Fact", node, "Entity", entity.id, {"count": 1}))
        changes.links.append(Link(node, entity.id, name))
    for name in fact.get("persons", ()):
        changes.nodes.append(Node("Person", names.person_id(name), {"name": name}))
        changes.edges.append(Edge("MENTIONS", "Fact", node, "Person", names.person_id(name), {"count": 1}))


def project_links(derivation: Derivation) -> Changes:
    """Project `{edges: [[type, label, id, label, id, properties]]}` to relations between existing nodes."""
    return Changes(edges=[Edge(*edge) for edge in derivation.body["edges"]])
