"""Rules for weeks, months, seasons, quarters, years and parts of them: "next month", "May 2014", "Q3", "the first week of
October", "early next year", "the 1970s". Also days that are found within such a period."""

from __future__ import annotations

from dataclasses import replace

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.base import Literal, Meaning
from graphmem.text.times.meaning.periods import (
    After,
    Containing,
    Day,
    DayIn,
    Fraction,
    Month,
    Named,
    Nth,
    NumberedPart,
    Period,
    Remainder,
    Season,
    Weekday,
    Weekend,
    Year,
)
from graphmem.text.times.shapes import full_year

_THIS_MONTH = Period("month")
# Units too short for "this minute" and "last second" to mean a period.
_TOO_SHORT = ("second", "minute", "millisecond", "night", "hour")


def _month(month: int, year: int) -> Month:
    return Month(month, full_year(year))


def _month_of(month: int, shift: int) -> Nth:
    return Nth(month, "month", Period("year", shift))


def _named(shift: int, month: int) -> Named:
    return Named(month, shift)


def _month_in(year: Meaning, month: Month) -> Nth | None:
    return Nth(month.month, "month", year) if isinstance(year, Period) and year.unit == "year" else None


def _shifted(unit: str, shift: int = 0) -> Period | None:
    return None if unit in _TOO_SHORT else Period(unit, shift)


def _after_next(unit: str) -> Period | None:
    return _shifted(unit, 2)


def _before_last(unit: str) -> Period | None:
    return _shifted(unit, -2)


def _part_of_year(number: int, unit: str, year: int | None = None, shift: int | None = None) -> NumberedPart | None:
    return NumberedPart(unit, number, year, shift) if 1 <= number <= (4 if unit == "quarter" else 2) else None


def _with_year(part: NumberedPart, year: int | Year | None = None, shift: int | None = None) -> NumberedPart:
    return replace(part, year=year.year if isinstance(year, Year) else year, offset=shift)


def _week(number: int, year: int | None = None) -> Nth | None:
    container: Meaning = Period("year") if year is None else Year(year)
    return Nth(number, "week", container) if 1 <= number <= 53 else None


def _school_year(year: int) -> Literal:
    return Literal(f"SY{year}")


def _decade(number: int, which: str = "") -> Year | Fraction:
    decade = Year((1900 if number > 20 else 2000) + number, "decade")
    return Fraction(which, decade) if which else decade


def _spelled_decade(century: int, decade: int) -> Year:
    return Year(century * 100 + decade, "decade")


def _century(number: int) -> Year | None:
    return Year((number - 1) * 100, "century") if 2 <= number <= 21 else None


def _from_the_end(number: int, unit: str, container: Meaning) -> Nth:
    return Nth(-number, unit, container)


def _nth_weekday(number: int, weekday: Weekday, container: Meaning = _THIS_MONTH) -> Nth:
    return Nth(number, "day", container, weekday.weekday)


def _weekday_after(number: int, weekday: Weekday, day: Meaning) -> After:
    return After(weekday.weekday, day, number)


def _weekday_in(weekday: Weekday, week: Meaning) -> DayIn | None:
    is_week = isinstance(week, Period | Nth) and week.unit == "week"
    return DayIn(week, weekday=weekday.weekday) if is_week else None


def _day_in(day: int | Day, container: Meaning) -> DayIn | None:
    number = day.day if isinstance(day, Day) else day
    return DayIn(container, day=number) if 1 <= number <= 31 else None


_OR = "(COMMA | of | in | DASH | SLASH | DOT)*"
_OF = "(of | in | POSSESSIVE)* the?"
_PART_OF = "(of | COMMA | DASH | SLASH | in)*"
_OPEN_END = "(?! of | in the | in MONTH )"
_NOT_OPENED = (
    "(?! of | starting | beginning | commencing | from | on | before | after | earlier | later | to | over | DASH )"
)

