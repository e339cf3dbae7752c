"""Finds where a sentence gives a value that another one of its kind can take the place of: a number with its unit, a clock time, a
day, a date, a path, a name. Unlike `typed_values`, it tells the number from its unit, so that one is replaced without the
other."""

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
_WORDS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
} | {word: str(number) for number, word in enumerate("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), 1)}
_KOREAN_UNIT = (
    r"(?:밀리초|초|분|시간|일|주|개월|달|년|회|번|명|건|개|자리|자|대|원|퍼센트|글자|줄|픽셀|배|장|곳|쪽"
    r"|바이트|메가|기가)"
)
_SPAN = compile_later(
    rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?![\d:])"
    r"|\d{1,2}월 ?\d{1,2}일)"
    r"|(?P<day>\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|[월화수목금토일]요일)"
    rf"|(?P<month>\b{_MONTH}\b)"
    r"|(?P<clock>(?<![\w:.])(?:\d{1,2}:\d\d(?! ?:)(?: ?[ap]m\b)?|\d{1,2} ?[ap]m\b|\d{1,2}시(?!간)(?: ?(?:\d{1,2}분|반))?))"
    r"|(?P<path>https?://[\w./:~%{}-]*[\w/}]|(?<![\w])[\w.~-]*/[\w./:~{}-]*[\w}])"
    r"|(?P<named>(?<![\w.-])(?:#[A-Za-z][\w-]*|[A-Za-z]\w*(?:[-_.:@][A-Za-z0-9]+)+))"
    rf"|(?P<count>(?<![\w.:-])(?:[v$€]?-?\d[\d,]*(?:\.\d+)*|(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?=[ -]\w)))"
    rf"(?:(?P<korean> ?{_KOREAN_UNIT})|(?P<percent> ?%)|(?P<attached>[A-Za-z]{{1,4}}(?![A-Za-z\d]))|(?P<apart>[ -][A-Za-z]+))?"
    r"|(?P<name>(?<![\w.-])[A-Z][A-Za-z0-9+]+(?![\w.-]*\w))",
    re.I,
)
_UNITS = {
    name: (kind, name)
    for kind, names in {
        "duration": "ms s sec second min minut m hour hr h d day week month year 밀리초 초 분 시간 일 주 개월 달 년",
        "size": "b k kb mb gb tb kib mib gib byt megabyt gigabyt kilobyt 바이트 메가 기가",
        "share": "% percent 퍼센트",
    }.items()
    for name in names.split()
}
_NO_UNIT = frozenset(
    """and or but to from in on at for with by of is are was as per now again not than because since until instead rather please
    should when if then too so also""".split()
)


class Span(NamedTuple):
    """A value at `sentence[start:end]`; of a number, `sentence[start:count_end]` is the count. `key` is the same for two spellings
    of one value, `unit` the kind of its unit: "duration", "size", "share", another word, or ""."""

    kind: str
    key: str
    unit: str
    start: int
    end: int
    count_end: int


@lru_cache(maxsize=8_192)
def find_spans(sentence: str) -> tuple[Span, ...]:
    """Return the values of a sentence, in order.

    >>> [(span.kind, span.key, span.unit) for span in find_spans("The cache lives for 90 seconds on port 8080.")]
    [('number', '90', 'duration'), ('number', '8080', '')]
    """
    return tuple(span for match in _SPAN.finditer(sentence) if (span := _read(sentence, match)))


def _read(sentence: str, match: re.Match[str]) -> Span | None:
    if match["count"]:
        return _read_number(match)
    kind = match.lastgroup or ""
    text = match[0]
    if kind == "name":
        is_first = not sentence[: match.start()].strip(" \"'([")
        if not text[0].isupper() or text.lower() in stopwords() or (is_first and text[1:].islower()):
            return None
    if kind == "month" and not text[0].isupper():  # "it may work"
        return None
    kind = "name" if kind == "named" else kind
    key = " ".join(text.lower().split())
    if kind == "day":
        key = key.removesuffix("s")
    return Span(kind, key, "", match.start(), match.end(), match.end())


def _read_number(match: re.Match[str]) -> Span | None:
    count = match["count"].lower()
    key = _WORDS.get(count, count.replace(",", "").lstrip("v"))
    written = match["korean"] or match["percent"] or match["attached"] or match["apart"] or ""
    unit = written.strip(" -").lower()
    if match["apart"] and (unit in _NO_UNIT or unit in stopwords()):
        unit = ""
    if not unit and count in _WORDS:
        return None
    end = match.end() if unit else match.end("count")
    stem = unit if not unit or unit in _UNITS or match["korean"] else stem_of(unit)
    return Span("number", key, _UNITS.get(stem, (stem, ""))[0], match.start(), end, match.end("count"))
