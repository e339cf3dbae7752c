"""What a text shows at a glance, kept as bits with its item so that ranking need not read it again: whether it asks
something, whether it tells a time, who speaks."""

from __future__ import annotations

import re

from graphmem.model.changes import Item

ASKS, ENDS_ASKING, DATED = 1, 2, 4
_LONGEST = 4_000  # characters that are looked at

_ENDS_ASKING = re.compile(r"[?？]\W*(?:\[[^\]]*\]\s*)?\Z")
_SPEAKER = re.compile(r"\s*(\w[\w .'-]{0,30}):\s")
_DATED = re.compile(  # of lower case: the look-ahead spares most words the list
    r"\b(?=[adfjlmnostwy12])(?:yesterday|today|tonight|tomorrow|ago|last|next|week(?:end|s)?|months?|years?|(?:19|20)\d\d|morning"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b|어제|오늘|내일|지난|다음|전에|\d[년월일]"
)


def marks_of(text: str) -> int:
    """The bits of a text."""
    seen = text[:_LONGEST]
    asks = "?" in seen or "？" in seen
    ends = asks and _ENDS_ASKING.search(text[-300:])
    return (ASKS if asks else 0) | (ENDS_ASKING if ends else 0) | (DATED if _DATED.search(seen.lower()) else 0)


def speaker(item: Item) -> str:
    """Who says it, in lower case: the name before a colon at its start, else the role."""
    match = _SPEAKER.match(item.text)
    return (match[1] if match else item.role).lower()