NAMED: tuple[Rule, ...] = (
    # months
    rule("YEARMONTH", f"(THE? month of)? month=MONTH {_OR} year=YEAR (?! DASH DAYNUM )", _month),
    rule("YEARMONTH", "month=MONTH (of | POSSESSIVE) year=YEAR2", _month),
    rule("YEARMONTH", "month=MONTH year=OLDYEAR2 (?! UNIT | COLON )", _month),
    rule("YEARMONTH", "year=YEAR (COMMA | DASH | SLASH)* month=MONTH", _month),
    rule("PERIOD", "month=MONTH (of | in | COMMA)* the? shift=SHIFT year", _month_of),
    rule("SHIFTEDMONTH", "this? shift=SHIFTED month=MONTH", _named),
    rule("PERIOD", "month=MONTH after the? next", lambda month: Named(month, 2)),
    rule("NAMEDMONTH", "THE? month of month=MONTH", Month),
    rule("OPENMONTH", "month=MONTH (?! DOT? NUMBER )", Month),
    # quarters and halves
    rule("PERIOD", f"part=YEARPART {_PART_OF} year=YEARNAME", _with_year),
    rule("PERIOD", f"year=YEARNAME {_PART_OF} part=YEARPART", _with_year),
    rule("PERIOD", "part=YEARPART of? the? shift=SHIFT year", _with_year),
    rule("PERIOD", f"the? number=ORDINAL DASH? unit=PARTUNIT {_OF} (year of?)? year=YEAR", _part_of_year),
    rule("PERIOD", f"the? number=ORDINAL DASH? unit=PARTUNIT {_OF} shift=SHIFT year", _part_of_year),
    rule("PERIOD", "year=YEAR POSSESSIVE? COMMA? the? number=ORDINAL unit=PARTUNIT", _part_of_year),
    rule("PERIOD", "the? shift=SHIFT year POSSESSIVE? the? number=ORDINAL unit=PARTUNIT", _part_of_year),
    rule("OPENQUARTER", "the? number=ORDINAL DASH? unit=PARTUNIT (?! of | in )", _part_of_year),
    # seasons
    rule("PERIOD", "the? season=SEASON (of | COMMA | in)* year=YEAR", Season),
    rule("PERIOD", "this? the? offset=SHIFTED season=SEASON", Season),
    rule("PERIOD", "season=SEASON (of | COMMA)* offset=SHIFT year", Season),
    rule("OPENSEASON", "the? season=SEASON", Season),
    # weeks, and any unit by its distance
    rule("PERIOD", f"the? week number=WHOLE ({_OR} year=YEAR)?", _week),
    rule("PERIOD", f"year=YEAR {_OR} number=WEEKCODE", _week),
    rule("PERIOD", f"number=WEEKCODE ({_OR} year=YEAR)?", _week),
    rule("PERIOD", "THE? unit=UNIT after the? next", _after_next),
    rule("PERIOD", "THE? unit=UNIT before the? last", _before_last),
    rule("PERIOD", f"the? shift=SHIFT (calendar | fiscal | financial)? unit=UNIT1 {_OPEN_END}", _shifted),
    rule("PERIOD", "THE? shift=COMING unit=UNIT1 (?<! weekend )", _shifted),
    rule("PERIOD", "(THE | same)? shift=SHIFTED? WORKING unit=WEEKUNIT", _shifted),
    rule("PERIOD", "the? same unit=UNIT", _shifted),
    # years, decades, centuries
    rule("PERIOD", "the? school year year=YEAR", _school_year),
    rule("PERIOD", "the? ((fiscal | calendar | financial)? year of? | fiscal) year=YEAR", Year),
    rule("PERIOD", "the? year of? year=OLDYEAR", Year),
    rule("PERIOD", "year=YEARCODE", lambda year: year),
    rule("PERIOD", "the? decade=DECADE4", lambda decade: decade),
    rule("PERIOD", "the (which=EARLY DASH?)? number=DECADENO", _decade),
    rule("PERIOD", "the? century=CENTURYWORD decade=DECADES", _spelled_decade),
    rule("PERIOD", "the two thousands", lambda: Year(2000, "decade")),
    rule("PERIOD", "the? number=ORDINAL DASH? century", _century),
    rule("BAREYEAR", "year=YEAR", Year),
    # "the month" after "the end of", "the third day of"
    rule("CURRENT", f"(?<= of | in | rest ) THE? unit=LONGUNIT {_NOT_OPENED}", Period),
)
NESTED: tuple[Rule, ...] = (
    # the n-th of a longer period
    rule("PERIOD", f"the? number=ORDINAL to? FINAL unit=UNIT {_OF} container=CONTAINER", _from_the_end),
    rule("PERIOD", f"the? number=NTH unit=LONGUNIT {_OF} container=CONTAINER", Nth),
    rule("DATE", f"the? number=NTH unit=DAYUNIT {_OF} container=CONTAINER", Nth),
    rule("DATE", f"the? number=NTH weekday=OPENWEEKDAY {_OF} container=CONTAINER", _nth_weekday),
    rule("DATE", "the? number=NTH weekday=OPENWEEKDAY after day=DAYS", _weekday_after),
    rule("DATE", "number=ORDINAL weekday=OPENWEEKDAY", _nth_weekday),
    rule("DATE", "day=OPENDAY day? (of | in) container=CONTAINER", _day_in),
    rule("DATE", "container=PERIODS (COMMA | on)* day=OPENDAY", _day_in),
    rule("DATE", "the? day=DAYNO day? of the? container=CONTAINER", _day_in),
    rule("DATE", "weekday=OPENWEEKDAY (of | in | on | COMMA)* week=PERIODS", _weekday_in),
    rule("PERIOD", "year=PERIODS in month=OPENMONTH", _month_in),
    # what contains a day
    rule(
        "PERIOD",
        "THE? unit=CONTAINING (of | starting | beginning | commencing | from | on)+ the? inner=DAYS",
        Containing,
    ),
    # a part of a period
    rule("PERIOD", "the? which=EARLY (DASH | of | in | the | part)* inner=CONTAINER", Fraction),
    rule("PERIOD", "the? which=EDGE of the? inner=CONTAINER", Fraction),
    rule("PERIOD", "which=EARLY DASH? unit=LONGUNIT", lambda which, unit: Fraction(which, Period(unit))),
    rule("PERIOD", "unit=TODATE DASH? end", lambda unit: Fraction("finish", Period(unit))),
    rule("PERIOD", "the? (rest | remainder | remaining) of? inner=CONTAINER", Remainder),
    rule("DATETIME", "the? (rest | remainder | remaining) of? (THE | SHIFT)? day", lambda: Remainder(Period("day"))),
    rule("PERIOD", "my unit=SPANUNIT", _shifted),
    rule("PERIOD", "THE? past weekend", lambda: Period("weekend", -1)),
    rule("PERIOD", "THE? COMING weekend", lambda: Period("weekend")),
    rule("PERIOD", "THE? weekend", Weekend),
    rule("PERIOD", "the fortnight", lambda: Period("fortnight")),
)
