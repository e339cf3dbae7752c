"""Decides with the classifier which statements become facts. What a rule recognises needs less worth than what no rule does;
what somebody settles or claims in a few words needs none, since nobody says it without a purpose. The long texts of agents
are mostly narration: there the classifier alone decides."""

from __future__ import annotations

from typing import NamedTuple

from graphmem.cognify.assertions import is_measured
from graphmem.cognify.claims import SAYS, claim_of
from graphmem.cognify.classifier import UNIT, worth_of
from graphmem.cognify.features import Read
from graphmem.cognify.statements import Statement

BINDING = frozenset({"decision", "preference", "rule"})
_MENDING = frozenset({"fix", "cause"})
_BRIEF = 300  # characters of a turn that says little else
_ALONE = round(0.4 * UNIT)  # least worth of any sentence in a longer text of an agent
_RECOGNISED = round(0.2 * UNIT)  # of what a rule recognises in a longer text of a person
_RECOGNISED_BRIEF = {"user": round(0.08 * UNIT), "agent": round(0.2 * UNIT)}
_LIKELY = round(0.2 * UNIT)  # before its pronouns are resolved, which takes most of all time
_SETTLED = round(0.15 * UNIT)  # of what a person settles in a longer text, which may be pasted


class Told(NamedTuple):
    """A statement, `content` in words that stand alone, who says it ("user" or "agent"), and the text it is said in."""

    statement: Statement
    content: str
    speaker: str
    text: str


def judge_alone(told: Told) -> bool:
    """Return whether a sentence is worth keeping whatever the rules say about it."""
    return told.speaker == "agent" and not _is_brief(told) and _worth(told) >= _ALONE


def judge_likely(told: Told) -> bool:
    """Return whether a statement, as it was said, can be worth keeping once its pronouns are resolved."""
    return told.speaker != "agent" or _is_brief(told) or _worth(told) >= _LIKELY


def judge_recognised(told: Told) -> bool:
    """Return whether a statement that a rule recognises is worth keeping, too, where `judge_alone` did not take it."""
    if _is_brief(told):
        return _is_settled(told) or _worth(told) >= _RECOGNISED_BRIEF[told.speaker]
    if told.speaker == "agent":
        return False
    return _worth(told) >= (_SETTLED if _is_settled(told) else _RECOGNISED)


def _is_brief(told: Told) -> bool:
    return len(told.text) <= _BRIEF


def _worth(told: Told) -> int:
    statement = told.statement
    return worth_of(Read(told.content, statement.kind, told.speaker, told.text, statement.start, statement.end))


def _is_settled(told: Told) -> bool:
    """Return whether a person decides, orders, amends or claims something, or an agent says what it mended or a value."""
    statement, by_person = told.statement, told.speaker == "user"
    if statement.is_labelled or statement.revises or statement.kind in (BINDING if by_person else _MENDING):
        return True
    claim = claim_of(told.content)
    if claim is None:
        return False
    meant = by_person and (_is_brief(told) or claim.changed or claim.reported)
    return claim.predicate != SAYS or meant or is_measured(claim.value)
