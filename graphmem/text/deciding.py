"""Extracts the conclusions of a conversation or long text: decisive statements, whole and in order, without questions and
rejected proposals. Patterns in English and Korean; no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from graphmem.text.passages import approximate_tokens
from graphmem.text.questions import is_request_for_answer
from graphmem.text.sentences import sentences
from graphmem.text.settling import score_conclusiveness, starts_by_agreeing

LEAST = 40  # minimum weight of a decisive statement
_ALSO = 25  # minimum weight of further statements of the same conversation
_LONGEST = 8_000  # characters of a turn that are read
_TURN, _CLOSING = 130, 220  # tokens of one turn, and of a summarising turn
_ENOUGH = 0.25  # share of the best statement's weight that others need
_SAYS = 10  # minimum conclusiveness of a turn by itself, regardless of its position
_REJECTS = re.compile(
    r"\W*(?:no\b(?! problem| worries)|nope\b|not (?:quite|exactly|really|just)\b|don'?t\b|do not\b|wrong\b|stop\b|wait\b"
    r"|actually\b|that'?s (?:not|wrong)|"
    r"(?:[^.!?\n]{1,60}\b(?:but|isn'?t|aren'?t|won'?t|doesn'?t|didn'?t|never|not|wrong|tried)\b))"
    r"|\s*(?:아니|안 ?돼|안 ?됩|그게 아니|틀렸|잠깐|그건 아니)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\W*(?:no\b(?! problem| worries)|nope\b|not\b|wrong\b|actually\b|that'?s (?:not|wrong))|\s*(?:아니|그게 아니|틀렸)",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\W*(?:final\w*\b|settled\b|agreed\b|decided\b|decision\b|conclusion\b|in short\b|summar\w+|to sum"
    r"|so (?:the|to)\b|amend\w*\b|understood\b"
    r"|got it\b|confirmed\b|noted\b|the (?:rule|policy|fix|decision|contract)\b|updated? (?:the )?(?:rule|policy)|recap\b|done\b)"
    r"|\s*(?:최종|결론|정리하면|확정|요약|알겠습니다|이해했습니다|결정|합의)",
    re.IGNORECASE,
)
_AMENDS = re.compile(
    r"\b(?:amend\w*|supersed\w+|overrul\w+|no longer (?:holds|applies|true|valid)"
    r"|replac(?:es|ing) the (?:old|earlier|previous|original)"
    r"|(?:updates?|changes?|correction|revision)s? to (?:the|our) [\w -]{0,40}"
    r"(?:rule|policy|decision|plan|setting|agreement|limit|contract|convention)"
    r"|the (?:old|earlier|previous|original) (?:rule|policy|decision|limit|value|convention)"
    r"|(?:changed|revised|revisit\w*) (?:the|our) [\w -]{0,40}(?:rule|policy|decision)"
    r"|used to be|(?:settled|decided|agreed)[\w ,]{0,20} (?:a while|last|back|earlier|previously)|going forward|from now on)\b"
    r"|개정|변경(?:합니다|했습니다|하기로)|앞으로는|더 이상|기존 (?:규칙|방침|결정|정책)|철회|번복",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？][\"'”’)\]*_`]*$")
_FENCED = re.compile(r"(?:```|~~~)[^\n]*\n.*?(?:(?:```|~~~)|\Z)", re.DOTALL)
_FILLER = re.compile(
    r"(?:i'?ll|i will|i'm going to|let me|let's (?:see|look|start)|thanks|thank you|great|sounds good|my apologies|sorry)\b"
    r"|(?:감사|고맙|죄송)",
    re.IGNORECASE,
)
_BRIEF = 60  # characters of a turn that only acknowledges
_SHORTEST = 20  # characters of a statement
_ROOM = 25  # remaining tokens that are worth filling
_CODE = 60  # tokens kept of a code block


class SpokenTurn(NamedTuple):
    """One turn of a conversation: role (`user` or `assistant`) and text."""

    role: str
    text: str


def mentions_amendment(text: str) -> bool:
    """Return whether a whole turn mentions that it changes an earlier decision. It serves ranking, so it prefers to find too
    many; `revising.revision_of` judges one sentence strictly, because its answer ends a fact."""
    return bool(_AMENDS.search(text[:_LONGEST]))


def weigh_statements(turns: Sequence[SpokenTurn]) -> list[int]:
    """Return for each turn how conclusive it is in context: rejected statements count little; accepted, correcting and
    closing ones count more."""
    found = []
    for at, (role, text) in enumerate(turns):
        following = next((one for one in turns[at + 1 : at + 3] if one.role == "user"), None)
        before = turns[at - 1] if at else None
        statement = extract_statements(text, _TURN)
        worth = score_conclusiveness(statement) if statement else 0
        corrects = role == "user" and before is not None and bool(_CORRECTS.match(text))
        asked = before is not None and before.role != role and bool(_QUESTION.search(before.text.rstrip()))
        answers = role == "user" and asked
        closes = sums_up(turns, at)
        if len(statement) < _SHORTEST or not (worth >= _SAYS or corrects or closes or answers):
            found.append(0)
            continue
        worth += 10 * (at >= len(turns) - 2) + (60 if closes else 15 * bool(_CLOSES.match(text)))
        if role == "user":
            worth += 10 + 20 * answers + 25 * corrects
            worth -= 25 * (at == 0 and not mentions_amendment(text))  # it reports what went wrong
        elif following is not None:
            worth += 20 * starts_by_agreeing(following.text) - 45 * bool(_REJECTS.match(following.text))
        found.append(max(0, worth))
    return found


def sums_up(turns: Sequence[SpokenTurn], at: int) -> bool:
    """Return whether a turn summarises the conversation at its end."""
    late = at >= len(turns) - 3 and at >= len(turns) // 2
    return late and bool(_CLOSES.match(turns[at].text)) and len(turns[at].text) > _BRIEF


def choose_statements(turns: Sequence[SpokenTurn], budget: int, least: int = LEAST) -> list[tuple[int, str]]:
    """Return the most conclusive statements of a conversation as (index of the turn, text), in order, within a token
    budget; none if the best one has less than `least`."""
    worths = weigh_statements(turns)
    best = max(worths, default=0)
    if best < least:
        return []
    left, chosen = budget, {}
    for at in sorted(range(len(turns)), key=lambda at: (-worths[at], -at)):
        if worths[at] < max(_ALSO, _ENOUGH * best):
            break
        text = (
            extract_statements(turns[at].text, min(_CLOSING if sums_up(turns, at) else _TURN, left))
            if left >= _ROOM
            else ""
        )
        if text:
            chosen[at] = text
            left -= approximate_tokens(text) + 4
    return sorted(chosen.items())


@lru_cache(maxsize=256)  # turns are first weighed, then shown
def extract_statements(text: str, budget: int) -> str:
    """Return the statements of a text, without questions and announcements, within a token budget: all if they fit,
    otherwise the most conclusive sentences with their neighbours, in order."""
    parts = [
        one
        for one in sentences(_without_code(text[:_LONGEST]))
        if not is_request_for_answer(one) and not _FILLER.match(one)
    ]
    sizes = [approximate_tokens(one) for one in parts]
    if sum(sizes) <= budget:
        return " ".join(" ".join(parts).split())
    worths = [float(score_conclusiveness(one)) for one in parts]
    near = [
        worth + 0.3 * max(worths[at - 1] if at else 0.0, worths[at + 1] if at + 1 < len(worths) else 0.0)
        for at, worth in enumerate(worths)
    ]
    left, kept = budget, set[int]()
    for at in sorted(range(len(parts)), key=lambda at: (-near[at], at)):
        if sizes[at] <= left and near[at] > 0:
            kept.add(at)
            left -= sizes[at]
    pieces = [("" if at - 1 in kept or not at else "… ") + parts[at] for at in sorted(kept)]
    return " ".join(" ".join(pieces).split()).removeprefix("… ")


def _without_code(text: str) -> str:
    return _FENCED.sub(lambda match: match[0] if approximate_tokens(match[0]) <= _CODE else " ", text)
