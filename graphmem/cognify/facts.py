"""Step `facts`: extracts atomic facts from conversations, commit messages and explicit memories. A sentence that states a
decision, rule, cause, fix, failure, change or property becomes a fact that is understandable alone and cites its exact
place. A sentence that no rule recognises yields no fact: a wrong fact is worse than a missing one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.assertions import is_measured
from graphmem.cognify.claims import CORRECTION, SAYS, Claim, claim_clause, claim_of, tells_of_change
from graphmem.cognify.enduring import Kept, endures
from graphmem.cognify.judging import (
    BINDING,
    Told,
    judge_again,
    judge_alone,
    judge_likely,
    judge_recognised,
    judge_recognised_again,
)
from graphmem.cognify.lasting import is_fragment, is_passing, is_value, lasting_kind, told_kind
from graphmem.cognify.past import to_past_tense
from graphmem.cognify.second_look import is_long
from graphmem.cognify.selfcontained import NOWHERE, SelfContained, Speaker, make_self_contained, resolve_pronouns
from graphmem.cognify.source import Source
from graphmem.cognify.stated import find_stated
from graphmem.cognify.statements import Statement, find_sentences, find_statements, kind_of
from graphmem.cognify.subjects import as_written, is_file_path, noun_phrase, relative_path, subject_of
from graphmem.cognify.worth import (
    Tag,
    is_sentence,
    is_worth_keeping,
    pasted_spans,
    points_outside,
    taggable,
    thought_spans,
)
from graphmem.model.events import Event
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later
from graphmem.projections.registry import FACTS
from graphmem.text import pipeline
from graphmem.text.bots import is_bot
from graphmem.text.ellipses import find_ellipses
from graphmem.text.entities import extract_all
from graphmem.text.replacements import read_replacing
from graphmem.text.restating import states_value
from graphmem.text.revising import REPLACES, revision_by_person
from graphmem.text.sentences import split_sentences
from graphmem.text.typed_values import gives_exact_value
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import may_bind, origin_of

NAME = FACTS
TYPES = frozenset({"user_prompt", "agent_response", "commit_observed", "memory_remembered"})
_LIMIT = 20_000  # characters read of one event
_BRIEF = 300  # characters of a person's turn in which an exact value is said on purpose
_MOST = 40  # facts kept of one event
_DEPENDENCY_UPDATE = compile_later(r"(?:bump(?:s|ed)? \S|updates? [`\[]).{0,300}? from v?\S*\d\S* to v?\S*\d", re.I)
_NAMING = frozenset({"decision", "preference", "rule", "cause", "fix"})  # kinds that may name no software entity
_SPECIFIC = frozenset(
    """library language file function class variable command flag version error url issue commit application
    operating_system website key""".split()
)
EXPLAINING = frozenset({"cause", "failure", "fix"})  # kinds that explain a failure even where they are no lasting facts
_VERBLESS = frozenset({"change", "rule", "preference", "decision"})  # may be an order: "Never force-push to main"
_CONFIDENCE = {"user": 0.8, "commit": 0.8, "agent": 0.6}


_REPORTED = "property"  # what others decided or demand is a property of their work, and binds nobody here


def limit_kind(kind: str, origin: str) -> str:
    """Return the kind of a fact limited by its origin: third parties cannot create rules, preferences and
    decisions."""
    return _REPORTED if kind in BINDING and not may_bind(origin) else kind


class SourceText(NamedTuple):
    """One event with the text that its offsets refer to and the statements in it."""

    source: Source
    text: str
    said: Speaker
    chosen: list[Statement]
    others: list[Statement]  # sentences that no rule recognises
    silent: bool = False  # it states nothing
    corrections: tuple[
        tuple[int, int, str], ...
    ] = ()  # sentences that only correct a value: where they are, and their words


class Candidate(NamedTuple):
    """A statement that stands alone. `is_read`: it is worth a second look; `is_recognised`: the rules would keep it."""

    statement: Statement
    standing: SelfContained
    is_read: bool = False
    is_recognised: bool = True


def derive(sources: Sequence[Source]) -> list[dict[str, Any] | None]:
    """Return the bodies of the derivations, None if an event states nothing. spaCy runs once over what the batch
    needs."""
    pages = [_page(source) for source in sources]
    points = resolve_pronouns([(page.text, page.chosen) for page in pages])
    standing = [_self_contained(page, found) for page, found in zip(pages, points, strict=True)]
    whole = _are_sentences([candidate.standing.content for candidates in standing for candidate in candidates])
    bodies: list[dict[str, Any] | None] = []
    for page, candidates in zip(pages, standing, strict=True):
        if _explicit(page.source.event):
            bodies.append(_remembered(page))
            continue
        verdicts = [next(whole) for _ in candidates]
        kept = [
            c
            for c, (told, outside) in zip(candidates, verdicts, strict=True)
            if not (outside and page.said.speaker != "user") and (told or _is_verbless(c, page.said))
        ]
        bodies.append(_body(page, kept[:_MOST]))
    return bodies


def text_of(event: Event) -> str:
    """Return what the offsets of a fact refer to: the content of a turn or memory; subject, empty line and body of a
    commit. Typographic apostrophes are plain ones here ("I’m" is read like "I'm"), which keeps the offsets."""
    payload = event.payload
    if event.type == "commit_observed":
        text = f"{payload.get('subject', '')}\n\n{payload.get('body', '')}"
    else:
        text = str(payload.get("content") or "")
    return text.replace("\u2019", "'")


def _explicit(event: Event) -> bool:
    return event.type == "memory_remembered" and event.payload.get("kind", "fact") == "fact"


def _remembered(page: SourceText) -> dict[str, Any]:
    """Return the derivation of an explicit memory, which needs no extraction. If it is one sentence with a claim, it
    can supersede or contradict other facts."""
    claim = claim_of(page.text) if len(list(split_sentences(page.text))) == 1 else None
    event, node = page.source.event, page.source.node
    body = {"source": node, "label": "Fact", "project": event.project, "session": event.session, "facts": []}
    named = _files_named(
        extract_all([page.text], linguistic=False, generic=False)[0], {"cwd": event.payload.get("cwd")}
    )
    body |= {"explicit": node, "content": page.text, "origin": origin_of(event)}
    if revises := next(filter(None, (_revises(page.text[a:b]) for a, b in split_sentences(page.text))), ""):
        body["revises"] = revises
    return body | ({"files": named} if named else {}) | ({"claim": claim} if claim else {})


def _is_verbless(candidate: Candidate, said: Speaker) -> bool:
    """Return whether a statement states something without a subject and a finite verb: an order of a person, what was
    done, a labelled decision, or a claim in the words of a log."""
    statement = candidate.statement
    if statement.is_labelled:
        return statement.kind not in ("cause", "fix") or said.speaker == "user"
    if statement.revises or statement.kind == "change":
        return True
    claim = claim_of(candidate.standing.content)
    claimed = claim is not None and claim.predicate != SAYS and (said.speaker != "agent" or claim.value != "")
    return claimed or statement.kind in (_VERBLESS if said.speaker != "agent" else ("rule",))


def _page(source: Source) -> SourceText:
    event, payload = source.event, source.event.payload
    text = text_of(event)[:_LIMIT]
    commit = event.type == "commit_observed"
    speaker = "commit" if commit else "agent" if event.type == "agent_response" else "user"
    silent = (
        payload.get("role") == "system"
        or (payload.get("agent") and speaker == "user")  # an agent's order to another agent
        or _explicit(event)  # is one already
        or (commit and is_bot(str(payload.get("author") or "")))  # it quotes the release notes of other projects
        or cues.HOST_TEXT.match(text)
        or reasons_of(event)  # an order to the agent states nothing
    )
    chosen = [] if silent else list(find_statements(text, commit=commit, standing_orders=speaker == "user"))
    corrections = () if silent or speaker != "user" else tuple(find_ellipses(text))
    thoughts = thought_spans(text) if speaker == "agent" else []
    if not commit:
        pasted = pasted_spans(text) if speaker == "user" else thoughts
        chosen = [
            statement
            for statement in chosen
            if is_worth_keeping(statement, text[statement.start : statement.end], person=speaker == "user")
            and not any(begin <= statement.start < end for begin, end in pasted)
            and not any(begin <= statement.start < end for begin, end, _ in corrections)
        ]
    if commit:  # the commit itself says what its subject says, and which version of a dependency replaced which
        heading = len(str(payload.get("subject") or ""))
        chosen = [
            statement
            for statement in chosen
            if (statement.end > heading or statement.kind != "change")
            and not _DEPENDENCY_UPDATE.match(text[statement.start : statement.end])
        ]
    places = {statement.start for statement in chosen}
    if not commit:
        chosen = [one for one in chosen if judge_likely(Told(one, one.content, speaker, text))]
    agent = speaker == "agent" and not silent
    others = [
        statement
        for statement in (find_sentences(text) if agent else ())
        if statement.start not in places and not any(begin <= statement.start < end for begin, end in thoughts)
    ]
    return SourceText(
        source, text, Speaker(speaker, event.at, _name_of(payload)), chosen, others, bool(silent), corrections
    )


def _name_of(payload: Mapping[str, Any]) -> str:
    """Return the name of who speaks, where the source tells one: a chat does, a coding agent does not."""
    name = payload.get("speaker") or payload.get("name") or payload.get("author")
    return name if isinstance(name, str) and _NAME.fullmatch(name) else ""


def _self_contained(page: SourceText, points: dict[int, Any]) -> list[Candidate]:
    found: dict[frozenset[str], Candidate] = {}
    for number, statement in enumerate(page.chosen):
        standing = make_self_contained(statement, points.get(number, NOWHERE), page.said)
        if standing and (candidate := _judged(page, statement, standing, recognised=True)):
            found.setdefault(key_of(standing.content), candidate)
    for statement in page.others:
        standing = make_self_contained(statement, NOWHERE, page.said)
        if standing and (candidate := _judged(page, statement, standing, recognised=False)):
            found.setdefault(key_of(standing.content), candidate)
    return sorted(found.values(), key=lambda candidate: candidate.statement.start)


def _judged(page: SourceText, statement: Statement, standing: SelfContained, *, recognised: bool) -> Candidate | None:
    """Return a statement as a candidate, None if it is not worth keeping."""
    if page.said.speaker == "commit":
        return Candidate(statement, standing)
    told = Told(statement, standing.content, page.said.speaker, page.text)
    is_read, is_recognised = judge_alone(told, recognised=recognised), recognised and judge_recognised(told)
    return Candidate(statement, standing, is_read, is_recognised) if is_read or is_recognised else None


def _are_sentences(contents: list[str]) -> Iterator[tuple[bool, bool]]:
    """Return, for each text, whether it says something of a subject, and whether it points at something outside of it. All say
    something where no tagger is installed; Korean ones tell by their ending."""
    known = {c: (bool(cues.KOREAN_VERB.search(c)), False) for c in contents if cues.HANGUL.search(c)}
    open_ = [content for content in dict.fromkeys(contents) if content not in known]
    tagged = (
        pipeline.run_pipeline(
            map(taggable, open_), lambda doc: [Tag(token.text, token.tag_) for token in doc], without=["ner"]
        )
        if open_
        else []
    )
    for content, tags in zip(open_, tagged if tagged is not None else [[]] * len(open_), strict=True):
        known[content] = is_sentence(content, tags), points_outside(tags)
    return iter([known[content] for content in contents])


_TIME = compile_later(
    r"\b\d{1,2}:\d\d\b|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*\b|\d{4}-\d\d|\w+day\b|\d+[월일시]"
    r"|\b\d{1,2} ?[ap]m\b",
    re.I,
)
_NAME = compile_later(r"[^\W\d_][\w'.-]{0,30}(?: [^\W\d_][\w'.-]{0,30}){0,2}")
_ROLE = compile_later(
    r"^(?:owner|maintainer)$|\b(?:owner|lead|maintainer|reviewer|contact|manager|head|chair|c[etf]o)$|담당자|팀장|대표|책임자|리뷰어",
    re.I,
)
_STOP = frozenset(
    "a an the of to in on at for and or is are was were be been by with as that now has have had it".split()
)


def key_of(content: str) -> frozenset[str]:
    """Return the words that make a fact the same as another one, whatever their order and endings."""
    words = (word.strip("`'\".,;:!?()[]*").lower() for word in content.split())
    return frozenset(_stem(word) for word in words if word and word not in _STOP)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _body(page: SourceText, kept: list[Candidate]) -> dict[str, Any] | None:
    event, source = page.source.event, page.source
    named = extract_all([c.standing.content for c in kept], linguistic=False, generic=False) if kept else []
    facts, explains = [], []
    for candidate, mentions in zip(kept, named, strict=True):
        kind, content = _kept_kind(page, candidate, mentions), candidate.standing.content
        if kind and _endures(page, candidate, kind, mentions):
            statement = candidate.statement._replace(kind=kind)
            facts.append(_fact(page, candidate._replace(statement=statement), mentions))
        elif kind in EXPLAINING:
            explains.append({"kind": kind, "content": content})
    facts += [_correction(page, *correction) for correction in page.corrections]
    stated = [] if page.silent else find_stated(event, page.text)
    if not facts and not stated and not explains:
        return None
    body = {"source": source.node, "label": source.label, "project": event.project, "session": event.session,
            "facts": facts}  # fmt: skip
    body |= {"explains": explains} if explains else {}
    return body | ({"stated": stated, "origin": origin_of(event)} if stated else {})


def _correction(page: SourceText, start: int, end: int, words: str) -> dict[str, Any]:
    """Return a correction that says nothing until `amendments` finds what it corrects."""
    statement = Statement(start, end, words, "property")
    fact = _fact(
        page, Candidate(statement, SelfContained(words, None)), extract_all([words], linguistic=False, generic=False)[0]
    )
    return {name: part for name, part in fact.items() if name != "revises"} | {
        "claim": Claim("", CORRECTION, words, changed=True)
    }


def _endures(page: SourceText, candidate: Candidate, kind: str, mentions: list[EntityMention]) -> bool:
    claim, statement = claim_of(candidate.standing.content), candidate.statement
    claimed = claim is not None and claim.predicate != SAYS
    told = {
        "labelled": statement.is_labelled,
        "revises": bool(statement.revises),
        "read": candidate.is_read,
        "recognised": candidate.is_recognised,
        "claimed": claimed,
        "value": claimed and is_value(claim),
        "kept": True,
    }
    marks = frozenset(mark for mark, holds in told.items() if holds)
    kept = Kept(statement, kind, candidate.standing.content, page.text, told["value"], marks)
    return endures(kept, page.said.speaker, mentions)


def _kept_kind(page: SourceText, candidate: Candidate, mentions: list[EntityMention]) -> str:
    """Return the kind under which a statement is worth keeping, "" if it is not."""
    statement, content, speaker = candidate.statement, candidate.standing.content, page.said.speaker
    told = Told(statement, content, speaker, page.text)
    if speaker == "agent" and is_passing(content):
        return ""
    if candidate.is_read:
        kind = told_kind(statement.kind, content)
        whole = is_long(page.text) or not is_fragment(content, kind)
        if whole and judge_again(told._replace(statement=statement._replace(kind=kind)), mentions):
            return kind
    if not candidate.is_recognised or not (
        statement.kind in _NAMING
        or statement.revises
        or any(m.type in _SPECIFIC for m in mentions)
        or _is_claimed(page, candidate)
    ):
        return ""
    if not judge_recognised_again(told, mentions):
        return ""
    return _lasting_kind(page, candidate, mentions)


def _lasting_kind(page: SourceText, candidate: Candidate, mentions: list[EntityMention]) -> str:
    statement, content = candidate.statement, candidate.standing.content
    if (statement.is_labelled and not (page.said.speaker == "agent" and is_fragment(content, statement.kind))) or (
        statement.revises and page.said.speaker != "agent"
    ):
        return statement.kind
    if page.said.speaker == "user" and len(page.text) <= _BRIEF and states_value(content):
        return statement.kind
    raw = page.text[statement.start : statement.end]
    return lasting_kind(statement.kind, content, page.said.speaker, mentions, claim_of(content), page.text, raw)


def _is_claimed(page: SourceText, candidate: Candidate) -> bool:
    """Return whether a statement claims a value; what is merely said counts where a person says it, or with a
    measure."""
    claim = claim_of(candidate.standing.content)
    by_person = page.said.speaker == "user"
    content = candidate.standing.content
    if claim is None:
        return by_person and len(page.text) <= _BRIEF and (gives_exact_value(content) or states_value(content))
    return claim.predicate != SAYS or by_person or is_measured(claim.value)


def _fact(page: SourceText, candidate: Candidate, mentions: list[EntityMention]) -> dict[str, Any]:
    statement, standing, event = candidate.statement, candidate.standing, page.source.event
    content, origin = standing.content, origin_of(event)
    kind = limit_kind(statement.kind, origin)
    if kind == "failure" and not cues.KIND_CUES[kind].search(content):
        kind = kind_of(content) or "property"  # what failed is in a part that was left out
    if page.said.speaker == "commit" and cues.COMMIT_VERB.match(content):
        content = to_past_tense(content)
        kind = "fix" if cues.FIX_VERB.match(content) else "change" if kind == "property" else kind
    digest = hashlib.sha256(f"{event.id}:{statement.start}:{content}".encode()).hexdigest()[:16]
    touched = [file["path"] for file in event.payload.get("files", ()) if isinstance(file, dict)]
    files = [path for path in touched if path in content or path.rpartition("/")[2] in content][:20]
    fact: dict[str, Any] = {
        "id": f"fact:{digest}",
        "kind": kind,
        "content": content,
        "start": statement.start,
        "end": statement.end,
        "confidence": _CONFIDENCE[page.said.speaker] if kind != "property" else 0.5,
        "speaker": page.said.speaker,
        "origin": origin,
        "outcome": classify_outcome(kind, content),
        "intent": _intent(page, kind),
        **_named(mentions),
        "files": files or _files_named(mentions, event.payload),
    }
    claim = claim_of(content)
    revises = statement.revises or (_revises(content) if page.said.speaker == "user" or statement.is_labelled else "")
    if revises and not reasons_of(event) and may_bind(origin):
        fact["revises"] = revises
    if claim and _ROLE.search(claim.predicate) and (person := _as_written(claim.value, content)):
        fact["persons"] = list(dict.fromkeys([*fact["persons"], person]))
    if claim and (_TIME.search(claim.value) or claim_clause(content)):
        standing = standing._replace(
            valid=None
        )  # a time that is claimed, or in another clause, is not since when it holds
    claimed = noun_phrase(as_written(claim.subject, content)) if claim and claim.subject else ""
    if subject := claimed or subject_of(content, fact):
        fact["subject"] = subject
    return (
        fact | ({"valid": standing.valid} if standing.valid is not None else {}) | ({"claim": claim} if claim else {})
    )


def _revises(content: str) -> str:
    """Return how a sentence of a person, or a labelled decision, revises what was said earlier; "" if it does not."""
    claim = claim_of(content)
    reported = claim is not None and claim.reported and not tells_of_change(content)  # its source may be the older one
    return revision_by_person(content) or (REPLACES if not reported and read_replacing(content) else "")


def _as_written(value: str, content: str) -> str:
    """Return the name of a person that a claim gives in lower case, as the fact spells it; "" where it is no name."""
    match = re.search(rf"(?<!\w){re.escape(value)}", content, re.I)
    name = match[0] if match else ""
    return name if _NAME.fullmatch(name) and (cues.HANGUL.search(name) or name.istitle()) else ""


def _files_named(mentions: list[EntityMention], payload: Mapping[str, Any]) -> list[str]:
    """Return the files that a fact names, relative to the project; else those that its source says it is about."""
    named = [relative_path(m.text.strip("`'\""), str(payload.get("cwd") or "")) for m in mentions if m.type == "file"]
    told = [str(path) for path in payload.get("files", ()) if isinstance(path, str)]
    return list(dict.fromkeys(path for path in named if is_file_path(path)))[:20] or told


def named_entities(content: str) -> dict[str, Any]:
    """Return the entities and persons that a fact names."""
    return _named(extract_all([content], linguistic=False, generic=False)[0])


def _named(mentions: list[EntityMention]) -> dict[str, Any]:
    found = dict.fromkeys((m.type, m.text.strip("`'\"")) for m in mentions if m.type not in ("date", "value"))
    return {
        "entities": [list(entity) for entity in found if entity[0] != "person"][:20],
        "persons": [name for type_, name in found if type_ == "person"],
    }


def classify_outcome(kind: str, content: str) -> str:
    """Return success, failure, partial or unknown: what was done succeeded; otherwise as the words say."""
    if kind in ("decision", "preference", "rule", "property"):
        return "unknown"
    if cues.PARTIAL.search(content):
        return "partial"
    if kind in ("change", "fix"):
        return "success"
    if kind == "failure" or cues.FAILURE.search(content):
        return "failure"
    return "success" if cues.SUCCESS.search(content) else "unknown"


def _intent(page: SourceText, kind: str) -> str:
    subject = str(page.source.event.payload.get("subject") or "")
    commit = cues.COMMIT_INTENTS.get(subject.partition(":")[0].partition("(")[0].lower())
    return commit or cues.INTENTS[kind]
