"""Properties of a text, stored as bits with its item so that ranking need not read it again; also finds the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntFlag

from graphmem.model.changes import Item
from graphmem.text.settling import starts_by_agreeing


class TextFlag(IntFlag):
    """Bits of the column `marks` of an item."""

    QUESTION = 1  # contains a question mark
    ENDS_WITH_QUESTION = 2
    HAS_DATE = 4  # contains a date or a relative time, such as "yesterday"
    AGREES = 8  # accepts what the previous turn proposed
    QUESTION_ONLY = 16  # states nothing besides its questions


_MAX_CHECKED = 4_000  # characters

_FINAL_QUESTION = re.compile(r"[?？]\W*(?:\[[^\]]*\]\s*)?\Z")
_QUESTION = re.compile(r"[^.!?？。！\n]*[?？]")
_MIN_STATEMENT = 8  # words; fewer are a greeting or a name
_SPEAKER = re.compile(r"\s*(\w[\w .'-]{0,30}):\s")
_DAYS = frozenset(
    "yesterday today tonight tomorrow ago last next week weekend weeks month months year years morning monday tuesday"
    " wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december".split()
) | {str(year) for year in range(1900, 2100)}
_DATE = re.compile(rf"\b(?:{'|'.join(sorted(_DAYS))})\b|어제|오늘|내일|지난|다음|전에|\d[년월일]")  # lower-case


def text_flags(text: str, words: Iterable[str]) -> int:
    """Return the `TextFlag` bits of a text. Its lower-case words (a superset is allowed) usually show quickly that it
    contains no date."""
    start = text[:_MAX_CHECKED]
    flags = 0
    if "?" in start or "？" in start:
        flags |= TextFlag.QUESTION
        if _FINAL_QUESTION.search(text[-300:]):
            flags |= TextFlag.ENDS_WITH_QUESTION
        if not _has_statement(start):
            flags |= TextFlag.QUESTION_ONLY
    may_have_date = not text.isascii() or not _DAYS.isdisjoint(words)
    if may_have_date and _DATE.search(start.lower()):
        flags |= TextFlag.HAS_DATE
    if starts_by_agreeing(start):
        flags |= TextFlag.AGREES
    return int(flags)


def _has_statement(text: str) -> bool:
    """Return whether it states something besides its questions."""
    return len(_QUESTION.sub(" ", text).split()) >= _MIN_STATEMENT


def speaker_of(item: Item) -> str:
    """Return the speaker in lower case: the name before a colon at the start, otherwise the role."""
    match = _SPEAKER.match(item.text)
    return (match[1] if match else item.role).lower()
