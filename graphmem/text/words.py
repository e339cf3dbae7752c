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
# What only asks in Korean: "뭐야", "얼마로", "몇 초였지".
_ASKS = re.compile(
    r"(?:무엇|뭐|뭔|무슨|어떤|어느|어떻게|어디|언제|누구|누가|얼마나?|얼만큼|며칠|몇)"
    r"(?:은|는|이|가|을|를|로|으로|에|까지|부터|야|지|였|이었|어|더라|죠|예요|에요|입니까|인가|인지|일까|나요?|니|요|하|해|했|돼|되|된다|됐)*"
    r"|되어|돼요?|됐지|되지|되나요|있지|있었지|하기로|했더라|했지|알려주세요|좀"
)
_HOW_MANY = re.compile(
    r"(?<![가-힣])몇 ?(?:밀리초|초|분|시간?|일|개월?|주|년|달|번|회|명|건|자리?|줄|원|퍼센트|배|대|장|곳|메가|기가"
    r"|바이트)[가-힣]{0,5}(?![가-힣])"
)
NAME_WORD = re.compile(r"(?:[^\W_]|[+#])+")


@cache
def stopwords() -> frozenset[str]:
    """Return words that carry no content."""
    lines = (Path(__file__).parent / "data" / "stopwords.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case without stop words; all of them if there are no others."""
    words = _WORD.findall(text.lower())
    if text.isascii():
        return [word for word in words if word not in stopwords()] or words
    asked = _WORD.findall(_HOW_MANY.sub(" ", text.lower())) if "몇" in text else words
    asked = [part for word in asked for part in _split_name(word)]
    found = [word for word in asked if word not in stopwords() and not _ASKS.fullmatch(word)]
    return found or [part for word in words for part in _split_name(word)]


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
