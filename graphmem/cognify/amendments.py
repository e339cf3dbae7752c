"""Resolves corrections without a subject to the statement they correct: "No, that is wrong: 45 seconds" corrects the
last claim of its thread with such a value, "make it 30 instead of 60" the last statement with that value, "scrap that
rule" the last rule. The result is a new fact: the corrected statement with the new value. A correction without a target
makes no fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.cognify.claims import CORRECTION, Claim, claim_of
from graphmem.cognify.packed_entries import Entry
from graphmem.patterns import compile_later
from graphmem.text.typed_values import find_values

_BACK = 5  # statements of the thread that a correction may reach over
_RULES = frozenset({"decision", "rule", "preference"})
_HANGUL = compile_later(r"[가-힣]")


class Amendment(NamedTuple):
    """A correction that found its target: the fact as it is to be projected, the entry it was derived in, and the id of
    the statement that it ends, "" where the claims of both are compared."""

    fact: dict[str, Any]
    entry: Entry
    older: str = ""


class _Statement(NamedTuple):
    fact: str
    content: str
    claim: Claim | None
    is_rule: bool


def is_correction(fact: dict[str, Any]) -> bool:
    """Return whether a derived fact only corrects another one."""
    claim = fact.get("claim")
    return claim is not None and claim[1] == CORRECTION


def resolve_corrections(entries: Iterable[Entry]) -> Iterator[Amendment]:
    """Yield the corrections among the entries of one thread, in order, that have a statement to correct."""
    statements: list[_Statement] = []
    for entry in entries:
        for fact in entry.body["facts"]:
            claim = Claim(*fact["claim"]) if fact.get("claim") else None
            statement = _Statement(fact["id"], fact["content"], claim, fact.get("kind") in _RULES)
            if claim and claim.predicate == CORRECTION:
                resolved = _apply_correction(statement, claim, statements[-_BACK:])
                if resolved is None:
                    continue
                statement, older = resolved
                yield Amendment(_amended_fact(fact, statement), entry, older)
            if statement.claim or statement.is_rule:
                statements.append(statement)


def _amended_fact(fact: dict[str, Any], statement: _Statement) -> dict[str, Any]:
    amended = {name: value for name, value in fact.items() if name != "claim"} | {"content": statement.content}
    if statement.claim is None:
        return amended
    return amended | {"claim": list(statement.claim), "subject": statement.claim.subject or fact.get("subject", "")}


def _apply_correction(statement: _Statement, claim: Claim, earlier: list[_Statement]) -> tuple[_Statement, str] | None:
    """Return the corrected statement, and the id of the one that it ends without a claim to compare."""
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
            return statement._replace(content=content, claim=new), ""
        made = claim_of(content)
        return statement._replace(content=content, claim=made and made._replace(changed=True), is_rule=True), old.fact
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


def _withdraw_rule(statement: _Statement, rest: str, earlier: list[_Statement]) -> tuple[_Statement, str] | None:
    """Return the statement that ends the last rule, and the id of that rule. `rest` is the new rule, or ""."""
    rule = next((old for old in reversed(earlier) if old.is_rule), None)
    if rule is None:
        return None
    if rest:
        content = f"{rest[:1].upper()}{rest[1:]}."
    else:
        content = f"{'취소됨' if _HANGUL.search(rule.content) else 'No longer holds'}: {rule.content}"
    return statement._replace(content=content, claim=None, is_rule=bool(rest)), rule.fact


def _value_shape(value: str) -> tuple[bool, bool]:
    """Return the shape of a value: whether it contains a digit, and whether a slash (an address or path)."""
    return bool(re.search(r"\d", value)), "/" in value
