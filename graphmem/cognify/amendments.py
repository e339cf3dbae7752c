"""Resolves corrections without a subject to the statement they correct: "No, that is wrong: 45 seconds" corrects the
last claim of its thread with such a value, "make it 30 instead of 60" the last statement with that value, "scrap that
rule" the last rule. The result is a new fact: the corrected statement with the new value. A correction without a target
makes no fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.claims import CORRECTION, Claim, claim_of
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.stated import is_unmade, read_stated
from graphmem.cognify.statements import find_statements
from graphmem.patterns import compile_later
from graphmem.text.ellipses import Completed, Ellipsis, complete, is_distinct, read_ellipsis, without_contrast
from graphmem.text.exact_spans import find_spans
from graphmem.text.topics import topic_words
from graphmem.text.typed_values import find_values

_BACK = 5  # statements of the thread that a correction may reach over
_BACK_NAMED = 60  # the same, for one that names the value that it replaces
_SHARED = 2  # words of a statement that an agent's repetition of it has
_RULES = frozenset({"decision", "rule", "preference"})
_DATED = compile_later(r" \(\d{4}-\d\d-\d\d[^)]{0,24}\)")  # the date that was added to a relative time
_COPULA = compile_later(r"(?<=[A-Za-z0-9]) ?이$")  # of "develop이야"
_LETS = compile_later(r"^let's ", re.I)
_HANGUL = compile_later(r"[가-힣]")


class Amendment(NamedTuple):
    """A correction that found its target: the fact as it is to be projected, the entry it was derived in, and the ids of
    the statements that it ends, none where the claims of both are compared."""

    fact: dict[str, Any]
    entry: Entry
    older: tuple[str, ...] = ()


class _Statement(NamedTuple):
    fact: str
    content: str
    claim: Claim | None
    is_rule: bool
    made: dict[str, Any] | None = None  # the fact that was made of it
    by_agent: bool = False


def is_correction(fact: dict[str, Any]) -> bool:
    """Return whether a derived fact only corrects another one."""
    claim = fact.get("claim")
    return claim is not None and claim[1] == CORRECTION


def resolve_corrections(entries: Iterable[Entry], before: Iterable[Entry] = ()) -> Iterator[Amendment]:
    """Yield the corrections among the entries of one thread, in order, that have a statement to correct. One that names the value
    that it replaces may correct what a person stated in the sessions `before`."""
    statements: list[_Statement] = []
    earlier = [one for entry in before for one in _statements(entry)]
    heard: set[tuple[str, str, str]] = set()  # values that an agent told in this thread: the correction is of those
    for entry in entries:
        for statement in _statements(entry):
            fact = statement.made
            if fact and statement.claim and statement.claim.predicate == CORRECTION:
                resolved = _resolved(
                    statement, statement.claim, statements, [] if heard & _values(statement.content) else earlier
                )
                if resolved is None:
                    continue
                statement, older = resolved
                yield Amendment(_amended_fact(fact, statement), entry, older)
            statements.append(statement)
        for one in read_stated(entry.body, entry.body["source"]):
            heard |= _values(one.text) if one.by_agent else set()


def _values(text: str) -> set[tuple[str, str, str]]:
    return {(span.kind, span.key, span.unit) for span in find_spans(text)}


def reaches_back(entry: Entry) -> bool:
    """Return whether an entry has a correction that may be of what was stated in an earlier session."""
    corrections = (fact["content"] for fact in entry.body["facts"] if is_correction(fact))
    return any(ellipsis and is_distinct(ellipsis.former) for ellipsis in map(read_ellipsis, corrections))


def with_amendments(entries: Iterable[Entry], amendments: Iterable[Amendment]) -> list[Entry]:
    """Return the entries of a thread as if each correction had said the whole of what it means, so that it is compared with what
    others said."""
    amended = {amendment.fact["id"]: amendment.fact for amendment in amendments}
    return [_with_amended(entry, amended) for entry in entries] if amended else list(entries)


def _with_amended(entry: Entry, amended: dict[str, dict[str, Any]]) -> Entry:
    told = [amended[fact["id"]] for fact in entry.body["facts"] if fact["id"] in amended]
    if not told:
        return entry
    places = [(fact["start"], fact["end"]) for fact in told]
    stated = [one for one in entry.body.get("stated", ()) if not any(a < one[1] and one[0] < b for a, b in places)]
    stated += [[fact["start"], fact["end"], fact["content"]] for fact in told]
    facts = [amended.get(fact["id"], fact) for fact in entry.body["facts"]]
    return entry._replace(body=entry.body | {"facts": facts, "stated": sorted(stated)})


def _statements(entry: Entry) -> Iterator[_Statement]:
    """Yield what an entry states: its facts, and what a person said of which none was made."""
    body = entry.body
    for fact in body["facts"]:
        claim = Claim(*fact["claim"]) if fact.get("claim") else None
        by_agent = fact.get("speaker") == "agent"
        yield _Statement(fact["id"], fact["content"], claim, fact.get("kind") in _RULES, fact, by_agent)
    for one in read_stated(body, body["source"]):
        if is_unmade(one.id) and not one.by_agent:
            yield _Statement(one.id, one.text, claim_of(one.text), is_rule=False)


def _amended_fact(fact: dict[str, Any], statement: _Statement) -> dict[str, Any]:
    amended = {name: value for name, value in fact.items() if name != "claim"} | {"content": statement.content}
    if statement.made and statement.made is not fact:  # what it completes tells what it is about
        told = [*statement.made.get("entities", ()), *fact.get("entities", ())]
        persons = [*statement.made.get("persons", ()), *fact.get("persons", ())]
        amended |= {
            name: statement.made[name] for name in ("kind", "intent", "subject", "files") if name in statement.made
        }
        amended["entities"] = [entity for entity in told if entity[1] in statement.content]
        amended["persons"] = [name for name in dict.fromkeys(persons) if name in statement.content]
    if statement.claim is None:
        return amended
    return amended | {"claim": list(statement.claim), "subject": statement.claim.subject or amended.get("subject", "")}


def _resolved(
    statement: _Statement, claim: Claim, statements: list[_Statement], earlier: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return the statement that a correction makes, and the ids of those that it ends, none where their claims are compared."""
    if claim.holds and (ellipsis := read_ellipsis(statement.content)):
        return _complete(statement, ellipsis, statements, earlier)
    return _apply_correction(
        statement, claim, [one for one in statements if one.made and (one.claim or one.is_rule)][-_BACK:]
    )


