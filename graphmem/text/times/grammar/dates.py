"""Rules for days: "May 3, 2024", "3/5/24", "Monday the 21st", "next Friday", "the day after tomorrow", "Christmas".
A month, week or year is a matter of `periods`."""

from __future__ import annotations

from dataclasses import replace

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.periods import Day, Period, Weekday
from graphmem.text.times.meaning.spans import Between
from graphmem.text.times.shapes import full_year, month_and_day


def day(
    day: int, month: int | None = None, year: int | None = None, weekday: int | None = None, year2: int | None = None
) -> Day | None:
    """Return a day by number; None when no month has it."""
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
    return Weekday(weekday, nearest=direction, times=count)


def _days_of_month(month: int, first: int, last: int, year: int | None = None) -> Between | None:
    return Between(Day(first, month, year), Day(last, month, year)) if 1 <= first < last <= 31 else None


def _full(date: Day, weekday: int | None = None) -> Day:
    return date


def _weekday_and_day(weekday: int, day: int, shift: int = 0) -> Day:
    return Day(day, weekday=weekday)


def _weekday_of_week(weekday: int, shift: int) -> Weekday:
    return Weekday(weekday, shift)


def _after_next(weekday: int) -> Weekday:
    return Weekday(weekday, nearest=1, times=2)


def _days_ago(count: int, weekday: int) -> Weekday:
    return _nearest(-1, weekday, count)


def _days_ahead(count: int, weekday: int) -> Weekday:
    return _nearest(1, weekday, count)


def _near_today(day: int = 0) -> Period:
    return Period("day", day)


def _day_after(day: int) -> Period:
    return Period("day", day + 1)


def _day_before(day: int) -> Period:
    return Period("day", day - 1)


_WEEKDAY = "(weekday=WEEKDAY DOT? COMMA? the?)?"
_OR = "(COMMA | DOT | of | in | SLASH | DASH)*"
_YEAR = f"({_OR} year=YEAR (?! DASH DAYNUM ))?"
_NOT_COUNTING = "(?! UNIT | COLON | DASH UNIT | WORKING )"
_MARK = "(DOT | DASH | SLASH | COMMA)?"
_RANGE_END = "(COMMA? year=YEAR (?! DASH DAYNUM ))? (?! UNIT | COLON | MONTH | SLASH | HALF )"
_NOT_A_RANGE = "(?! DASH | TO | SLASH | UNIT | COLON | CLOSE | of )"

RULES: tuple[Rule, ...] = (
    # with a month
    rule("DATE", f"{_WEEKDAY} month=MONTH {_MARK} the? day=DAYANY {_NOT_COUNTING} (OPEN WEEKDAY CLOSE)? {_YEAR}", day),
    rule(
        "RANGE",
        f"month=MONTH DOT? (from | between)? first=DAYNO (DASH | TO | and) last=DAYNO {_RANGE_END}",
        _days_of_month,
    ),
    rule("DATE", f"{_WEEKDAY} the? day=DAYNO day? (of | DASH | SLASH | DOT)* the? month=MONTH {_YEAR}", day),
    rule("DATE", "day=DAYWORD of? month=MONTH (COMMA? year=YEAR)?", day),
    rule("DATE", "year=YEAR (SLASH | DASH) month=MONTH (SLASH | DASH) day=DAYNUM", day),
    rule("DATE", "year=YEAR SLASH day=DAYNUM SLASH month=MONTH", day),
    rule("DATE", "year=YEAR4 month=MONTHNUM day=DAYNUM (?! UNIT )", day),
    rule("DATE", "day=DAYNUM month=MONTHNUM year=YEAR4 (?! UNIT )", day),
    rule("DATE", f"{_WEEKDAY} OPEN? date=FULLDATE CLOSE?", _full),
    rule("DATE", "date=MONTHDAY COMMA? year=YEAR", _with_year),
    rule("DATE", "pair=MD COMMA year=FOURORTWO (?! COLON | of | MONTH )", _slashed),
    rule("DATE", "(SHIFTED? weekday=WEEKDAY) OPEN? pair=MD CLOSE?", _slashed),
    rule("DATE", "SHIFTED pair=MD", _slashed),
    rule("DATE", "SHIFTED WEEKDAY number=DECIMAL", _dotted),
    rule("DATE", "SHIFTED WEEKDAY OPEN month=MONTH DASH? day=DAYANY CLOSE", day),
    rule("SLASHED", "pair=MD (?! UNIT )", _slashed),
    rule("DATE", "(?<= on ) first=DAYNUM DASH second=DAYNUM (?! DASH | HALF | UNIT )", _dashed),
    # without one
    rule("DATE", f"shift=SHIFT? weekday=WEEKDAY (COMMA | DOT | the)* day=DAYNO {_NOT_A_RANGE}", _weekday_and_day),
    rule("DATE", "weekday=WEEKDAY the day=DAYWORD", _weekday_and_day),
    rule("DATE", "weekday=WEEKDAY (COMMA | of | on | in | from)* the? shift=SHIFTED week", _weekday_of_week),
    rule("DATE", "shift=SHIFTED week (COMMA | on)* weekday=WEEKDAY (?! TO | DASH )", _weekday_of_week),
    rule("DATE", "SHIFT? direction=NEAREST weekday=WEEKDAY", _nearest),
    rule("DATE", "weekday=WEEKDAY after the? next", _after_next),
    rule("DATE", "shift=SHIFT weekday=WEEKDAY (?! of | in MONTH )", _weekday_of_week),
    rule("DATE", "count=WHOLE weekday=WEEKDAYS (ago | back)", _days_ago),
    rule("DATE", "count=WHOLE weekday=WEEKDAYS from now", _days_ahead),
    # by distance
    rule("DATE", "the? day after day=RELDAY", _day_after),
    rule("DATE", "the? day before day=RELDAY", _day_before),
    rule("RELATIVEDAY", "current date", _near_today),
    rule("RELATIVEDAY", "day=RELDAY", _near_today),
    rule("RELATIVEDAY", "the? day=SHIFT day (?! of | in )", _near_today),
    # bare
    rule("OPENWEEKDAY", "weekday=WEEKDAY", Weekday),
    rule("OPENDAY", "the day=ORDINAL (?! UNIT | FINAL | WEEKDAY | century | half )", day),
    rule("OPENDAY", "the day=DAYNUM (?! UNIT | DASH | WEEKDAY | SLASH | TO | SHIFTED )", day),
    rule("NUMBERDAY", "(?<= on ) day=DAYNUM (?! UNIT | DASH | WEEKDAY )", day),
    rule("OPENDAY", "day=ORDNUM (?! UNIT | FINAL | WEEKDAY | century | half )", day),
)
