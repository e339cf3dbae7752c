"""Finds persons without a model: capitalised given names with the following family name, and Korean names before a
particle or title. With spaCy, `linguistic.py` adds its named entities."""

from __future__ import annotations

from functools import cache

from graphmem.text.entities.korean import is_name
from graphmem.text.entities.page import Page
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


def find_people(page: Page) -> None:
    """Claim the names of persons."""
    names = given_names()
    for i, shape in enumerate(page.words.shapes):
        if i in page.claimed or i in page.quiet:
            continue
        if shape == "title" and page.low(i) in names and not _is_other_word(page, i):
            page.claim(i, _family(page, i + 1), "person")
        elif (
            shape == "title"
            and page.low(i) not in NOBODY
            and (page.low(i + 1) in SPEECH or page.low(i - 1) in GREETINGS)
        ):
            page.claim(_given(page, i), _family(page, i + 1), "person")
        elif shape == "korean" and page.shape(i + 1) == "korean" and is_name(page.words.texts[i], page.low(i + 1)):
            page.claim(i, i + 1, "person")


def _given(page: Page, i: int) -> int:
    """Return the start of a name whose last part is at `i`."""
    before = i - 1
    if page.shape(before) == "title" and before not in page.claimed and page.low(before) not in GREETINGS | NOBODY:
        return before
    return i


def _is_other_word(page: Page, i: int) -> bool:
    """Return whether it is another word: "Don't", or "Mark it" at the start of a sentence."""
    if page.touches(i) and page.low(i + 1) in ("'", "’") and page.low(i + 2) == "t":
        return True
    return page.low(i) in VERBISH and page.opens_sentence(i)


def _family(page: Page, j: int) -> int:
    """Return the end of a name whose given name ends before `j`."""
    if j < page.size and page.shape(j) in ("title", "class") and j not in page.claimed:
        return j + 1
    return j


@cache
def given_names() -> frozenset[str]:
    """Return common given names, in lower case."""
    return frozenset(name.lower() for name in words_of("first_names"))
