"""Answer a question: evidence of the operation that its type names, the command that gives the rest, and the ranked hits."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from graphmem.ask.about import shares_a_word
from graphmem.ask.evidence import FEW, Evidence, Reader, Sources, is_failure, names_all, read_question
from graphmem.ask.own_lines import quote_symbols
from graphmem.ask.registry import OPERATIONS
from graphmem.ask.types import Question, compared_names, parse_question
from graphmem.code.authors import find_mentions, word_pattern
from graphmem.errors import GraphmemError, NotFound
from graphmem.model.results import Answer, Confidence, Hit, SearchResult
from graphmem.retrieve.echoes import only_asks

_LISTS = frozenset({"tests", "task"})  # types of questions that ask for names only
_ANSWERED_BY_HITS = frozenset({"search", "where", "decided", "facts", "task"})

_OF_THE_INDEX = frozenset(  # types of questions whose answers are places in the indexed code
    "callees implementations path unused importers tests impact callers where reads writes constructions overrides routes"
    " cycles settings extension default".split()
)


def answer_question(text: str, reader: Reader, search: Callable[[str], SearchResult]) -> Answer:
    """Return the answer to a question in words, English or Korean. An operation that fails leaves the answer to search, and its
    reason in `degraded`."""
    sources = Sources(reader.code, reader.tasks, reader.query)
    question = parse_question(text)
    found = search(text)
    hits = tuple(hit for hit in found.hits if not hit.withheld)
    evidence, degraded = None, dict(found.degraded)
    try:
        with suppress(NotFound):  # without code there are no symbols that it could name
            question = read_question(text, sources)
        if operation := OPERATIONS.get(question.type):
            evidence = operation(question, sources, hits)
            evidence = evidence and _marked(evidence, question, sources)
            if evidence and shares_a_word(question, evidence):
                evidence = evidence._replace(is_exact=False)
    except GraphmemError as error:
        if is_failure(error):
            degraded[question.type] = str(error)
    if (
        question.type == "task" and evidence is not None and evidence.is_exact
    ):  # the state of the tasks, not what was said of it
        hits = tuple(hit for hit in hits if hit.kind == "task" and any(hit.id in line for line in evidence.lines))
    presumed = tuple(name for name in compared_names(text) if name not in question.exact)
    unknown = [name for name in _missing(question, presumed, sources, hits) if not _is_said(name, search(name))]
    missing = tuple(dict.fromkeys((*unknown, *found.unknown_names)))
    confidence: Confidence = found.confidence if hits else "none"
    if confidence == "high" and evidence is None and question.type not in _ANSWERED_BY_HITS:
        confidence = "suggested"  # a good hit, and not the answer
    if evidence is not None:
        confidence = "high" if evidence.is_exact else "suggested"
    if missing:
        is_false = evidence is None or not evidence.is_exact or not set(presumed).isdisjoint(unknown)
        confidence = "none" if is_false else "suggested"
    elif confidence == "none" and any(names_all(question, hit) for hit in hits):
        confidence = "suggested"
    used = evidence or Evidence((), (), False)
    withheld = sum(hit.withheld for hit in found.hits)
    is_answered = used.lines and used.is_exact
    quotes = {} if is_answered or question.type in _LISTS else quote_symbols(text, hits, sources)
    return Answer(text, question.type, confidence, used.lines, used.commands, hits, missing, withheld, degraded, quotes)


def _marked(evidence: Evidence, question: Question, sources: Sources) -> Evidence:
    """Return evidence that says which of the files that it names changed after they were indexed: their lines may have moved, and
    what is asked about them is no longer certain."""
    if question.type not in _OF_THE_INDEX:
        return evidence
    text = "\n".join((*evidence.lines, *evidence.refs))
    named = sorted(
        path for path in sources.code.changed() if re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text)
    )
    if not named:
        return evidence
    more = f" and {len(named) - FEW} more" if len(named) > FEW else ""
    said = f"changed since indexing, so this may be out of date: {', '.join(named[:FEW])}{more}"
    return evidence._replace(lines=(*evidence.lines, said), is_exact=False)


def _is_said(name: str, found: SearchResult) -> bool:
    """Return whether a fact, conversation or document has a name that no code has."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?![A-Za-z0-9_])", re.IGNORECASE)
    return any(word.search(f"{hit.title} {hit.content}") and not only_asks(hit.content) for hit in found.hits)


def _missing(question: Question, presumed: tuple[str, ...], sources: Sources, hits: tuple[Hit, ...]) -> tuple[str, ...]:
    """Return the exact names of a question, and those that it presumes, that no symbol, file, commit message or hit has."""
    missing = []
    for name in (*question.exact, *presumed):
        last = name.rpartition("/")[2] if "/" in name else name.rpartition(".")[2].rpartition("::")[2]
        is_word = name in presumed  # in any spelling, as a whole word
        pattern = word_pattern(name) if is_word else last
        with suppress(GraphmemError):
            known = (
                sources.code.known(last)
                or sources.code.file(name)
                or any(last.lower() in f"{hit.title} {hit.content}".lower() for hit in hits if is_word)
                or any(last in f"{hit.title} {hit.content}" for hit in hits)
                or sources.code.text(pattern, limit=1, is_regex=is_word, ignore_case=is_word).total
                or (is_word and find_mentions(sources.code.root(), [name], 1))
                or sources.code.patches(last, limit=1, ignore_case=is_word).total
            )
            if not known:
                missing.append(name)
    return tuple(missing)
