"""Recognises questions that an operation may answer. This costs one look at the text; the operations are imported only
for such questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.ask.evidence import Reader
    from graphmem.model.results import SearchResult

_WORDS = 30  # of a question; longer texts are reports, in which the same words tell a story
_LONGEST = 300  # characters of one
_BEGINS = re.compile(
    r"\s*(?:in (?:which|what)|who|whom|whose|when|what|which|why|where|since|is|are|author"
    r"|callers|impact|tests?|unit tests?|any tests?|changes?"
    r"|how\b(?=.*\b(?:own|custom\w*|implement|develop|subclass)\b)|can\b(?=.*\b(?:own|custom\w*)\b)"
    r"|recent|latest|newest|last|history|unreleased)\b|.*\b(?:where|who|when|which file)\W*\Z",
    re.IGNORECASE,
)
_HANGUL = re.compile(r"[가-힣]")


def is_asked(text: str) -> bool:
    """Return whether a text is short and worded as a question.

    >>> is_asked("who wrote parse?"), is_asked("parse fails on an empty line"), is_asked("parse lives where")
    (True, False, True)
    """
    is_short = len(text) <= _LONGEST and len(text.split()) <= _WORDS
    return is_short and bool(_BEGINS.match(text) or _HANGUL.search(text))


def lead_if_asked(query: str, found: SearchResult, reader: Reader, budget: int | None) -> SearchResult:
    """Return the result with the answer of an operation as its first hit, where the query asks for one."""
    if not is_asked(query):
        return found
    from graphmem.ask.leading import lead_with_answer

    return lead_with_answer(query, found, reader, budget)
