"""Rules for holidays by name, and for words that point to the present, past or future without a date.
The dates of holidays are in `meaning.holidays`."""

from __future__ import annotations

import re

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.base import Literal
from graphmem.text.times.meaning.holidays import HOLIDAYS, Holiday
from graphmem.text.times.meaning.periods import Containing, Period, Remainder
from graphmem.text.times.meaning.spans import Bounded

_NOW = Literal("PRESENT_REF")


def _by_name(name: str) -> Rule:
    pattern = re.sub(r"'s? ", " POSSESSIVE ", name + " ").replace("-", " DASH? ").strip()
    return rule("HOLIDAY", f"the? {pattern}", lambda: Holiday(name))


def _in_year(holiday: Holiday, year: int) -> Holiday:
    return Holiday(holiday.name, year)


def _in_shifted_year(holiday: Holiday, shift: int) -> Holiday:
    return Holiday(holiday.name, offset=shift)


def _weekend(holiday: Holiday, year: int | None = None, year2: int | None = None) -> Containing:
    return Containing("weekend", Holiday(holiday.name, year or year2))


def _next_or_last(direction: int, holiday: Holiday) -> Holiday | None:
    return Holiday(holiday.name, nearest=direction) if direction else holiday


# Longer names first: "new year's eve" before "new year".
NAMES: tuple[Rule, ...] = tuple(_by_name(name) for name in sorted(HOLIDAYS, key=len, reverse=True))
DATED: tuple[Rule, ...] = (
    rule("DATE", "holiday=HOLIDAY (of | in)? shift=SHIFT year", _in_shifted_year),
    rule("PERIOD", "holiday=HOLIDAY year=YEAR? weekend year2=YEAR?", _weekend),
    rule("DATE", "holiday=HOLIDAY (COMMA | of | in)* year=YEAR", _in_year),
    rule("DATE", "the? direction=SHIFTED holiday=HOLIDAY", _next_or_last),
)
REFERENCES: tuple[Rule, ...] = (
    rule("REFERRED", "(?<! as ) (right | just)? value=REFERENCE", Literal),
    rule("REFERRED", "(at | for) (the | this) moment", lambda: _NOW),
    rule("REFERRED", "(at | for) (this | the (present | current)) time", lambda: _NOW),
    rule("REFERRED", "at present", lambda: _NOW),
    rule("REFERRED", "at this point", lambda: _NOW),
    rule("REFERRED", "(these | nowadays) days", lambda: _NOW),
    rule("REFERRED", "as soon as possible", lambda: Literal("FUTURE_REF")),
    rule(
        "REFERRED",
        "(?<! LENGTHS ) in the (near | foreseeable | not too distant)? future",
        lambda: Literal("FUTURE_REF"),
    ),
    rule(
        "REFERRED",
        "(?<! LENGTHS ) in the (recent | distant)? past (?! COUNT | LENGTHS | UNIT )",
        lambda: Literal("PAST_REF"),
    ),
    rule("REFERRED", "in? recent PLURALUNIT", lambda: Literal("PAST_REF")),
    rule("INTERVAL", "the? unit=TODATE to date", lambda unit: Remainder(Period(unit), passed=True)),
    rule("INTERVAL", "(?<! up ) to date", lambda: Bounded("before", _NOW)),
    rule("INTERVAL", "(up to | until) now", lambda: Bounded("before", _NOW)),
)
