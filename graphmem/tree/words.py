"""Words as the tree compares them: English stems, Korean without particles, and values verbatim."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from graphmem.text.entities.korean import stem as without_particle
from graphmem.text.words import stopwords
from graphmem.tree.cues import VALUE

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_+#'’-][A-Za-z0-9]+)*[+#]*|[가-힣]{2,}")
_ENDINGS = ("ational", "ations", "ation", "ingly", "ments", "ment", "ness", "ings", "ies", "ing", "ied", "ers", "ed", "es",
            "er", "ly", "s", "y", "e")  # fmt: skip


@cache
def small_talk_words() -> frozenset[str]:
    """Return words that occur in any conversation."""
    lines = (Path(__file__).parent / "data" / "talk.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def topic_words(text: str) -> list[str]:
    """Return the informative words of a text, in lower case, in order, without duplicates."""
    found: dict[str, str] = {}
    for key, word in map(_informative_stem, _WORD.findall(text)):
        found.setdefault(key, word)
    found.pop("", None)
    return list(found.values())


def stems(text: str) -> list[str]:
    """Return the stems of these words."""
    found = dict.fromkeys([key for key, _ in map(_informative_stem, _WORD.findall(text))])
    found.pop("", None)
    return list(found)


@lru_cache(maxsize=65_536)
def stems_of(name: str) -> tuple[str, ...]:
    """Return the stems of a name, cached."""
    return tuple(stems(name))


@lru_cache(maxsize=65_536)  # words repeat, and a rebuild reads all of them
def _informative_stem(written: str) -> tuple[str, str]:
    """Return the stem of a word, and its stored form; both "" for an uninformative one."""
    word = written.lower().replace("’", "'").removesuffix("'s")
    if "'" in word:  # "wasn't", "we've"
        return "", ""
    if word[0] >= "가":
        word = without_particle(word)
    telling = 1 < len(word) <= 40 and word not in small_talk_words() and word not in stopwords()
    return (stem_for_topics(word), word) if telling else ("", "")


@lru_cache(maxsize=65_536)
def stem_for_topics(word: str) -> str:
    """Return an approximate stem: "agencies" and "agency" have the same one."""
    if word[0] >= "가":
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def find_values(text: str) -> list[str]:
    """Return numbers, dates, ratios and amounts verbatim, without duplicates; also times in words."""
    return list(dict.fromkeys(match.group().strip() for match in VALUE.finditer(text)))


@lru_cache(maxsize=65_536)
def comparison_key(text: str) -> str:
    """Return a text for comparison, without case and spaces."""
    return "".join(text.casefold().split())
