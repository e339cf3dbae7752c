"""Numbers in time expressions: each range has a kind that says what it can be (an hour, a day, a year). Parses digits and
number words."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.text.times.engine import Rule, Typed, rule

# Kinds of numbers in digits. PAD is a zero-padded "05".
_DIGIT_KINDS = ((9, "N9"), (12, "N12"), (24, "N24"), (31, "N31"), (59, "N59"), (99, "N99"), (999, "N999"))
_WORD_KINDS = ((24, "W24"), (31, "W31"), (59, "W59"), (99, "W99"))

UNIONS: dict[str, Iterable[str]] = {
    "DAYNUM": ("PAD", "N9", "N12", "N24", "N31"),
    "DAYWORD": ("ONES", "TEEN", "TENS", "W24", "W31"),
    "HOUR": ("PAD", "N9", "N12", "N24"),
    "HOURWORD": ("ONES", "TEEN", "TENS", "W24"),
    "MINUTE": ("PAD", "N12", "N24", "N31", "N59"),
    "MINUTEWORD": ("TEEN", "TENS", "W24", "W31", "W59"),
    "YEAR": ("YEAR4", "YEARWORD", "YEARQUOTE"),
    "OLDYEAR2": ("N59", "N99"),
    "OLDYEAR": ("N999", "WBIG"),
    "YEAR2": ("PAD", "N12", "N24", "N31", "N59", "N99"),
    "SMALL": ("PAD", "N9", "N12", "N24", "N31", "N59", "ONES", "TEEN", "TENS", "W24", "W31", "W59"),
    "HHMM": ("N999", "HOURMINUTE", "YEAR4"),
    "WHOLE": ("DIGITS", "NUMBERWORD"),
    "DIGITS": ("PAD", "N9", "N12", "N24", "N31", "N59", "N99", "N999", "YEAR4", "HOURMINUTE", "BIG"),
    "NUMBERWORD": ("ONES", "TEEN", "TENS", "W24", "W31", "W59", "W99", "WBIG", "YEARWORD"),
    "NUMBER": ("WHOLE", "DECIMAL", "DOTTED", "FRACTION2"),
    "ORDINAL": ("ORDNUM", "ORDWORD"),
}
_MAX_DIGITS = 9


def digits(text: str) -> tuple[str, int] | None:
    """Kind and value of a run of digits (commas allowed); None when it is too long to be a count of anything."""
    plain = text.replace(",", "")
    if len(plain) > _MAX_DIGITS:
        return None
    value = int(plain)
    if len(plain) == 2 and plain[0] == "0":
        return "PAD", value
    if len(plain) == 4 and plain == text:
        if 1500 <= value < 2200:
            return "YEAR4", value
        return ("HOURMINUTE" if value // 100 <= 24 and value % 100 < 60 else "BIG"), value
    return next((kind for limit, kind in _DIGIT_KINDS if value <= limit), "BIG"), value


def _word(value: int) -> Typed:
    return Typed(next((kind for limit, kind in _WORD_KINDS if value <= limit), "WBIG"), value)


def _tens(tens: int, ones: int) -> Typed:
    return _word(tens + ones)


def _hundreds(hundreds: int = 1, tens: int = 0, ones: int = 0, thousands: int = 0) -> Typed:
    value = 1000 * thousands + (100 * hundreds if hundreds else 0) + tens + ones
    return Typed("YEARWORD" if 1500 <= value < 2200 else "WBIG", value)


def _thousands(thousands: int, tens: int = 0, ones: int = 0) -> Typed:
    return _hundreds(0, tens, ones, thousands)


def _year(century: int, tens: int = 0, ones: int = 0) -> Typed | None:
    return Typed("YEARWORD", century * 100 + tens + ones) if century in (18, 19, 20) else None


def _ordinal(tens: int, ones: int) -> int:
    return tens + ones


RULES: tuple[Rule, ...] = (
    rule("", "thousands=ONES thousand and? hundreds=ONES hundred and? (tens=TENS DASH?)? ones=ONES?", _hundreds),
    rule("", "thousands=ONES thousand and? tens=TENS DASH? ones=ONES", _thousands),
    rule("", "thousands=ONES thousand and? tens=TENS", _thousands),
    rule("", "thousands=ONES thousand and? tens=TEEN", _thousands),
    rule("", "thousands=ONES thousand (and? ones=ONES)?", _thousands),
    rule("", "hundreds=ONES hundred and? tens=TENS (DASH? ones=ONES)?", _hundreds),
    rule("", "hundreds=ONES hundred and? tens=TEEN", _hundreds),
    rule("", "hundreds=ONES hundred (and? ones=ONES)?", _hundreds),
    rule("", "a hundred", _hundreds),
    rule("YEARWORD", "century=CENTURYWORD hundred", _year),
    rule("YEARWORD", "century=CENTURYWORD (oh|o|zero) ones=ONES (?! AMPM)", _year),
    rule("YEARWORD", "century=CENTURYWORD tens=TENS DASH? ones=ONES (?! AMPM|UNIT)", _year),
    rule("YEARWORD", "century=CENTURYWORD tens=TENS (?! AMPM|UNIT|ORDONE)", _year),
    rule("YEARWORD", "century=CENTURYWORD tens=TEEN (?! AMPM|UNIT)", _year),
    rule("ORDNUM", "tens=TENS DASH? ones=ORDONE", _ordinal),
    rule("", "tens=TENS DASH? ones=ONES", _tens),
)
