"""Decides with the classifier which statements become facts. What a rule recognises needs less worth than what no rule does;
what somebody settles or claims in a few words needs none, since nobody says it without a purpose. The texts of agents are
mostly narration: there the classifier decides, twice (`second_look`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphmem.cognify.assertions import is_measured
from graphmem.cognify.claims import SAYS, claim_of
from graphmem.cognify.classifier import UNIT, worth_of
from graphmem.cognify.cues import PLAN
from graphmem.cognify.features import Read
from graphmem.cognify.orders import is_for_now, is_order_at_hand, is_task
from graphmem.cognify.person_look import Grounds as PersonGrounds
from graphmem.cognify.person_look import is_plain_sentence, look_at_person
from graphmem.cognify.second_look import Grounds, has_look, is_long, look_again
from graphmem.cognify.statements import Statement
from graphmem.model.text import EntityMention
from graphmem.text.replacements import read_replacing
from graphmem.text.restating import states_value
from graphmem.text.revising import AMENDS, REPLACES
from graphmem.text.typed_values import gives_exact_value

BINDING = frozenset({"decision", "preference", "rule"})
_MENDING = frozenset({"fix", "cause"})
_STATE = "state"  # the predicate of "X is active"
_BRIEF = 300  # characters of a turn that says little else
_ALONE = round(0.36 * UNIT)  # least worth of any sentence in a longer text of an agent
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


def judge_alone(told: Told, *, recognised: bool) -> bool:
    """Return whether a sentence of an agent is worth a second look, whatever the rules say about it; in a short text, only
    one that a rule recognises."""
    if told.speaker != "agent":
        return False
    if not is_long(told.text) and has_look(told.content, told.text):
        worth = _worth(told) if recognised else None
        return worth is not None and worth >= _LIKELY
    worth = None if _is_brief(told) else _worth(told)
    return worth is not None and worth >= _ALONE


def judge_likely(told: Told) -> bool:
    """Return whether a statement, as it was said, can be worth keeping once its pronouns are resolved."""
    if told.speaker != "agent" or _is_brief(told):
        return True
    worth = _worth(told)
    return worth is None or worth >= _LIKELY


def judge_recognised(told: Told) -> bool:
    """Return whether a statement that a rule recognises is worth keeping, too, where `judge_alone` did not take it."""
    if told.speaker == "user" and (_is_for_now(told) or not _is_meant(told)):
        return False
    worth = _worth(told)
    if worth is None:  # no model: the rules alone decide
        return True
    if _is_brief(told):
        return (
            _is_settled(told)
            or (told.speaker == "user" and states_value(told.content))
            or worth >= _RECOGNISED_BRIEF[told.speaker]
        )
    if told.speaker == "agent":
        return False
    return worth >= (_SETTLED if _is_settled(told) else _RECOGNISED)


def judge_again(told: Told, mentions: Sequence[EntityMention]) -> bool:
    """Return whether what `judge_alone` took is still worth keeping, now that the entities it names are known."""
    return look_again(_read(told), mentions)


def judge_recognised_again(told: Told, mentions: Sequence[EntityMention]) -> bool:
    """Return whether what `judge_recognised` took is still worth keeping, now that the entities it names are known."""
    if told.speaker != "agent":
        return True
    binding = told.statement.kind in BINDING or told.statement.kind == "change"
    grounds = Grounds.SETTLED if binding or _is_definite(told) else Grounds.RULES
    return look_again(_read(told), mentions, grounds)


def _is_brief(told: Told) -> bool:
    return len(told.text) <= _BRIEF


def _is_for_now(told: Told) -> bool:
    statement = told.statement
    raw = told.text[statement.start : statement.end]
    if statement.is_labelled:
        return False
    if statement.revises == AMENDS and is_task(raw) and ":" not in raw and not gives_exact_value(raw):
        return True  # "please update the rule so that it has a description"
    if statement.revises != REPLACES:
        is_settled = bool(statement.revises)
    elif PLAN.match(raw) or (is_task(raw) and not gives_exact_value(raw)):  # "change the test to use X instead of Y"
        return True
    else:
        replacing = read_replacing(raw)
        is_settled = replacing is not None and bool(replacing.former)  # "Kong is gone" tells more than a state
    return is_order_at_hand(raw) if is_settled else is_for_now(told.content, raw, statement.kind, told.text)


def _is_meant(told: Told) -> bool:
    """Return whether a person's statement is worth keeping by the model of what persons say."""
    claim = claim_of(told.content)
    if told.statement.is_labelled or (claim is not None and claim.predicate != SAYS):
        return True
    if _is_brief(told) and is_plain_sentence(_read(told)):
        return True
    if told.statement.revises:
        grounds = PersonGrounds.REVISION
    elif told.statement.kind in BINDING:
        grounds = PersonGrounds.BINDING if _is_brief(told) else PersonGrounds.BINDING_IN_TEXT
    else:
        grounds = PersonGrounds.WORTH if _is_brief(told) else PersonGrounds.WORTH_IN_TEXT
    return look_at_person(_read(told), grounds)


def _worth(told: Told) -> int | None:
    return worth_of(_read(told))


def _read(told: Told) -> Read:
    statement = told.statement
    return Read(told.content, statement.kind, told.speaker, told.text, statement.start, statement.end)


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


def _is_definite(told: Told) -> bool:
    """Return whether an agent says what it mended, or claims more than the state that something is in."""
    if not _is_settled(told):
        return False
    claim = claim_of(told.content)
    return told.statement.kind in _MENDING or claim is None or claim.changed or claim.predicate != _STATE
