"""Rules for days: "May 3, 2024", "3/5/24", "Monday the 21st", "next Friday", "the day after tomorrow", "Christmas".
A month, week or year is a matter of `periods`."""

from __future__ import annotations

from dataclasses import replace

from graphmem.language.times.engine import Rule, rule
from graphmem.language.times.meaning.periods import Day, Period, Weekday
from graphmem.language.times.meaning.spans import Between
from graphmem.language.times.shapes import full_year, month_and_day


def day(
    day: int, month: int | None = None, year: int | None = None, weekday: int | None = None, year2: int | None = None
) -> Day | None:
    """A day by number; None when no month has it."""
    if not 1 <= day <= 31:
        return None
    return Day(day, month, year if year2 is None else full_year(year2), weekday)


def _slashed(pair: tuple[int, int], year: int | None = None, weekday: int | None = None) -> Day | None:
    order = month_and_day(*pair)
    return order and Day(order[1], order[0], year if year is None else full_year(year), weekday)


def _dashed(first: int, second: int) -> Day | None:
    order = month_and_day(first, second)
    return order and Day(order[1], order[0])


def _dotted(number: float) -> Day | None:
    return _slashed((int(number), round(number * 10 % 10)))


def _with_year(date: Day, year: int) -> Day | None:
    return replace(date, year=full_year(year)) if date.year is None else None


def _nearest(direction: int, weekday: int, count: int = 1) -> Weekday:
    return Weekday(weekday, nearest=direction, times=round(count))


def _days_of_month(month: int, first: int, last: int, year: int | None = None) -> Between | None:
    return Between(Day(first, month, year), Day(last, month, year)) if 1 <= first < last <= 31 else None


_WEEKDAY = "(weekday=WEEKDAY DOT? COMMA? the?)?"
_OR = "(COMMA | DOT | of | in | SLASH | DASH)*"
_YEAR = f"({_OR} year=YEAR (?! DASH DAYNUM ))?"
_NOT_COUNTING = "(?! UNIT | COLON | DASH UNIT | WORKING )"

RULES: tuple[Rule, ...] = (
    # with a month
    rule(
        "DATE",
        f"{_WEEKDAY} month=MONTH (DOT | DASH | SLASH | COMMA)? the? day=DAYANY {_NOT_COUNTING} (OPEN WEEKDAY CLOSE)? {_YEAR}",
        day,
    ),
    rule(
        "RANGE",
        "month=MONTH DOT? (from | between)? first=DAYNO (DASH | TO | and) last=DAYNO (COMMA? year=YEAR (?! DASH DAYNUM ))? (?! UNIT | COLON | MONTH | SLASH | HALF )",
        _days_of_month,
    ),
    rule("DATE", f"{_WEEKDAY} the? day=DAYNO day? (of | DASH | SLASH | DOT)* the? month=MONTH {_YEAR}", day),
    rule("DATE", "day=DAYWORD of? month=MONTH (COMMA? year=YEAR)?", day),
    rule("DATE", "year=YEAR (SLASH | DASH) month=MONTH (SLASH | DASH) day=DAYNUM", day),
    rule("DATE", "year=YEAR SLASH day=DAYNUM SLASH month=MONTH", day),
    rule("DATE", "year=YEAR4 month=MONTHNUM day=DAYNUM (?! UNIT )", day),
    rule("DATE", "day=DAYNUM month=MONTHNUM year=YEAR4 (?! UNIT )", day),
    rule("DATE", f"{_WEEKDAY} OPEN? date=FULLDATE CLOSE?", lambda date, weekday=None: date),
    rule("DATE", "date=MONTHDAY COMMA? year=YEAR", _with_year),
    rule("DATE", "pair=MD COMMA year=FOURORTWO (?! COLON | of | MONTH )", _slashed),
    rule("DATE", "(SHIFT? weekday=WEEKDAY) OPEN? pair=MD CLOSE?", _slashed),
    rule("DATE", "SHIFT pair=MD", _slashed),
    rule("DATE", "SHIFT WEEKDAY number=DECIMAL", _dotted),
    rule("DATE", "SHIFT WEEKDAY OPEN month=MONTH DASH? day=DAYANY CLOSE", day),
    rule("SLASHED", "pair=MD (?! UNIT )", _slashed),
    rule("DATE", "(?<= on ) first=DAYNUM DASH second=DAYNUM (?! DASH | HALF | UNIT )", _dashed),
    # without one
    rule(
        "DATE",
        "shift=SHIFT? weekday=WEEKDAY (COMMA | DOT | the)* day=DAYNO (?! DASH | TO | SLASH | UNIT | COLON | CLOSE | of )",
        lambda weekday, day, shift=0: Day(day, weekday=weekday),
    ),
    rule("DATE", "weekday=WEEKDAY the day=DAYWORD", lambda weekday, day: Day(day, weekday=weekday)),
    rule(
        "DATE",
        "weekday=WEEKDAY (COMMA | of | on | in | from)* the? shift=SHIFT week",
        lambda weekday, shift: Weekday(weekday, shift),
    ),
    rule(
        "DATE",
        "shift=SHIFT week (COMMA | on)* weekday=WEEKDAY (?! TO | DASH )",
        lambda weekday, shift: Weekday(weekday, shift),
    ),
    rule("DATE", "SHIFT? direction=NEAREST weekday=WEEKDAY", _nearest),
    rule("DATE", "weekday=WEEKDAY after the? next", lambda weekday: Weekday(weekday, nearest=1, times=2)),
    rule("DATE", "shift=SHIFT weekday=WEEKDAY (?! of | in MONTH )", lambda weekday, shift: Weekday(weekday, shift)),
    rule("DATE", "count=WHOLE weekday=WEEKDAYS (ago | back)", lambda count, weekday: _nearest(-1, weekday, count)),
    rule("DATE", "count=WHOLE weekday=WEEKDAYS from now", lambda count, weekday: _nearest(1, weekday, count)),
    # by distance
    rule("DATE", "the? day after day=RELDAY", lambda day: Period("day", day + 1)),
    rule("DATE", "the? day before day=RELDAY", lambda day: Period("day", day - 1)),
    rule("RELATIVEDAY", "current date", lambda: Period("day")),
    rule("RELATIVEDAY", "day=RELDAY", lambda day: Period("day", day)),
    rule("RELATIVEDAY", "the? shift=SHIFT day (?! of | in )", lambda shift: Period("day", shift)),
    # bare
    rule("OPENWEEKDAY", "weekday=WEEKDAY", Weekday),
    rule("OPENDAY", "the day=ORDINAL (?! UNIT | FINAL | WEEKDAY | century | half )", day),
    rule("OPENDAY", "the day=DAYNUM (?! UNIT | DASH | WEEKDAY | SLASH | TO | SHIFTED )", day),
    rule("NUMBERDAY", "(?<= on ) day=DAYNUM (?! UNIT | DASH | WEEKDAY )", day),
    rule("OPENDAY", "day=ORDNUM (?! UNIT | FINAL | WEEKDAY | century | half )", day),
)
