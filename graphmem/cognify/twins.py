"""Facts that say the same: in the same words within a session, where an agent echoes what its user said, or in other words
where the encoder and a strict check of numbers, names and denials agree. The first stays and takes over evidence and
subjects of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from graphmem.cognify.alike import are_denied_alike, are_words_swapped
from graphmem.cognify.claims import CORRECTION, SAYS
from graphmem.cognify.facts import key_of
from graphmem.cognify.ledger import Ledger
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.supersede import value_key
from graphmem.model.changes import Changes, Edge, Link
from graphmem.projections.registry import project_derivation
from graphmem.text.topics import topic_words

_PASSED_ON = frozenset({"DERIVED_FROM", "EVIDENCE_OF", "RECORDED_IN", "ABOUT", "MENTIONS"})
_ECHOED = 12  # statements of a person that an agent may echo
_FEWEST_ECHOED = 2  # words of one without a claim


class Twin(NamedTuple):
    """A fact that says what an earlier one says, with the entry it was derived in."""

    fact: str
    first: str
    entry: Entry


def find_twins(entries: Iterable[Entry], ledger: Ledger) -> tuple[list[Twin], list[str]]:
    """Return, of the entries of one place, the facts that are twins, and those that stay."""
    there, gone = ledger.facts, ledger.buried
    merged = {twin: first for twin, first in ledger.merged.items() if first in there and first not in gone}
    first: dict[frozenset[str], tuple[str, str]] = {}
    latest: dict[tuple[str, str], tuple[str, bool]] = {}  # what was claimed last of a subject
    found: list[Twin] = []
    stays: list[str] = []
    by_person: list[dict[str, Any]] = []
    for entry in entries:
        for fact in entry.body["facts"]:
            identifier = fact["id"]
            keeper, said = identifier, fact["content"]
            if entry.body["session"]:
                if is_changed_claim(fact, latest):
                    first.pop(key_of(said), None)  # said again after something else: a revert, not a repetition
                keeper, words = first.setdefault(key_of(said), (identifier, said))
                keeper = identifier if are_words_swapped(words, said) else keeper
                if keeper == identifier and fact.get("speaker") == "agent":
                    keeper = _echoed(fact, by_person[-_ECHOED:]) or identifier
                by_person += [fact] if fact.get("speaker") == "user" else []
            keeper = _root(merged, keeper if keeper != identifier else merged.get(identifier, identifier))
            if keeper != identifier:
                found.append(Twin(identifier, keeper, entry))
            else:
                stays.append(identifier)
    return found, stays


def _echoed(fact: dict[str, Any], by_person: list[dict[str, Any]]) -> str:
    """Return the id of the fact that a person stated before and an agent repeats, "" if it says something of its own."""
    said, claim = fact["content"], fact.get("claim")
    for former in reversed(by_person):
        other = former.get("claim")
        if claim and other and claim[:2] == other[:2] and claim[1] != CORRECTION:
            if value_key(claim[2]) == value_key(other[2]) and claim[3] == other[3]:
                return str(former["id"])
            if claim[1] != SAYS:
                return ""
        words = topic_words(said)
        if len(words) < _FEWEST_ECHOED or words != topic_words(former["content"]):
            continue
        if are_denied_alike(said, former["content"]):
            return str(former["id"])
    return ""


def is_changed_claim(fact: dict[str, Any], latest: dict[tuple[str, str], tuple[str, bool]]) -> bool:
    """Return whether a fact claims another value than was claimed last; note what it claims."""
    if not fact.get("claim"):
        return False
    subject, predicate, value, holds = fact["claim"][:4]
    before = latest.get((subject, predicate))
    latest[subject, predicate] = value, holds
    return before is not None and before != (value, holds)


def _root(merged: Mapping[str, str], fact: str) -> str:
    seen = set()
    while fact in merged and fact not in seen:
        seen.add(fact)
        fact = merged[fact]
    return fact


def merge_twins(found: Iterable[Twin]) -> Changes:
    """Return the changes that remove twins: what was evidence of them, or what they are about, passes to the first."""
    changes = Changes()
    for twin in found:
        changes.removed_nodes.append(("Fact", twin.fact))
        changes.removed_items.append(twin.fact)
        made = project_derivation(twin.entry.derivation)
        changes.edges += [_moved(edge, twin) for edge in made.edges if edge.type in _PASSED_ON and _of(edge, twin.fact)]
        changes.links += [Link(twin.first, link.entity, link.name) for link in made.links if link.item == twin.fact]
    return changes


def _of(edge: Edge, fact: str) -> bool:
    return fact in (edge.source, edge.target)


def _moved(edge: Edge, twin: Twin) -> Edge:
    evidence = {"method": "normalized", "confidence": 0.95} if edge.type == "EVIDENCE_OF" else {}
    source, target = (twin.first if end == twin.fact else end for end in (edge.source, edge.target))
    return edge._replace(source=source, target=target, properties={**edge.properties, **evidence})


def restore_former_twins(missing: Iterable[str], entries: Iterable[Entry], gone: set[str]) -> Iterator[Changes]:
    """Yield the changes that bring back facts of one place that are no twins any more."""
    told = {fact["id"]: entry for entry in entries for fact in entry.body["facts"]}
    for fact in missing:
        again = project_derivation(told[fact].derivation)
        yield Changes(
            nodes=[node for node in again.nodes if node.id not in gone],
            edges=[edge for edge in again.edges if not gone & {edge.source, edge.target}],
            items=[item for item in again.items if item.id not in gone],
            links=[link for link in again.links if link.item not in gone],
        )
