"""Rules for Korean, by family and in the kinds of the English rules, so that both share the later levels: "2024년 5월 3일",
"다음 주 월요일", "3일 전", "오후 3시 반", "매주 금요일", "5월 3일부터 5일까지". The words are in `times.korean`."""

from __future__ import annotations

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.grammar.clocks import at, at_part, clock
from graphmem.text.times.grammar.recurring import recurring_at
from graphmem.text.times.meaning.base import FUTURE, PAST, Literal, Meaning
from graphmem.text.times.meaning.clocks import At, Clock, ClockRange, DayPart
from graphmem.text.times.meaning.periods import (
    Day,
    DayIn,
    Fraction,
    Month,
    Nth,
    NumberedPart,
    Period,
    Season,
    Weekday,
    Year,
)
from graphmem.text.times.meaning.spans import SOME, Away, Between, Bounded, Length, Window
from graphmem.text.times.shapes import full_year


def _day(month: int, day: int, year: int | None = None) -> Day | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Day(day, month, None if year is None else full_year(year))


def _month(month: int, year: int | None = None) -> Month | None:
    return Month(month, None if year is None else full_year(year)) if 1 <= month <= 12 else None


def _month_in(month: int, shift: int) -> Nth | None:
    return Nth(month, "month", Period("year", shift)) if 1 <= month <= 12 else None


def _day_in(day: int, month: Meaning) -> DayIn | None:
    return DayIn(month, day=day) if 1 <= day <= 31 else None


def _day_in_month(day: int, shift: int) -> DayIn | None:
    return _day_in(day, Period("month", shift))


def _last_weekday(weekday: int, shift: int) -> Weekday:
    # "지난 금요일" is the last one, while "다음 금요일" is next week's
    return Weekday(weekday, nearest=-1) if shift == -1 else Weekday(weekday, shift)


def _quarter(number: int, year: int | None = None, shift: int | None = None) -> NumberedPart | None:
    return NumberedPart("quarter", number, year, shift) if 1 <= number <= 4 else None


def _half_year(number: int, year: int | None = None, shift: int | None = None) -> NumberedPart:
    return NumberedPart("half", number, year, shift)


def _clock(
    hour: int, minute: int | None = None, second: int | None = None, half: str = "", part: str = ""
) -> Clock | None:
    found = clock(hour, minute, second, half)
    return found.during(part) if found is not None and part else found


def _half_past(hour: int, half: str = "", part: str = "") -> Clock | None:
    return _clock(hour, 30, None, half, part)


def _retimed(time: Clock, half: str = "", part: str = "") -> Clock | None:
    return _clock(time.hour, time.minute, time.second, half, part)


def _length(count: float, unit: str) -> Length:
    return Length(((count, unit),))


def _length_and_half(count: float, unit: str) -> Length:
    return Length(((count + 0.5, unit),))


def _vague(unit: str) -> Length:
    return Length(((SOME, unit),), vague=True)


def _half_length(unit: str) -> Length:
    return _length(30 if unit == "minute" else 6, unit)


def _weekly(weekday: int) -> Literal:
    return Literal(f"XXXX-WXX-{weekday + 1}")


def _daily(part: str) -> Literal:
    return Literal(f"T{part}")


def _monthly(day: int) -> Literal:
    return Literal(f"XXXX-XX-{day:02d}")


def _yearly(month: int, day: int | None = None) -> Literal:
    return Literal(f"XXXX-{month:02d}" + ("" if day is None else f"-{day:02d}"))


def _every(count: float, unit: str) -> Literal:
    return Literal(_length(count, unit).iso)


def _part_of_day(day: Meaning, part: str = "", half: str = "") -> At:
    return At(day, DayPart(part or ("MO" if half == "am" else "AF")))


def _holiday(date: tuple[int, int], year: int | None = None) -> Day:
    return Day(date[1], date[0], year)


def _holiday_in(shift: int, date: tuple[int, int]) -> DayIn:
    return DayIn(Nth(date[0], "month", Period("year", shift)), day=date[1])


