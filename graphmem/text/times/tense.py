"""Determines whether an incomplete date ("Friday", "May 3") is in the past or future, from the nearest verb. Uses word
lists and endings instead of a parser, which is fast and sufficient."""

from __future__ import annotations

import re

from graphmem.text.times.meaning.base import FUTURE, PAST, UNKNOWN

_REACH = 160  # characters on either side; a clause is rarely longer

_FUTURE = frozenset(
    "will shall won't wont going gonna plan plans planned planning scheduled schedule due deadline expect expects expected "
    "intend intends hope hopes hoping need needs want wants let's lets please should must can could may might would "
    "upcoming until todo remind ll 'll book set-up".split()
)
_IRREGULAR_PAST = frozenset(
    "was were had did didn't wasn't weren't been said told went came got took made saw met left lost won began became fell "
    "rose hit sent gave found held kept knew led paid ran spoke spent stood thought wrote broke brought bought built caught "
    "chose drew fought flew forgot grew heard quit sold struck taught threw woke wore felt meant stuck overnight since".split()
)
_NOT_PAST = frozenset(
    "need feed speed seed indeed exceed proceed succeed embed shed bed red led breed hundred unused sacred wicked".split()
)
_KOREAN_FUTURE = re.compile("예정|계획|까지|하자|할게|할 |합시다|해야|겠")
_KOREAN_PAST = re.compile("[았었했됐였갔왔봤렸났졌쳤]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*|[가-힣]+")
_SENTENCE_END = re.compile(r"[.!?]\s|\n\s*\n")


def tense_at(text: str, start: int, end: int) -> int:
    """PAST, FUTURE or UNKNOWN: the tense of the verb nearest to `text[start:end]` in its sentence, before rather than
    after it. Reads a bounded stretch of text."""
    before = _SENTENCE_END.split(text[max(0, start - _REACH) : start])[-1]
    for word in reversed(_WORD.findall(before)):
        if tense := _tense_of(word):
            return tense
    after = _SENTENCE_END.split(text[end : end + _REACH], maxsplit=1)[0]
    return next((tense for word in _WORD.findall(after) if (tense := _tense_of(word))), UNKNOWN)


def _tense_of(word: str) -> int:
    if word >= "가":
        return FUTURE if _KOREAN_FUTURE.search(word) else PAST if _KOREAN_PAST.search(word) else UNKNOWN
    word = word.lower().replace("’", "'")
    if word in _FUTURE or word.endswith("'ll"):
        return FUTURE
    if word in _IRREGULAR_PAST or (len(word) > 3 and word.endswith("ed") and word not in _NOT_PAST):
        return PAST
    return UNKNOWN
