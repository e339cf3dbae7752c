"""Words of a text: those that carry content, questions and echoes, and the key of a name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from graphmem.text.hangul import is_ending

_QUESTION_MARKS = ("?", "？")
# Words, and share of the words, that a text has to add to be more than an echo.
_MIN_NEW_WORDS = 2
_MIN_NEW_SHARE = 0.15
_WORD = re.compile(r"[^\W_]+")
_NAME_WITH_PARTICLES = re.compile(r"([a-z0-9]+)([가-힣]+)")
NAME_WORD = re.compile(r"(?:[^\W_]|[+#])+")


@cache
def stopwords() -> frozenset[str]:
    """Return words that carry no content."""
    lines = (Path(__file__).parent / "data" / "stopwords.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case without stop words; all of them if there are no others."""
    words = _WORD.findall(text.lower())
    if not text.isascii():
        words = [part for word in words for part in _split_name(word)]
    return [word for word in words if word not in stopwords()] or words


def _split_name(word: str) -> list[str]:
    """Return a word, or a Latin name apart from the Korean particles that follow it."""
    match = _NAME_WITH_PARTICLES.fullmatch(word)
    if match is None:
        return [word]
    return [match[1]] if is_ending(match[2]) else [match[1], match[2]]


def is_question(text: str) -> bool:
    """Return whether a text ends as a question."""
    return text.rstrip().endswith(_QUESTION_MARKS)


def is_echo(asked: set[str], text: str) -> bool:
    """Return whether a text holds hardly a content word beyond those that are asked."""
    words = set(content_words(text))
    return len(words - asked) < max(_MIN_NEW_WORDS, _MIN_NEW_SHARE * len(words))


def name_key(name: str) -> str:
    """Return a name in lower case without punctuation and blanks."""
    return "".join(NAME_WORD.findall(name.lower()))
