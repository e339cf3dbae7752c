"""Put the answer of an operation before the hits of a search: "who wrote X" is a commit with its author, "what calls X" a list
of lines. Only where the question is short, of such a type, and the evidence has every word that the question is about;
otherwise the hits stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from graphmem.ask.about import is_about, shares_a_word
from graphmem.ask.accesses import find_dependents, find_reads, find_writes
from graphmem.ask.environment import find_environment
from graphmem.ask.evidence import Evidence, Operation, Reader, Sources, is_failure, read_question
from graphmem.ask.extending import extended_thing, find_extension, tells_own
from graphmem.ask.operations import (
    SURE,
    find_callers,
    find_changes,
    find_definition,
    find_introduction,
    find_tests,
)
from graphmem.ask.people import find_owners
from graphmem.ask.reasons import find_reason
from graphmem.ask.releases import find_releases, find_unreleased
from graphmem.ask.removals import find_removal
from graphmem.ask.structure import find_last_change
from graphmem.ask.types import parse_question
from graphmem.errors import GraphmemError, NotFound
from graphmem.model.results import Detail, Hit, SearchResult
from graphmem.retrieve.pack import CONTEXT_HEADER, DEFAULT_BUDGET
from graphmem.retrieve.present import MAX_SUMMARY_CHARS, truncate_text
from graphmem.text.tokens import count_tokens
from graphmem.trust.detector import assess

EXACT = 0.95  # probability of an answer that an operation gives: a name of the question was resolved
_PATIENCE_S = 3.0  # that git may take: a search waits for it
_LEADING: Mapping[str, Operation] = {
    "tests": find_tests,
    "impact": find_dependents,
    "callers": find_callers,
    "removed": find_removal,
    "introduced": find_introduction,
    "owners": find_owners,
    "unreleased": find_unreleased,
    "releases": find_releases,
    "revisions": find_changes,
    "decided": find_reason,
    "where": find_definition,
    "environment": find_environment,
    "last change": find_last_change,
    "extension": find_extension,
    "reads": find_reads,
    "writes": find_writes,
}


def lead_with_answer(query: str, found: SearchResult, reader: Reader, budget: int | None = None) -> SearchResult:
    """Return the result with the answer of the operation as its first hit, or as it is. The answer is a hit of the item that
    it is about. `budget` is that of the context, in tokens."""
    question = parse_question(query)
    operation = _LEADING.get(question.type)
    if operation is None or not (question.subjects or question.type == "unreleased"):
        return found
    first = found.hits[0] if found.hits else None
    if question.type == "decided" and first and first.kind != "symbol" and first.probability >= SURE:
        return found  # it says why; a symbol may have a comment that does
    if question.type == "extension" and found.hits and tells_own(extended_thing(query), found.hits[0]):
        return found
    try:
        sources = Sources(reader.code, reader.tasks, reader.query, _PATIENCE_S)
        question = read_question(query, sources)
        evidence = operation(question, sources, found.hits)
        if evidence is None or not evidence.is_exact or not is_about(question, evidence):
            return found
        if shares_a_word(question, evidence):
            return found
        item = _item(reader, evidence.refs)
        if item is None or item.withheld or assess("\n".join(evidence.lines)):
            return found
        return _led(found, _hit(evidence, item), budget)
    except GraphmemError as error:
        return replace(found, degraded={**found.degraded, question.type: str(error)}) if is_failure(error) else found


def _item(reader: Reader, refs: Sequence[str]) -> Detail | None:
    """Return the first item that a store has of these; of a file of code, that of its module."""
    for ref in refs:
        for form in (ref, f"{ref}:1"):
            with suppress(NotFound):
                return reader.details([form])[0]
    return None


def _hit(evidence: Evidence, item: Detail) -> Hit:
    more = f"more: {'; '.join(evidence.commands)}"
    return Hit(
        id=item.id,
        ref=item.ref,
        kind=item.kind,
        score=1.0,
        title=item.title,
        summary=truncate_text(evidence.lines[0], 2 * MAX_SUMMARY_CHARS),
        content=item.content,
        at=item.at,
        session=item.session,
        citation=item.citation,
        why={"answer": 1.0},
        probability=EXACT,
        role=item.role,
        tags=item.tags,
        passage="\n".join([*evidence.lines, more]),
        origin=item.origin,
        suspicious=item.suspicious,
        is_answer=True,
    )


def _led(found: SearchResult, first: Hit, budget: int | None) -> SearchResult:
    """Return the result with this hit before the others, as many as there were."""
    hits = (first, *(hit for hit in found.hits if hit.id != first.id))[: max(1, len(found.hits))]
    shown = "  " + first.passage.replace("\n", "\n  ")
    lines = [CONTEXT_HEADER, f"{first.citation} {first.at:%Y-%m-%d} {first.kind}:", *shown.split("\n")]
    lines += found.context.split("\n")[1:]
    most = DEFAULT_BUDGET if budget is None else budget
    while len(lines) > 1 and count_tokens("\n".join(lines)) > most:
        lines.pop()
    context = "\n".join(lines) if len(lines) > 1 else found.context
    return replace(
        found, hits=hits, confidence="high", probability=max(found.probability, EXACT), context=context,
        tokens=count_tokens(context), total=max(found.total, len(hits)), reason="answered", searched={},
    )  # fmt: skip
