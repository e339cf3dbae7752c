"""Dates, times and numbers recognised by their characters: "2026-01-22T10:00Z", "1/22", "10:30", "1990s", "Q3". Each has
a regular expression and a parser that returns kind and value, or None."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from graphmem.text.times.lexicon import MONTHS, SHORT_UNITS
from graphmem.text.times.meaning.base import Literal
from graphmem.text.times.meaning.clocks import Clock, Stamp
from graphmem.text.times.meaning.periods import Day, Month, NumberedPart, Year
from graphmem.text.times.meaning.spans import Length
from graphmem.text.times.numerals import digits

Token = tuple[str, Any] | None
Match = re.Match[str]

_MONTH = "|".join(word for word in MONTHS if len(word) == 3)
_MONTHS = "|".join(sorted(MONTHS, key=len, reverse=True))
# A shape must not be the middle of a longer run of digits and separators (telephone numbers, versions, addresses).
_LEFT = r"(?<![\d.:/])(?:(?<!\d-)|(?<=/\d-)|(?<=/\d\d-)|(?<=/\d{4}-))"
_PIVOT = 40  # two-digit years below are of this century


def full_year(year: int) -> int:
    """Return a year of two digits in the century that people mean."""
    return year if year > 99 else year + (2000 if year < _PIVOT else 1900)


def month_and_day(first: int, second: int) -> tuple[int, int] | None:
    """Month first where both orders are possible."""
    if 1 <= first <= 12 and 1 <= second <= 31:
        return first, second
    return (second, first) if 1 <= second <= 12 and 1 <= first <= 31 else None


def _numbers(match: Match) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", match[0])]


def _zone(text: str | None) -> int | None:
    if not text:
        return None
    hours = re.search(r"([+-])(\d\d):?(\d\d)", text)
    if hours is None:
        return 0
    minutes = int(hours[2]) * 60 + int(hours[3])
    return -minutes if hours[1] == "-" else minutes


def _stamp(match: Match) -> Token:
    clock = match["clock"]
    moment = datetime.fromisoformat(f"{match['date']}T{clock}")
    return "STAMP", Stamp(moment, "second" if len(clock) > 5 else "minute", _zone(match["zone"]))


def _basic(match: Match) -> Token:
    return "STAMP", Stamp(datetime.fromisoformat(match["compact"]), "second", 0 if match["zulu"] else None)


def _access(match: Match) -> Token:
    day, month, year, hour, minute, second = re.split("[/:]", match["access"])
    moment = datetime(int(year), MONTHS[month.lower()], int(day), int(hour), int(minute), int(second))
    return "STAMP", Stamp(moment, "second", _zone(match["offset"]))


def _log(match: Match) -> Token:
    first, second, third = (int(number) for number in match["short"].split("/"))
    # Log4j writes year, month, day; others month, day, year.
    year, month, day = (first, second, third) if first > 12 else (third, first, second)
    return "STAMP", Stamp(datetime.fromisoformat(f"20{year:02d}-{month:02d}-{day:02d}T{match['second']}"), "second")


def _day(year: int, month: int, day: int) -> Token:
    datetime(year, month, day)
    return "FULLDATE", Day(day, month, year)


def _year_first(match: Match) -> Token:
    year, month, day = _numbers(match)
    return _day(year, month, day) if month <= 12 else _day(year, day, month)


def _year_last(match: Match) -> Token:
    first, second, year = _numbers(match)
    if "." in match[0] and second <= 12:
        return _day(full_year(year), second, first)
    order = month_and_day(first, second)
    return order and _day(full_year(year), *order)


def _time(match: Match) -> Token:
    hour, minute, *rest = _numbers(match)
    second = rest[0] if rest else None
    if hour > 24 or minute > 59 or (second or 0) > 59 or (hour == 24 and minute):
        return None
    return "TIME", Clock(hour, minute, second, sure=hour > 12 or hour == 0)


def _year_month(match: Match) -> Token:
    first, second = _numbers(match)
    year, month = (first, second) if first > 99 else (second, first)
    return ("YEARMONTH", Month(month, year)) if 1 <= month <= 12 and 1000 <= year < 2200 else None


def _decade(match: Match) -> Token:
    (number,) = _numbers(match)
    if number < 100:
        return ("DECADE2" if match[0][:2].isdigit() and match[0][2] == "s" else "DECADEMARK"), number
    return "DECADE4", Year(number, "century" if number % 100 == 0 and number < 2000 else "decade")


def _number(match: Match) -> Token:
    return digits(match[0])


def _decimal(match: Match) -> Token:
    whole, _, fraction = match[0].partition(".")
    return ("DOTTED" if len(fraction) == 2 and int(whole) <= 24 else "DECIMAL"), float(match[0])


def _meridiem(match: Match) -> Token:
    return "AMPM", match[0][0].lower() + "m"


def _glued(match: Match) -> Token:
    letter = match[0].lower()
    if letter in "ap":
        return "GLUEDAP", letter + "m"
    return {"h": "HOURSIGN", "s": "SIGNUNIT"}.get(letter, "LETTERUNIT"), SHORT_UNITS[letter]


def _code(match: Match) -> Token:
    text = match[0].lower()
    (number,) = _numbers(match)
    if text[0] == "q" or text[-1] == "q":
        return "QUARTER", NumberedPart("quarter", number)
    if text[0] == "h":
        return "HALFYEAR", NumberedPart("half", number)
    if text[0] == "w":
        return "WEEKCODE", number
    if text[0] == "s":
        return "PERIOD", Literal(f"SY{full_year(number)}")
    return "YEARCODE", Year(full_year(number))


def _month_day(match: Match) -> Token:
    (day,) = _numbers(match)
    month = MONTHS[match[0][:3].lower()]
    return ("YEARMONTH", Month(month, full_year(day))) if day > 31 else ("MONTHDAY", Day(day, month))


def _length(match: Match) -> Token:
    amounts = re.findall(r"(\d+)([dhms])", match[0].lower())
    return "LENGTH", Length(tuple((float(number), SHORT_UNITS[letter]) for number, letter in amounts))


def _kind(name: str) -> Callable[[Match], Token]:
    return lambda match: (name, None)


_PUNCTUATION = {
    "-": "DASH", "–": "DASH", "—": "DASH", "/": "SLASH", ".": "DOT", ",": "COMMA", ":": "COLON",
    "(": "OPEN", ")": "CLOSE", "@": "SIGN", "~": "TILDE", "|": "BAR",
}  # fmt: skip
_COMPARISONS = {"<": "before", ">": "after", "<=": "through", ">=": "since"}

# In order of precedence.
SHAPES: tuple[tuple[str, str, Callable[[Match], Token]], ...] = (
    (
        "STAMP",
        _LEFT + r"(?P<date>\d{4}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d(?::\d\d)?)(?:[.,]\d{1,9})?"
        r"(?P<zone>Z\b| ?[+-]\d\d:?\d\d\b| ?UTC\b)?(?![\d:])",
        _stamp,
    ),
    ("BASIC", r"(?<!\w)(?P<compact>\d{8}T\d{6})(?P<zulu>Z?)(?!\w)", _basic),
    ("ACCESS", rf"(?<!\w)(?P<access>\d\d/(?:{_MONTH})/\d{{4}}:\d\d:\d\d:\d\d)(?: (?P<offset>[+-]\d{{4}}))?", _access),
    ("LOG", r"(?<![\w/])(?P<short>\d\d/\d\d/\d\d) (?P<second>\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(?!\w)", _log),
    ("YMD", _LEFT + r"\d{4}(?P<s1>[-/.])\d{1,2}(?P=s1)\d{1,2}(?!\d|(?P=s1)\d)", _year_first),
    ("DMY", _LEFT + r"\d{1,2}(?P<s2>[-/.])\d{1,2}(?P=s2)\d{4}(?!\d|(?P=s2)\d)", _year_last),
    ("DMY2", _LEFT + r"\d{1,2}(?P<s3>[-/])\d{1,2}(?P=s3)\d\d(?!\w|(?P=s3)\d)", _year_last),
    (
        "TIME",
        r"(?<![\w.:/])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\d:]|\.\d)|(?<![\w.])\d{1,2}h\d\d(?!\w)",
        _time,
    ),
    ("YM", _LEFT + r"(?<!\w)\d{4}[-/] ?\d{1,2}(?![\d/:]|[-.]\d)", _year_month),
    ("MY", _LEFT + r"(?<!\w)(?<![^\W\d]-)(?:0?[1-9]|1[0-2])[-/] ?\d{4}(?![\d/:]|[-.]\d)", _year_month),
    ("MD", _LEFT + r"(?<![\w$])\d{1,2}/\d{1,2}(?![\d/%]|\.\d)", lambda match: ("MD", tuple(_numbers(match)))),
    ("JUNK", r"\d+(?P<s4>[-./:])\d+(?:(?P=s4)\d+)+|\d+:\d+|[$€£¥#] ?\d[\d.,]*|\d+(?:\.\d+)? ?[%°]", lambda match: None),
    ("DECADE", r"(?<![\w.])(?:\d{3}0 ?['’]?s|['’]?[2-9]0['’]?s)(?!\w)", _decade),
    (
        "LENGTH",
        r"(?<![\w.-])(?=\d+[dhm]\d)(?:\d{1,4}d)?(?:\d{1,3}h)?(?:\d{1,3}m)?(?:\d{1,3}s)?(?![\w-])",
        _length,
    ),
    ("YEARQUOTE", r"(?<!\w)['’]\d\d(?![\w'’])", lambda match: ("YEARQUOTE", full_year(int(match[0][1:])))),
    ("OFFSET", r"(?<=:\d\d )[+-]\d\d:?\d\d(?!\w)", lambda match: ("OFFSET", _zone(match[0]))),
    ("ORDINAL", r"(?<!\w)(?<!\d\.)\d{1,3}(?:st|nd|rd|th)(?!\w)", lambda match: ("ORDNUM", int(match[0][:-2]))),
    ("DECIMAL", r"(?<![\w.])\d{1,6}\.\d{1,4}(?!\d|\.\d)", _decimal),
    ("NUMBER", r"(?<![\w.])\d{1,3}(?:,\d{3})+(?![\d,])|(?<!\d)(?<!\d\.)\d+", _number),
    ("FRACTION", r"[½¼¾]", lambda match: ("FRACTION2", {"½": 0.5, "¼": 0.25, "¾": 0.75}[match[0]])),
    ("AMPM", r"(?<![^\W\d])[ap](?:m|\. ?m\b\.?| m)(?!\w)", _meridiem),
    ("GLUED", r"(?<=\d)(?:[hsdwmyap]|['’])(?!\w)", _glued),
    ("CODE", r"(?:[qh][1-4]|[1-4]q|w\d\d|(?:fy|cy|sy) ?['’]?\d\d(?:\d\d)?)(?!\w)", _code),
    ("MONTHDAY", rf"(?:{_MONTHS})\d{{1,2}}(?!\w)", _month_day),
    ("POSSESSIVE", r"(?<=\w)['’]s?(?!\w)", _kind("POSSESSIVE")),
    ("COMPARE", r"(?<![<>])[<>](?!>) ?=?", lambda match: ("COMPARE", _COMPARISONS[match[0].replace(" ", "")])),
    ("PUNCTUATION", r"[-–—/.,:()@~|]", lambda match: (_PUNCTUATION[match[0]], None)),
)
