"""Put the answer of an operation before the hits of a search: "who wrote X" is a commit with its author, "what calls X" a list
of lines. Only where the question is short, of such a type, and the evidence has every word that the question is about;
otherwise the hits stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

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
from graphmem.ask.reasons import find_reason, tells_reason
from graphmem.ask.releases import find_releases, find_unreleased
from graphmem.ask.removals import find_removal
from graphmem.ask.structure import find_last_change
from graphmem.ask.types import Question, parse_question
from graphmem.errors import GraphmemError, NotFound
from graphmem.model.results import Detail, Hit, SearchResult
from graphmem.retrieve.concepts import FRAME_WORDS
from graphmem.retrieve.pack import CONTEXT_HEADER, DEFAULT_BUDGET
from graphmem.retrieve.present import MAX_SUMMARY_CHARS, truncate_text
from graphmem.retrieve.stems import stem
from graphmem.text.tokens import count_tokens
from graphmem.text.words import content_words
from graphmem.trust.detector import assess

EXACT = 0.95  # probability of an answer that an operation gives: a name of the question was resolved
_PATIENCE_S = 3.0  # that git may take: a search waits for it
_MAX_KOREAN_WORDS = 3  # of a question that asks for a name
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")  # the numbers of a version belong together
_CODE = re.compile(r"[^\W_]_[^\W_]|[a-z][A-Z]")
_OF_A_SYMBOL = frozenset({"tests", "impact", "callers"})  # a name written as code says what is meant
# What code does with a name that no symbol has; the lines around it show which.
_USES = frozenset(
    map(
        stem,
        "read reads get got set sets used handle handled handles caught catch check checked checks evaluated honoured honored"
        " variable variables environment env respected looked parsed consulted raised thrown emitted printed logged"
        " returned".split(),
    )
)
# What a thing is, beside its name: "the retry_for option".
_SORTS = frozenset(
    map(
        stem,
        "option options flag flags constant variable command field property type attribute hook key keyword decorator macro"
        " signal struct interface trait helper feature api callback enum value default alias".split(),
    )
)
_OF_A_RELEASE = frozenset(map(stem, "new release released version included added fixed notes brought bring".split()))
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
        if evidence is None or not evidence.is_exact or not _is_about(question, evidence):
            return found
        item = _item(reader, evidence.refs)
        if item is None or item.withheld or assess("\n".join(evidence.lines)):
            return found
        return _led(found, _hit(evidence, item), budget)
    except GraphmemError as error:
        return replace(found, degraded={**found.degraded, question.type: str(error)}) if is_failure(error) else found


def _item(reader: Reader, refs: Sequence[str]) -> Detail | None:
    """Return the first item that a store has of these."""
    for ref in refs:
        with suppress(NotFound):
            return reader.details([ref])[0]
    return None


def _is_about(question: Question, evidence: Evidence) -> bool:
    """Return whether the evidence has every word that the question is about."""
    if question.type == "unreleased":
        return not question.exact
    if question.type in ("releases", "extension"):
        return True  # each row has all of the words
    if question.type == "decided" and tells_reason(evidence):
        return True
    if question.type == "where" and len(_korean_words(question.text)) > _MAX_KOREAN_WORDS:
        return False  # it is about more than the name that it has
    said = {stem(word) for word in _WORD.findall(" ".join(evidence.lines).lower())}
    spelt = [name for name in question.exact if _is_spelt(name, question.text)]
    subjects = spelt if spelt and question.type in _OF_A_SYMBOL else question.subjects
    asked = {stem(word) for word in _WORD.findall(" ".join(subjects).lower())} - (_SORTS if spelt else set())
    if question.type == "revisions":
        asked -= _OF_A_RELEASE
    elif question.type == "environment" or (question.type in ("where", "reads", "writes") and question.exact):
        asked -= _USES
    return asked <= said


def _is_spelt(name: str, text: str) -> bool:
    """Return whether a text has a name, or its last part written as code (`queues_cmd of Fetch`): words may be the name of a
    symbol by chance."""
    last = name.rpartition(".")[2]
    return name in text or (last in text and _CODE.search(last) is not None)


def _korean_words(text: str) -> list[str]:
    """Return the Korean words of a question but those that only ask."""
    return [word for word in content_words(text) if not word.isascii() and stem(word) not in FRAME_WORDS]


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
