"""Finds persons without a model: capitalised given names with the following family name, and Korean names before a
particle or title. With spaCy, `linguistic.py` adds its named entities."""

from __future__ import annotations

from functools import cache

from graphmem.text.entities.entity_scan import EntityScan
from graphmem.text.entities.korean import is_name
from graphmem.text.entities.wordlists import word_set, words_of

VERBISH = word_set("mark bill rob frank sue stan drew will grant may june art jean jay ray")


SPEECH = word_set(
    """
    said says told tells asked asks wrote writes suggested suggests mentioned replied answered thinks thought
    """
)
GREETINGS = word_set("thanks thank hi hello hey dear cc")
NOBODY = word_set(
    """
    all everyone everybody guys team world there in folks it this that he she they who you we i user users assistant agent bot
    """
)


def find_people(scan: EntityScan) -> None:
    """Claim the names of persons."""
    names = given_names()
    for i, shape in enumerate(scan.words.shapes):
        if i in scan.claimed or i in scan.quiet:
            continue
        if shape == "title" and scan.low(i) in names and not _is_other_word(scan, i):
            scan.claim(i, _family(scan, i + 1), "person")
        elif (
            shape == "title"
            and scan.low(i) not in NOBODY
            and (scan.low(i + 1) in SPEECH or scan.low(i - 1) in GREETINGS)
        ):
            scan.claim(_given(scan, i), _family(scan, i + 1), "person")
        elif shape == "korean" and scan.shape(i + 1) == "korean" and is_name(scan.words.texts[i], scan.low(i + 1)):
            scan.claim(i, i + 1, "person")


def _given(scan: EntityScan, i: int) -> int:
    """Return the start of a name whose last part is at `i`."""
    before = i - 1
    if scan.shape(before) == "title" and before not in scan.claimed and scan.low(before) not in GREETINGS | NOBODY:
        return before
    return i


def _is_other_word(scan: EntityScan, i: int) -> bool:
    """Return whether it is another word: "Don't", or "Mark it" at the start of a sentence."""
    if scan.touches(i) and scan.low(i + 1) in ("'", "’") and scan.low(i + 2) == "t":
        return True
    return scan.low(i) in VERBISH and scan.opens_sentence(i)


def _family(scan: EntityScan, j: int) -> int:
    """Return the end of a name whose given name ends before `j`."""
    if j < scan.size and scan.shape(j) in ("title", "class") and j not in scan.claimed:
        return j + 1
    return j


@cache
def given_names() -> frozenset[str]:
    """Return common given names, in lower case."""
    return frozenset(name.lower() for name in words_of("first_names"))
