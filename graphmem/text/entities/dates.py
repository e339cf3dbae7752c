"""Finds dates with a month name, or in Korean. Only marks their position; their meaning, and relative dates such as
"yesterday", are handled by `graphmem.text.times`."""

from __future__ import annotations

import re

from graphmem.text.entities.entity_scan import EntityScan

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
YEAR = r"(?:19|20)\d\d"
PHRASE = re.compile(
    rf"\b{MONTH} {DAY}(?:,? {YEAR})?\b|\b{DAY} (?:of )?{MONTH}(?:,? {YEAR}|(?! \d))(?!\w)|\b{MONTH} {YEAR}\b"
    r"|(?:(?:19|20)\d\d년 ?)?\d{1,2}월 ?\d{1,2}일|(?:19|20)\d\d년(?: ?\d{1,2}월)?"
    r"|\b(?:19|20)\d\d[./]\d{1,2}[./]\d{1,2}\b",
    re.IGNORECASE,
)
DIGIT = re.compile(r"\d")


def find_dates(scan: EntityScan) -> None:
    """Claim each date, overriding numbers and versions found in it."""
    if DIGIT.search(scan.text) is None:
        return
    for phrase in PHRASE.finditer(scan.text):
        words = scan.between(phrase.start(), phrase.end())
        if words and scan.words.starts[words[0]] == phrase.start() and scan.words.ends[words[-1]] == phrase.end():
            scan.claim(words[0], words[-1] + 1, "date")
