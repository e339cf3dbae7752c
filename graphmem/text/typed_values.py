"""Finds the values that a sentence gives: clock times, days, numbers with their unit, versions, bare numbers, and names (of
tools, people, hosts, paths). Two values can take each other's place only if they are of one kind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.topics import stem_of
from graphmem.text.words import stopwords

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_COUNTS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {word: str(number) for number, word in enumerate("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), 1)}
_COUNT = rf"(?:{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_KOREAN_UNIT = r"(?:밀리초|초|분|시간|일|주|개월|년|회|번|명|건|개|자리|대|원|퍼센트|%|글자|줄)"
_UNITS = {"secs": "s", "sec": "s", "mins": "min", "hrs": "hour", "hr": "hour", "h": "hour", "초": "s", "분": "min", "시간": "hour",
          "일": "day", "주": "week", "percent": "%", "퍼센트": "%"}  # fmt: skip
_LONG_UNITS = {"second": "s", "minut": "min", "megabyt": "mb", "gigabyt": "gb"}  # stems
_NO_UNIT = frozenset(
    "and or but to from in on at for with by of is are was per as now again not than because since until".split()
)
_DETERMINERS = frozenset("Every Each All No New Correction Sorry Oops Update".split())
_VALUE = compile_later(
    rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:\d{1,2}월 ?)?\d{1,2}일|[월화수목금토일]요일|\d{1,2}(?:st|nd|rd|th)\b)"
    r"|(?P<clock>\d{1,2}:\d\d(?: ?[ap]m\b)?|\d{1,2} ?[ap]m\b|(?:오전 |오후 )?\d{1,2}시(?!간)(?: ?\d{1,2}분)?)"
    rf"|(?P<count>(?<![\w.-])(?:-?\d[\d,]*(?:\.\d+)?|(?<![\w가-힣]){_COUNT}(?= )))(?: ?(?P<korean>{_KOREAN_UNIT})"
    rf"|(?P<unit> ?%| ?(?!x\d)[a-z][a-z-]*)?"
    r"(?![\w.]*\d))"
    r"|(?P<mark>`[^`]+`|\"[^\"]{1,40}\")"
    r"|(?P<path>(?:https?://|[\w.~-]*/)[\w./:~-]*\w|[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+|[a-z0-9]+(?:[-_][a-z0-9]+)+)"
    r"|(?P<name>[A-Z][a-z0-9_+#]*(?: [A-Z][a-z0-9_+#]*)*)(?: v?(?P<version>\d+(?:\.\w+)*)(?![\w:]))?",
    re.I,
)
_NAME = compile_later(r"[A-Z][A-Za-z0-9_+#]*(?: [A-Z][A-Za-z0-9_+#]*)*")


class TypedValue(NamedTuple):
    """`kind` such as "clock", "date", "number", "number of minute", "version of node" or "name"; `text` is normalised; the value
    is `sentence[start:end]`, which `raw` repeats."""

    kind: str
    text: str
    start: int
    end: int
    raw: str


@lru_cache(maxsize=8_192)
def find_values(sentence: str) -> tuple[TypedValue, ...]:
    """Return the values of a sentence, in order."""
    found: list[TypedValue] = []
    place = 0
    while match := _VALUE.search(sentence, place):
        read = _read(sentence, match)
        place = read[3] if read else _after_word(sentence, match)
        found += [TypedValue(*read, sentence[read[2] : read[3]])] if read else []
    return tuple(found)


def gives_exact_value(sentence: str) -> bool:
    """Return whether a sentence gives a time, a day, a version, or a number with its unit."""
    return any(value.kind not in ("name", "number") for value in find_values(sentence))


def _after_word(sentence: str, match: re.Match[str]) -> int:
    word = re.compile(r"[\w+#]*").match(sentence, match.start())
    return max(match.start() + 1, word.end() if word else 0)


def _read(sentence: str, match: re.Match[str]) -> tuple[str, str, int, int] | None:
    if text := match["date"] or match["clock"]:
        kind = "date" if match["date"] else "clock"
        return (kind, _plain(text), match.start(), match.end())
    if match["count"]:
        return _read_number(match)
    if text := match["mark"] or match["path"]:
        return ("name", _plain(text.strip('`"')), match.start(), match.end())
    name = _NAME.match(sentence, match.start())
    if name is None:
        return None
    words = name[0].split(" ")
    while words and (words[0].lower() in stopwords() or words[0] in _DETERMINERS):  # "The Kafka cluster", "If Redis"
        words = words[1:]
    if not words:
        return None
    text = " ".join(words)
    start = name.end() - len(text)
    version = re.compile(r" v?(\d+(?:\.\w+)*)(?![\w:])(?! ?(?:%|[a-z]+s\b))").match(sentence, name.end())
    if version:
        return (f"version of {text.lower()}", version[1], start, version.end())
    return ("name", text.lower(), start, name.end())


def _read_number(match: re.Match[str]) -> tuple[str, str, int, int] | None:
    count = _COUNTS.get(match["count"].lower(), match["count"].replace(",", ""))
    unit = (match["korean"] or match["unit"] or "").strip().lower()
    end = match.end() if unit else match.end("count")
    if unit in _NO_UNIT or (unit in stopwords() and not match["korean"]):
        unit, end = "", match.end("count")
    if not unit:
        return ("number", count, match.start(), end) if match["count"][-1].isdigit() else None
    stem = unit if match["korean"] or unit == "%" else stem_of(unit)
    return (f"number of {_UNITS.get(unit) or _LONG_UNITS.get(stem, stem)}", count, match.start(), end)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
