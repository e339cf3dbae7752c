"""What a text shows at a glance, kept as bits with its item so that ranking need not read it again: whether it asks
something, tells a time, or agrees with what was said before; and who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphmem.model.changes import Item
from graphmem.text.settling import agrees

ASKS, ENDS_ASKING, DATED, AGREES, ONLY_ASKS = 1, 2, 4, 8, 16
_LONGEST = 4_000  # characters that are looked at

_ENDS_ASKING = re.compile(r"[?？]\W*(?:\[[^\]]*\]\s*)?\Z")
_QUESTION = re.compile(r"[^.!?？。！\n]*[?？]")
_FEW = 8  # words that are hardly a statement: a greeting, a name
_SPEAKER = re.compile(r"\s*(\w[\w .'-]{0,30}):\s")
_DAYS = frozenset(
    "yesterday today tonight tomorrow ago last next week weekend weeks month months year years morning monday tuesday"
    " wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december".split()
) | {str(year) for year in range(1900, 2100)}
_DATED = re.compile(rf"\b(?:{'|'.join(sorted(_DAYS))})\b|어제|오늘|내일|지난|다음|전에|\d[년월일]")  # of lower case


def marks_of(text: str, words: Iterable[str]) -> int:
    """The bits of a text, given its words (and maybe more) in lower case, which most often tell that it is not dated."""
    seen = text[:_LONGEST]
    asks = "?" in seen or "？" in seen
    ends = asks and _ENDS_ASKING.search(text[-300:])
    maybe = not text.isascii() or not _DAYS.isdisjoint(words)
    dated = maybe and _DATED.search(seen.lower())
    agreed = AGREES if agrees(seen) else 0
    only = ONLY_ASKS if asks and not _says(seen) else 0
    return (ASKS if asks else 0) | (ENDS_ASKING if ends else 0) | (DATED if dated else 0) | agreed | only


def _says(text: str) -> bool:
    """Whether it says something besides what it asks."""
    return len(_QUESTION.sub(" ", text).split()) >= _FEW


def speaker_of(item: Item) -> str:
    """Who says it, in lower case: the name before a colon at its start, else the role."""
    match = _SPEAKER.match(item.text)
    return (match[1] if match else item.role).lower()
