"""The pass that finds dates that are written with the name of a month, or in Korean. It marks where a date stands; what
time it means, and relative ones such as "yesterday", is the work of `graphmem.text.times`."""

from __future__ import annotations

import re

from graphmem.text.entities.page import Page

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


def find_dates(page: Page) -> None:
    """Claims each date, whatever parts of it other passes took for a number or a version."""
    if DIGIT.search(page.text) is None:
        return
    for phrase in PHRASE.finditer(page.text):
        words = page.between(phrase.start(), phrase.end())
        if words and page.words.starts[words[0]] == phrase.start() and page.words.ends[words[-1]] == phrase.end():
            page.claim(words[0], words[-1] + 1, "date")
