"""Quickly finds parts of a text that may contain a time, by words and digits. May have false positives, but no false
negatives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# Phrases end where a line ends (unless it continues in lower case) and where a sentence ends; the word before the full
# stop must be longer than an abbreviation, so that "Tues. May 5" stays together.
_BOUNDARY = re.compile(r"\n(?![a-z])|(?<=[a-z]{5}[.!?])\s+(?=[A-Z])")
_WORDS = re.compile(r"[^\W\d_]+")
# Digits in the shape of a time of day, date, year or ordinal, or after "at" and "on".
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DIGITS = re.compile(
    rf"\d[:/h-]\d|(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)|\d ?(?:st|nd|rd|th|am|pm|a\.|p\.|['’]?[hsdwmyap])\b|\b(?:at|on|the|in) ?\d|"
    rf"@ ?\d|(?<!\w)['’]\d\ds?\b|\d\.\d\d|[½¼¾]|\b(?:[qhw]|[fcs]y ?['’]?|{_MONTH})\d|\d ?[년월일시분초주달개세]",
    re.IGNORECASE,
)
_HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
# Times made of words that each are too common to be hints.
_PHRASES = re.compile(
    rf"\b(?:(?:at|around|half|about|by|to|[-–])\s+{_HOUR}|at\s+(?:present|this)|to\s+date|on\s+the\s+\w+|{_HOUR}\s+[ap]\W?m|"
    r"in\s+the\s+[ap]m|o['’]?clock)\b|\d\s?[ap]\W?m\b",
    re.IGNORECASE,
)
_KOREAN_COUNTS = "(?:한|두|세|네|석|넉|섯|곱|덟|홉|열|몇|수) ?(?:시|달|주|년|일|개월|시간|세기)"
_HANGUL = re.compile(r"[가-힣]")


class Prefilter:
    """Finds the stretches by a vocabulary: words that suggest a time, in lower case, and syllables of Korean ones."""

    def __init__(self, words: Iterable[str]) -> None:
        vocabulary = [word for word in words if len(word) > 1 or _HANGUL.match(word)]
        self._words = frozenset(word for word in vocabulary if not _HANGUL.match(word))
        korean = sorted({word for word in vocabulary if _HANGUL.match(word) and len(word) > 1})
        self._korean = re.compile("|".join([*korean, _KOREAN_COUNTS]))

    def stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the phrases that may hold a time, in order."""
        start = 0
        for boundary in _BOUNDARY.finditer(text):
            if self._hints(text[start : boundary.start()]):
                yield start, boundary.start()
            start = boundary.end()
        if self._hints(text[start:]):
            yield start, len(text)

    def _hints(self, phrase: str) -> bool:
        return (
            not self._words.isdisjoint(_WORDS.findall(phrase.lower()))
            or _DIGITS.search(phrase) is not None
            or _PHRASES.search(phrase) is not None
            or (_HANGUL.search(phrase) is not None and self._korean.search(phrase) is not None)
        )
