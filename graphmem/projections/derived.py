"""Derivations become nodes and edges: entities that were mentioned, facts with their evidence, links between what was
already there. Bodies are written by `cognify`; they hold everything needed, so that a rebuild reads nothing else."""

from __future__ import annotations

from graphmem.model.changes import Changes, Edge, Item, Link, Node
from graphmem.model.events import Derivation
from graphmem.projections import names


def entities(derivation: Derivation) -> Changes:
    """`{label, node, item, project, mentions: [[type, name, count]]}`: entities and MENTIONS."""
    body, changes = derivation.body, Changes()
    for kind, name, count in body["mentions"]:
        entity = names.entity(kind, name)
        properties = {"name": name, "type": kind, "canonical": entity.rpartition(":")[2], "project": body["project"]}
        changes.nodes.append(Node("Entity", entity, properties))
        changes.edges.append(Edge("MENTIONS", body["label"], body["node"], "Entity", entity, {"count": count}))
        if body.get("item"):
            changes.links.append(Link(body["item"], entity, name))
    return changes


def facts(derivation: Derivation) -> Changes:
    """`{source, label, project, session, facts: [{id, content, kind, ...}]}`: facts DERIVED_FROM their source."""
    body, at, changes = derivation.body, derivation.at, Changes()
    for fact in body["facts"]:
        properties = {
            "project": body["project"],
            "session": body["session"],
            "kind": fact["kind"],
            "title": fact.get("title", ""),
            "content": fact["content"],
            "outcome": fact.get("outcome", "unknown"),
            "confidence": fact["confidence"],
            "at": at,
            "valid_from": fact.get("valid_from", at),
            "recorded_at": derivation.clock,
            "status": "active",
            "stage": "working",
            "level": 1,
        }
        changes.nodes.append(Node("Fact", fact["id"], properties))
        evidence = {
            "start_offset": fact["start"],
            "end_offset": fact["end"],
            "method": "exact",
            "confidence": 1.0,
            "at": at,
        }
        changes.edges.append(Edge("DERIVED_FROM", "Fact", fact["id"], body["label"], body["source"], {"at": at}))
        changes.edges.append(Edge("EVIDENCE_OF", body["label"], body["source"], "Fact", fact["id"], evidence))
        for path in fact.get("files", ()):
            file = names.file(body["project"], path)
            changes.nodes.append(Node("File", file, {"path": path, "project": body["project"]}))
            changes.edges.append(Edge("ABOUT", "Fact", fact["id"], "File", file, {"confidence": 0.9}))
        changes.items.append(
            Item(
                fact["id"],
                "fact",
                fact.get("title", ""),
                fact["content"],
                at,
                "",
                body["session"],
                body["project"],
                "",
                derivation.source,
            )
        )
    return changes


def links(derivation: Derivation) -> Changes:
    """`{edges: [[type, label, id, label, id, properties]]}`: relations between existing nodes."""
    return Changes(edges=[Edge(*edge) for edge in derivation.body["edges"]])