def _complete(
    statement: _Statement, ellipsis: Ellipsis, statements: list[_Statement], earlier: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return the last statement that has such a value, with the new one. What an agent said last may repeat a person's words, which
    then are the ones that count."""
    by_agent: tuple[_Statement, Completed] | None = None
    for old in reversed(statements[-(_BACK_NAMED if ellipsis.former else _BACK) :]):
        completed = _put_into(old, ellipsis)
        if completed is None:
            continue
        if not completed.text:
            return None
        if not old.by_agent:
            return _completed(statement, old, completed, statements)
        if by_agent is None:
            by_agent, ellipsis = (old, completed), ellipsis._replace(former=completed.former)
    if by_agent:
        return _completed(statement, *by_agent, [])
    return _complete_earlier(statement, ellipsis, earlier) or _standing_alone(statement, ellipsis)


def _put_into(old: _Statement, ellipsis: Ellipsis) -> Completed | None:
    return complete(ellipsis, _DATED.sub("", old.content), _value_of(old))


def _complete_earlier(
    statement: _Statement, ellipsis: Ellipsis, earlier: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return the only thing stated in an earlier session that has the value that a correction names, with the new one."""
    if not is_distinct(ellipsis.former):
        return None
    told = (old for old in earlier if not old.by_agent)
    found = [(old, completed) for old in told if (completed := _put_into(old, ellipsis))]
    if len({" ".join(completed.text.lower().split()) for _, completed in found}) != 1 or not found[-1][1].text:
        return None
    return _completed(statement, *found[-1], earlier)


def _standing_alone(statement: _Statement, ellipsis: Ellipsis) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return a correction that says what it is about, as a statement of its own."""
    content = without_contrast(statement.content)
    told = next(find_statements(content, standing_orders=True), None) if ellipsis.lead and ellipsis.former else None
    if told is None:
        return None
    made = (statement.made or {}) | {"kind": told.kind}
    return statement._replace(content=content, claim=claim_of(content), is_rule=told.kind in _RULES, made=made), ()


def _value_of(old: _Statement) -> str:
    """Return the value that a statement claims, without the ending of a Korean copula."""
    return _COPULA.sub("", old.claim.value) if old.claim and old.claim.holds else ""


def _completed(
    statement: _Statement, old: _Statement, completed: Completed, near: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]]:
    kind, text = _kind_of(old, completed.text), _LETS.sub("The team decided to ", completed.text)
    claim = claim_of(text)
    claim = claim and claim._replace(changed=True)
    made = (old.made or {}) | {"kind": kind}
    return statement._replace(content=text, claim=claim, is_rule=kind in _RULES, made=made), (
        old.fact,
        *_repeated(old, completed.former, near),
    )


def _repeated(old: _Statement, value: str, near: list[_Statement]) -> Iterator[str]:
    """Yield what agents said of the same thing with the same value."""
    words, values = topic_words(old.content) - topic_words(value), _values(value)
    for one in near:
        if not one.by_agent or one.fact == old.fact or values.isdisjoint(_values(one.content)):
            continue
        if len(words & topic_words(one.content)) >= min(_SHARED, len(words)):
            yield one.fact


def _kind_of(old: _Statement, content: str) -> str:
    """Return the kind of fact that a completed statement is: that of the earlier one. One that was not worth a fact is a value that
    a person cares for, after all."""
    if old.made:
        return str(old.made["kind"])
    return "decision" if _LETS.match(content) else "rule" if cues.STANDING_ORDER.search(content) else "property"


def _apply_correction(
    statement: _Statement, claim: Claim, earlier: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return the corrected statement, and the ids of those that it ends without a claim to compare."""
    if not claim.holds:
        return _withdraw_rule(statement, claim.value, earlier)
    for old in reversed(earlier):
        former = (
            claim.former or _same_kind(claim.value, old) or (old.claim.value if old.claim and old.claim.holds else "")
        )
        if not former or former == claim.value:
            continue
        if not claim.former and _value_shape(former) != _value_shape(claim.value):
            continue
        pattern = rf"(?<![\w.]){re.escape(former)}(?![\w.]*\w)" if claim.former else re.escape(former)
        replaced = re.search(pattern, old.content, re.I)
        if replaced is None:
            continue
        begin, end = _whole_path(old.content, *replaced.span()) if "/" in claim.value else replaced.span()
        original = re.search(re.escape(claim.value), statement.content, re.I)  # as the person wrote it
        content = old.content[:begin] + (original[0] if original else claim.value) + old.content[end:]
        if old.claim and old.claim.value == former:
            new = old.claim._replace(value=claim.value, former=former, changed=True, reported=False)
            return statement._replace(content=content, claim=new), ()
        made = claim_of(content)
        return statement._replace(content=content, claim=made and made._replace(changed=True), is_rule=True), (
            old.fact,
        )
    return None


def _same_kind(value: str, old: _Statement) -> str:
    """Return the value of an earlier statement that has the kind of this one ("seven brokers": "five brokers"), "" if none or
    several have."""
    kinds = {one.kind for one in find_values(value) if one.kind.startswith("number of")}
    found = [one.raw for one in find_values(old.content) if one.kind in kinds]
    return found[0] if len(found) == 1 else ""


def _whole_path(content: str, begin: int, end: int) -> tuple[int, int]:
    """Return the place of the whole path or address that a part of it stands in."""
    while begin and re.match(r"[\w./:-]", content[begin - 1]):
        begin -= 1
    tail = re.match(r"[\w./:-]*[\w/]|", content[end:])
    return begin, end + (tail.end() if tail else 0)


def _withdraw_rule(
    statement: _Statement, rest: str, earlier: list[_Statement]
) -> tuple[_Statement, tuple[str, ...]] | None:
    """Return the statement that ends the last rule, and the id of that rule in a tuple. `rest` is the new rule, or ""."""
    rule = next((old for old in reversed(earlier) if old.is_rule), None)
    if rule is None:
        return None
    if rest:
        content = f"{rest[:1].upper()}{rest[1:]}."
    else:
        content = f"{'취소됨' if _HANGUL.search(rule.content) else 'No longer holds'}: {rule.content}"
    return statement._replace(content=content, claim=None, is_rule=bool(rest)), (rule.fact,)


def _value_shape(value: str) -> tuple[bool, bool]:
    """Return the shape of a value: whether it contains a digit, and whether a slash (an address or path)."""
    return bool(re.search(r"\d", value)), "/" in value
