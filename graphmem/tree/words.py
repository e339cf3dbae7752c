"""Words as the tree compares them: stems of English, Korean without its particles, and values as they are written. Nothing
here knows of turns."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from graphmem.retrieve.analyse import stopwords
from graphmem.text.entities.korean import stem as without_particle
from graphmem.tree.cues import VALUE

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_+#'’-][A-Za-z0-9]+)*[+#]*|[가-힣]{2,}")
_ENDINGS = ("ational", "ations", "ation", "ingly", "ments", "ment", "ness", "ings", "ies", "ing", "ied", "ers", "ed", "es",
            "er", "ly", "s", "y", "e")  # fmt: skip


@cache
def small_talk_words() -> frozenset[str]:
    """Words that any talk is full of."""
    lines = (Path(__file__).parent / "data" / "talk.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def topic_words(text: str) -> list[str]:
    """The words that tell what a text is about, in lower case and in order, each once."""
    found: dict[str, str] = {}
    for key, word in map(_telling, _WORD.findall(text)):
        found.setdefault(key, word)
    found.pop("", None)
    return list(found.values())


def stems(text: str) -> list[str]:
    """The stems of these words."""
    found = dict.fromkeys([key for key, _ in map(_telling, _WORD.findall(text))])
    found.pop("", None)
    return list(found)


@lru_cache(maxsize=65_536)
def stems_of(name: str) -> tuple[str, ...]:
    """The same for a name, which is met again and again."""
    return tuple(stems(name))


@lru_cache(maxsize=65_536)  # the words of a language come again and again, and a rebuild reads all of them
def _telling(written: str) -> tuple[str, str]:
    """The stem of a word, and the word as it is kept; both "" for one that tells nothing."""
    word = written.lower().replace("’", "'").removesuffix("'s")
    if "'" in word:  # "wasn't", "we've"
        return "", ""
    if word[0] >= "가":
        word = without_particle(word)
    telling = 1 < len(word) <= 40 and word not in small_talk_words() and word not in stopwords()
    return (stem(word), word) if telling else ("", "")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """What inflections of one word have in common, roughly: "agencies" and "agency" meet."""
    if word[0] >= "가":
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def find_values(text: str) -> list[str]:
    """Numbers, dates, ratios, amounts as they are written, each once; times that are told in words too."""
    return list(dict.fromkeys(match.group().strip() for match in VALUE.finditer(text)))


@lru_cache(maxsize=65_536)
def comparison_key(text: str) -> str:
    """A text as it is compared: without case and blanks."""
    return "".join(text.casefold().split())
