"""Conclusions from everything that was derived: gotchas, summaries, patterns, and which facts say the same. They are a
pure function of the ledger; what changed since last time is written, so replay and increment end alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphmem import resources
from graphmem.cognify.facts import key_of
from graphmem.cognify.gotchas import gotchas, troubles
from graphmem.cognify.ledger import Entry, Ledger
from graphmem.cognify.made import Made
from graphmem.cognify.patterns import patterns
from graphmem.cognify.skills import skills
from graphmem.cognify.summaries import courses, summaries
from graphmem.cognify.triggers import CONCLUSIONS
from graphmem.model.changes import Changes, Edge, EdgeKey
from graphmem.ports.graph import GraphStore
from graphmem.projections.registry import project_derivation

_CONCLUDED = "queries/graph/read/gotchas_and_other_conclusions.cypher"
_FACTS = "queries/graph/read/facts_identified.cypher"
LABELS = {"Gotcha": "gotchas", "Summary": "summaries", "Pattern": "patterns", "Skill": "skills"}  # label -> stage
_LEADS_TO = {
    "Gotcha": (("DERIVED_FROM", "Turn"), ("DERIVED_FROM", "Snapshot"), ("DERIVED_FROM", "TestRun"), ("FIXED_BY", "Turn"),
               ("FIXED_BY", "Commit"), ("ABOUT", "File"), ("FAILED_IN", "Snapshot"), ("FAILED_IN", "TestRun")),
    "Summary": (("DERIVED_FROM", "Fact"), ("ABOUT", "File")),
    "Pattern": (("DERIVED_FROM", "Commit"),),
    "Skill": (("DERIVED_FROM", "Fact"),),
}  # fmt: skip


class Twin(NamedTuple):
    """A fact that says what an earlier one of its session says, and where it was said."""

    fact: str
    first: str
    label: str
    source: str


def conclude(ledger: Ledger, graph: GraphStore, stages: Iterable[str] = CONCLUSIONS) -> Changes:
    """The changes that bring the graph's conclusions up to the ledger. Only these stages are looked at."""
    wanted = {label for label, stage in LABELS.items() if stage in set(stages)}
    twins, facts = _twins(ledger.of("facts"))
    made = [m.sealed() for m in _made(ledger, wanted, {twin.fact for twin in twins}) if m.node.id not in ledger.buried]
    have = dict(_concluded(graph, wanted))
    changes = Changes()
    want = {(m.node.label, m.node.id): str(m.node.properties["metadata"]) for m in made}
    gone = [key for key in have if key not in want]
    changes.removed_nodes += gone
    changes.removed_items += [identifier for _, identifier in gone]
    for m in made:
        if have.get((m.node.label, m.node.id)) != m.node.properties["metadata"]:
            changes.nodes.append(m.node)
            if (m.node.label, m.node.id) in have:  # what it leads to may be less than before
                changes.removed_edges += [
                    EdgeKey(kind, m.node.label, m.node.id, target) for kind, target in _LEADS_TO[m.node.label]
                ]
            changes.edges += m.edges
            changes.items.append(m.item)
    changes.extend(_merged(ledger, graph, twins, facts))
    return changes


def _made(ledger: Ledger, wanted: set[str], merged: set[str]) -> Iterator[Made]:
    found = troubles(ledger.entries)
    if "Gotcha" in wanted:
        yield from gotchas(found)
    if "Summary" in wanted:
        yield from summaries(courses(ledger.entries), found.values())
    if "Pattern" in wanted:
        yield from patterns(ledger.of("episodes"))
    if "Skill" in wanted:
        yield from skills(ledger.of("facts"), merged | ledger.buried)


def _concluded(graph: GraphStore, wanted: set[str]) -> Iterator[tuple[tuple[str, str], str]]:
    rows = graph.query(resources.text(_CONCLUDED)).rows
    return (((label, identifier), digest) for label, identifier, digest in rows if label in wanted)


def _twins(entries: Iterable[Entry]) -> tuple[list[Twin], dict[str, Entry]]:
    """Facts of one session that say the same, and the entry of every fact that stays."""
    first: dict[tuple[str, str, frozenset[str]], str] = {}
    twins: list[Twin] = []
    stays: dict[str, Entry] = {}
    for entry in entries:
        body = entry.body
        for fact in body["facts"]:
            key = (body["project"], body["session"], key_of(fact["content"]))
            if body["session"] and first.setdefault(key, fact["id"]) != fact["id"]:
                twins.append(Twin(fact["id"], first[key], body["label"], body["source"]))
            else:
                stays[fact["id"]] = entry
    return twins, stays


def _merged(ledger: Ledger, graph: GraphStore, twins: list[Twin], facts: dict[str, Entry]) -> Changes:
    """Twins give their evidence to the first and go; what is no twin any more comes back."""
    changes = Changes()
    if not twins and not ledger.stones:
        return changes
    present = {row[0] for row in graph.query(resources.text(_FACTS)).rows}
    for twin in twins:
        if twin.fact in present:
            changes.removed_nodes.append(("Fact", twin.fact))
            changes.removed_items.append(twin.fact)
        evidence = {"method": "normalized", "confidence": 0.95}
        changes.edges.append(Edge("DERIVED_FROM", "Fact", twin.first, twin.label, twin.source, {}))
        changes.edges.append(Edge("EVIDENCE_OF", twin.label, twin.source, "Fact", twin.first, evidence))
    if ledger.stones:
        gone = {twin.fact for twin in twins} | ledger.buried
        for fact, entry in facts.items():
            if fact not in present and fact not in gone:
                again = project_derivation(entry.derivation)
                keep = Changes(nodes=[n for n in again.nodes if n.id not in gone], edges=again.edges,
                               items=[i for i in again.items if i.id not in gone], links=again.links)  # fmt: skip
                changes.extend(keep)
    return changes
