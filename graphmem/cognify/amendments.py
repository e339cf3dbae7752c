"""What a correction without a subject is about: "No, that is wrong: 45 seconds" corrects the last claim of its thread that
had such a value, "make it 30 instead of 60" the last statement with that value, "scrap that rule" the last rule. The
correction becomes a fact of its own in the words of what it corrects; one that fits no earlier statement makes none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from graphmem.cognify.claims import CORRECTION, Claim, claim_of
from graphmem.cognify.packed_entries import Entry

_BACK = 5  # statements of the thread that a correction may reach over
_RULES = frozenset({"decision", "rule", "preference"})
_HANGUL = re.compile(r"[가-힣]")


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
    """Whether a derived fact only corrects another one."""
    claim = fact.get("claim")
    return claim is not None and claim[1] == CORRECTION


def resolve_corrections(entries: Iterable[Entry]) -> Iterator[Amendment]:
    """Yield the corrections among the entries of one thread, in order, that have a statement to correct."""
    said: list[_Statement] = []
    for entry in entries:
        for fact in entry.body["facts"]:
            claim = Claim(*fact["claim"]) if fact.get("claim") else None
            one = _Statement(fact["id"], fact["content"], claim, fact.get("kind") in _RULES)
            if claim and claim.predicate == CORRECTION:
                found = _correct(one, claim, said[-_BACK:])
                if found is None:
                    continue
                one, older = found
                yield Amendment(_amended_fact(fact, one), entry, older)
            if one.claim or one.is_rule:
                said.append(one)


def _amended_fact(fact: dict[str, Any], one: _Statement) -> dict[str, Any]:
    plain = {name: value for name, value in fact.items() if name != "claim"}
    if one.claim is None:
        return plain | {"content": one.content}
    return plain | {
        "content": one.content,
        "claim": list(one.claim),
        "subject": one.claim.subject or fact.get("subject", ""),
    }


def _correct(one: _Statement, claim: Claim, said: list[_Statement]) -> tuple[_Statement, str] | None:
    """Return the corrected statement, and the id of the one that it ends without a claim to compare."""
    if not claim.holds:
        return _taken_back(one, claim.value, said)
    for old in reversed(said):
        former = claim.former or (old.claim.value if old.claim and old.claim.holds else "")
        if not former or former == claim.value or (not claim.former and _shape(former) != _shape(claim.value)):
            continue
        place = re.search(
            rf"(?<![\w.]){re.escape(former)}(?![\w.]*\w)" if claim.former else re.escape(former), old.content, re.I
        )
        if place is None:
            continue
        spelt = re.search(re.escape(claim.value), one.content, re.I)
        words = old.content[: place.start()] + (spelt[0] if spelt else claim.value) + old.content[place.end() :]
        if old.claim and old.claim.value == former:
            new = old.claim._replace(value=claim.value, former=former, changed=True, reported=False)
            return one._replace(content=words, claim=new), ""
        made = claim_of(words)
        return one._replace(content=words, claim=made and made._replace(changed=True), is_rule=True), old.fact
    return None


def _taken_back(one: _Statement, rest: str, said: list[_Statement]) -> tuple[_Statement, str] | None:
    old = next((old for old in reversed(said) if old.is_rule), None)
    if old is None:
        return None
    korean = bool(_HANGUL.search(old.content))
    words = f"{rest[:1].upper()}{rest[1:]}." if rest else f"{'취소됨' if korean else 'No longer holds'}: {old.content}"
    return one._replace(content=words, claim=None, is_rule=bool(rest)), old.fact


def _shape(value: str) -> tuple[bool, bool]:
    """What kind of value it is: with a number or without, an address or not."""
    return bool(re.search(r"\d", value)), "/" in value