def _decade(year: int) -> Year:
    return Year(year // 10 * 10, "decade")


def _century(number: int) -> Year | None:
    return Year((number - 1) * 100, "century") if 2 <= number <= 21 else None


def _edge(edge: tuple[str, str]) -> Fraction:
    which, unit = edge
    return Fraction(which, Period(unit))


_HALF = "(half=KAMPM | part=KPART)?"
_YEAR = "year=DIGITS 년"
_ON = "(?= 에 | 에는 | 부터 | 까지 | TILDE | DASH )"

CLOCKS: tuple[Rule, ...] = (
    rule("CLOCK", f"{_HALF} hour=KHOUR 시 minute=DIGITS 분 (second=DIGITS 초)?", _clock),
    rule("CLOCK", f"{_HALF} hour=KHOUR 시 반", _half_past),
    rule("CLOCK", f"{_HALF} hour=KHOUR 시", _clock),
    rule("CLOCK", "(half=KAMPM | part=KPART) time=TIME", _retimed),
    rule("CLOCK", "hour=KNOON", lambda hour: Clock(hour, sure=True)),
    rule("DATETIME", "place=KPARTDAY", lambda place: at_part(place[1], shift=place[0])),
)
RECURRING: tuple[Rule, ...] = (
    rule("SET", "(매주 | 매 주) weekday=KWEEKDAY (마다)?", _weekly),
    rule("SET", "weekday=KWEEKDAY 마다", _weekly),
    rule("SET", "(매월 | 매달) day=DIGITS 일", _monthly),
    rule("SET", "매년 month=DIGITS 월 (day=DIGITS 일)?", _yearly),
    rule("SET", "매일 part=KPART", _daily),
    rule("SET", "count=KCOUNT unit=KANYUNIT 마다", _every),
    rule("SET", "value=KEVERY", Literal),
    rule("SET", "평일", lambda: Literal("XXXX-WXX-WD")),
)
DATES: tuple[Rule, ...] = (
    # days
    rule("DATE", f"({_YEAR})? month=DIGITS 월 day=DIGITS 일 (OPEN? (KWEEKDAY | KWEEKDAY1) CLOSE?)?", _day),
    rule(
        "DATE",
        "shift=KYEAR month=DIGITS 월 day=DIGITS 일",
        lambda shift, month, day: _day_in(day, Nth(month, "month", Period("year", shift))),
    ),
    rule("DATE", "shift=KSHIFT 달 day=DIGITS 일", _day_in_month),
    rule("DATE", "shift=KMONTH day=DIGITS 일", _day_in_month),
    rule("DATE", "shift=KSHIFT 주 의? weekday=KWEEKDAY", lambda shift, weekday: Weekday(weekday, shift)),
    rule("DATE", "shift=KWEEK 의? weekday=KWEEKDAY", lambda shift, weekday: Weekday(weekday, shift)),
    rule(
        "DATE",
        "direction=KNEAREST 주? weekday=KWEEKDAY",
        lambda direction, weekday: Weekday(weekday, nearest=direction),
    ),
    rule("DATE", "shift=KSHIFT weekday=KWEEKDAY", _last_weekday),
    rule("DATE", "weekday=KWEEKDAY", Weekday),
    rule("DATE", f"day=DAYNUM 일 {_ON}", Day),
    rule("RELATIVEDAY", "day=KDAY", lambda day: Period("day", day)),
    rule("DATE", f"{_YEAR} 의? date=KHOLIDAY", lambda year, date: _holiday(date, year)),
    rule("DATE", "shift=KYEAR date=KHOLIDAY", _holiday_in),
    rule("DATE", "date=KHOLIDAY", _holiday),
    # months, quarters, halves, seasons
    rule("YEARMONTH", f"{_YEAR} month=DIGITS 월", _month),
    rule("PERIOD", "shift=KYEAR 의? month=DIGITS 월 달?", _month_in),
    rule("NAMEDMONTH", "month=DIGITS 월 달?", _month),
    rule("PERIOD", "year=YEAR4 년 number=DIGITS 분기", _quarter),
    rule("PERIOD", "shift=KYEARS number=DIGITS 분기", _quarter),
    rule("PERIOD", "number=DIGITS 분기", _quarter),
    rule("PERIOD", "year=YEAR4 년 number=KHALFYEAR", _half_year),
    rule("PERIOD", "shift=KYEARS? number=KHALFYEAR", _half_year),
    rule("PERIOD", "year=YEAR4 년 season=KSEASON", Season),
    rule("PERIOD", "offset=KYEARS season=KSEASON", Season),
    rule("PERIOD", "offset=KSHIFT season=KSEASON", Season),
    rule("PERIOD", f"season=KSEASON {_ON}", Season),
    # the rest
    rule("PERIOD", "year=YEAR4 (년도 | 년) (?! 전 | 뒤 | 후 | 동안 | 간 )", Year),
    rule("PERIOD", "year=YEAR4 년대", _decade),
    rule("PERIOD", "number=DIGITS 세기", _century),
    rule("PERIOD", "shift=KSHIFT unit=KPERIOD", lambda shift, unit: Period(unit, shift)),
    rule("PERIOD", "shift=KYEAR", lambda shift: Period("year", shift)),
    rule("PERIOD", "shift=KMONTH", lambda shift: Period("month", shift)),
    rule("PERIOD", "shift=KWEEK", lambda shift: Period("week", shift)),
    rule("PERIOD", "주말", lambda: Period("weekend")),
    rule("PERIOD", "edge=KEDGEWORD", _edge),
)
LENGTHS: tuple[Rule, ...] = (
    rule("LENGTH", "count=KCOUNT unit=KANYUNIT 반", _length_and_half),
    rule("LENGTH", "count=COUNT unit=KMINUTE", _length),
    rule("LENGTH", "count=KCOUNT unit=KUNIT", _length),
    rule("LENGTH", "count=KDAYS", lambda count: _length(count, "day")),
    rule("LENGTH", "KVAGUE unit=KANYUNIT", _vague),
    rule("LENGTH", "일주일", lambda: _length(1, "week")),
    rule("LENGTH", "일년", lambda: _length(1, "year")),
    rule("LENGTH", "며칠", lambda: _vague("day")),
    rule("LENGTH", "unit=KHALFLENGTH", _half_length),
)
RELATIVE: tuple[Rule, ...] = (
    rule("PERIOD", "inner=PERIODS 의? which=KEDGE", lambda inner, which: Fraction(which, inner)),
    rule("MOMENT", "length=LENGTH direction=KAGO", Away),
    rule("MOMENT", "length=LENGTH direction=KHENCE", Away),
    rule("INTERVAL", "length=LENGTH (이내 | 안 | 내)", lambda length: Window(length, FUTURE, from_today=True)),
    rule("INTERVAL", "(지난 | 최근) length=LENGTH (동안 | 간)?", lambda length: Window(length, PAST)),
    rule("INTERVAL", "앞으로 length=LENGTH (동안 | 간)?", lambda length: Window(length, FUTURE)),
    rule("REFERRED", "(방금 | KSHORT) 전", lambda: Literal("PAST_REF")),
    rule("REFERRED", "value=KREFERENCE", Literal),
    rule("REFERRED", "value=KNOW", Literal),
    rule("REFERRED", "현재 (?= KPARTICLE )", lambda: Literal("PRESENT_REF")),
)
ON_DAY: tuple[Rule, ...] = (
    rule("DATETIME", "day=DAYS 의? part=KPART", _part_of_day),
    rule("DATETIME", "day=DAYS 의? half=KAMPM", _part_of_day),
    rule("DAYPART", "part=KPART (?= 에 )", DayPart),
    rule("DAYPART", "half=KAMPM (?= 에 )", lambda half: DayPart("MO" if half == "am" else "AF")),
)
OF_TIMES: tuple[Rule, ...] = (
    rule("TIMERANGE", "first=CLOCK (부터 | 에서 | TILDE) last=CLOCK (까지 | 사이)?", ClockRange),
)
JOINED: tuple[Rule, ...] = (
    rule("DATETIME", "day=DAYTIME KPARTICLE? time=TIMERANGE", at),
    rule("DATETIME", "day=DAYTIME KPARTICLE? time=CLOCK", at),
    rule("SET", "recurrence=SET KPARTICLE? time=CLOCK", recurring_at),
)
RANGES: tuple[Rule, ...] = (
    rule("RANGE", "first=ENDPOINT (부터 | 에서 | TILDE) last=ENDPOINT (까지 | 사이)?", Between),
    rule("RANGE", "first=ENDPOINT (와 | 과) last=ENDPOINT 사이", Between),
    rule("INTERVAL", "inner=ENDPOINT 부터", lambda inner: Bounded("since", inner)),
    rule("INTERVAL", "inner=ENDPOINT 까지", lambda inner: Bounded("through", inner)),
    rule("INTERVAL", "inner=ENDPOINT KAGO", lambda inner: Bounded("before", inner)),
    rule("INTERVAL", "inner=ENDPOINT (이후 | 후 | 뒤)", lambda inner: Bounded("after", inner)),
)
