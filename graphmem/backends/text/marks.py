"""Properties of a text, stored as bits with its item so that ranking need not read it again: question, time expression,
agreement; also the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphmem.model.changes import Item
from graphmem.text.settling import agrees

ASKS, ENDS_ASKING, DATED, AGREES, ONLY_ASKS = 1, 2, 4, 8, 16
_LONGEST = 4_000  # characters that are checked

_ENDS_ASKING = re.compile(r"[?？]\W*(?:\[[^\]]*\]\s*)?\Z")
_QUESTION = re.compile(r"[^.!?？。！\n]*[?？]")
_FEW = 8  # minimum words of a statement: fewer are a greeting or a name
_SPEAKER = re.compile(r"\s*(\w[\w .'-]{0,30}):\s")
_DAYS = frozenset(
    "yesterday today tonight tomorrow ago last next week weekend weeks month months year years morning monday tuesday"
    " wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december".split()
) | {str(year) for year in range(1900, 2100)}
_DATED = re.compile(rf"\b(?:{'|'.join(sorted(_DAYS))})\b|어제|오늘|내일|지난|다음|전에|\d[년월일]")  # lower-case


def marks_of(text: str, words: Iterable[str]) -> int:
    """Return the bits of a text. Its lower-case words (a superset is allowed) usually show quickly that it contains no
    date."""
    seen = text[:_LONGEST]
    asks = "?" in seen or "？" in seen
    ends = asks and _ENDS_ASKING.search(text[-300:])
    maybe = not text.isascii() or not _DAYS.isdisjoint(words)
    dated = maybe and _DATED.search(seen.lower())
    agreed = AGREES if agrees(seen) else 0
    only = ONLY_ASKS if asks and not _says(seen) else 0
    return (ASKS if asks else 0) | (ENDS_ASKING if ends else 0) | (DATED if dated else 0) | agreed | only


def _says(text: str) -> bool:
    """Return whether it states something besides its questions."""
    return len(_QUESTION.sub(" ", text).split()) >= _FEW


def speaker_of(item: Item) -> str:
    """Return the speaker in lower case: the name before a colon at the start, otherwise the role."""
    match = _SPEAKER.match(item.text)
    return (match[1] if match else item.role).lower()
