"""Rules for times of day: written out ("10:30", "half past seven"), in a part of the day ("7 in the evening") and on a
day ("tomorrow at 5pm", "Monday morning"). Ranges of times are in `ranges`."""

from __future__ import annotations

from dataclasses import replace

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.base import Meaning
from graphmem.text.times.meaning.clocks import At, Clock, ClockRange, DayPart, EndOfDay, HalfOf
from graphmem.text.times.meaning.periods import Day, Period, Year
from graphmem.text.times.meaning.spans import Lasting, Length

TODAY = Period("day")


def clock(
    hour: int, minute: int | None = None, second: int | None = None, half: str = "", zone: int | None = None
) -> Clock | None:
    """Return a clock time from what was said; None when there is none such."""
    if hour > 24 or (minute or 0) > 59:
        return None
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return Clock(hour, minute, second, bool(half) or hour > 12 or hour == 0, zone)


def _retimed(time: Clock, half: str = "", zone: int | None = None) -> Clock | None:
    if not half:
        return replace(time, zone=zone)
    return clock(time.hour, time.minute, time.second, half, zone)


def _run_together(digits: int, half: str = "", zone: int | None = None) -> Clock | None:
    return clock(digits // 100, digits % 100, half=half, zone=zone)


def _minutes_and_seconds(time: Clock) -> Length | None:
    # "[04:44 min]" in the report of a build
    return None if time.second else Length(((time.hour, "minute"), (time.minute or 0, "second")))


def dotted(number: float, half: str = "") -> Clock | None:
    """Return a clock time written with a dot: 9.30."""
    hour, minute = divmod(round(number * 100), 100)
    return clock(hour, minute, half=half)


def _moved(minutes: float, hour: Clock | int) -> Clock | None:
    base = hour if isinstance(hour, Clock) else clock(hour)
    if base is None:
        return None
    total = (base.hour * 60 + (base.minute or 0) + round(minutes)) % (24 * 60)
    return replace(base, hour=total // 60, minute=total % 60)


def _before(minutes: float, hour: Clock | int) -> Clock | None:
    return _moved(-minutes, hour)


def _half_of_hour(hour: int) -> Clock:
    # "half three" without am or pm is said of office hours
    return Clock(hour + 12 if hour < 7 else hour, 30)


def _in_part(time: Clock | int, part: str) -> Clock | None:
    base = time if isinstance(time, Clock) else clock(time)
    return base and base.during(part)


def day_part(part: str, which: str = "") -> DayPart:
    """Return a part of day, early or late in it when `which` says so."""
    return DayPart(part, which)


def at_part(part: str, which: str = "", late: str = "", shift: int = 0, day: Meaning | None = None) -> At:
    """Return a part of a day, by default of the day `shift` days from today."""
    return At(day or Period("day", shift), DayPart(part, which or late))


def at(day: Meaning, time: Clock | DayPart | ClockRange | int) -> At | None:
    """Return a time on a day."""
    found = clock(time) if isinstance(time, int) else time
    return None if found is None else At(day, found)


def _at_in_year(day: Meaning, time: Clock, year: Year) -> At | None:
    return At(replace(day, year=year.year), time) if isinstance(day, Day) and day.year is None else None


def _lasting_on(day: Meaning, lasting: Lasting) -> Lasting | None:
    return Lasting(lasting.length, At(day, lasting.start)) if isinstance(lasting.start, Clock) else None


def at_hours(day: Meaning, first: int, last: int) -> At | None:
    """Return a range of bare hours on a day."""
    begin, until = clock(first), clock(last)
    return None if begin is None or until is None else At(day, ClockRange(begin, until))


def _tonight(time: Clock | int | None = None) -> At | None:
    night = at_part("NI")
    return night if time is None else at(night, time)


def _half_of_day(which: str, day: Meaning = TODAY) -> HalfOf | None:
    return None if which == "mid" else HalfOf(which, day)


def _am_or_pm(day: Meaning, half: str) -> At:
    return At(day, DayPart("MO" if half == "am" else "AF"))


EXPLICIT: tuple[Rule, ...] = (
    rule("LENGTH", "time=TIME MINUTES", _minutes_and_seconds),
    rule("CLOCK", "time=TIME COMMA? half=HALF zone=ZONES?", _retimed),
    rule("CLOCK", "time=TIME zone=ZONES?", _retimed),
    rule("CLOCK", "hour=HOUR h minute=MINUTE half=AMPM?", clock),
    rule("CLOCK", "(?<! MONTH ) hour=HOUR ish? half=AMPM zone=ZONES?", clock),
    rule("CLOCK", "hour=HOUR minute=MINUTE half=AMPM", clock),
    rule("CLOCK", "hour=HOURWORD half=AMPM zone=ZONES?", clock),
    rule("CLOCK", "hour=HOURWORD DASH? minute=MINUTEWORD half=AMPM", clock),
    rule("CLOCK", "hour=HOURWORD DASH? minute=MINUTEWORD (?! UNIT | DASH | MONTH | NUMBERWORD )", clock),
    rule("CLOCK", "hour=HOURWORD (oh | o | zero) minute=ONES half=AMPM?", clock),
    rule("CLOCK", "at? number=DOTTED half=AMPM", dotted),
    rule("CLOCK", "at number=DOTTED (?! NUMBER | UNIT )", dotted),
    rule("CLOCK", "digits=HHMM half=AMPM", _run_together),
    rule("CLOCK", "at digits=HOURMINUTE (?! UNIT )", _run_together),
    rule("CLOCK", "hour=HOUR OCLOCK half=AMPM?", clock),
    rule("CLOCK", "hour=HOURWORD OCLOCK half=AMPM?", clock),
    rule("CLOCK", "at hour=HOUR half=GLUEDAP", clock),
    rule("CLOCK", "at hour=HOUR HOURSIGN zone=ZONES?", clock),
    rule("CLOCK", "(?<= YEAR4 ) hour=HOUR HOURSIGN", clock),
    rule("CLOCK", "hour=HOUR HOURSIGN zone=ZONES", clock),
    rule("CLOCK", "(?<= ATWORD ) hour=HOUR zone=ZONES", clock),
    rule("CLOCK", "digits=HHMM (hours | hrs)? zone=ZONE", _run_together),
    rule("CLOCK", "digits=HOURMINUTE (hours | hrs)", _run_together),
    rule("CLOCK", "N12? hour=NOON", lambda hour: Clock(hour, sure=True)),
    rule("CLOCK", "mid DASH? day", lambda: Clock(12, sure=True)),
    rule("CLOCK", "mid night", lambda: Clock(0, sure=True)),
)
RELATED: tuple[Rule, ...] = (
    rule("CLOCK", "half past hour=HOURLIKE OCLOCK?", lambda hour: _moved(30, hour)),
    rule("CLOCK", "half hour=HOURWORD (?! UNIT )", _half_of_hour),
    rule("CLOCK", "a? quarter PASTWORD hour=HOURLIKE OCLOCK?", lambda hour: _moved(15, hour)),
    rule("CLOCK", "a? quarter TOWORD hour=HOURLIKE OCLOCK?", lambda hour: _moved(-15, hour)),
    rule("CLOCK", "minutes=SMALL MINUTES (PASTWORD | from) hour=HOURLIKE OCLOCK?", _moved),
    rule("CLOCK", "minutes=SMALL MINUTES TOWORD hour=HOURLIKE OCLOCK?", _before),
    rule("CLOCK", "minutes=SMALL PASTWORD hour=HOURLIKE OCLOCK?", _moved),
)
IN_PART: tuple[Rule, ...] = (
    rule("CLOCK", "time=CLOCK COMMA? (in the?)? (early | late)? part=PART (?! POSSESSIVE )", _in_part),
    rule("CLOCK", "time=HOURLIKE in the (early | late)? part=PART", _in_part),
    rule("CLOCK", "hour=HOUR in the half=AMPM", clock),
    rule("CLOCK", "(in the? | early | late)? (?<! SHIFTED ) part=PART ATABOUT* time=CLOCK", _in_part),
    rule(
        "CLOCK", "(in the? | early | late)? (?<! SHIFTED ) part=PART ATABOUT+ time=HOURLIKE (?! DASH | TO )", _in_part
    ),
    rule("DAYPART", "(in the?)? which=EARLY (in the | DASH)? part=PART", day_part),
    rule("DAYPART", "in the? business hours", lambda: DayPart("BH")),
    rule("DAYPART", "in the? part=PART", day_part),
    rule("DAYPART", "in the (which=EARLY DASH?)? part=PARTS", day_part),
    rule("DAYPART", "at part=PART", day_part),
)
ON_DAY: tuple[Rule, ...] = (
    rule("DATETIME", "TONIGHT ATABOUT* time=CLOCK", _tonight),
    rule("DATETIME", "TONIGHT ATABOUT+ time=HOURLIKE", _tonight),
    rule("DATETIME", "time=CLOCK TONIGHT", _tonight),
    rule("DATETIME", "which=EARLY? TONIGHT", lambda which="": at_part("NI", which)),
    rule("DATETIME", "which=EARLY? shift=SHIFTED late=EARLY? part=PART", at_part),
    rule("ENDOFDAY", "the? end of the? day (?! DAYS )", EndOfDay),
    rule("ENDOFDAY", "the? eod (?! DAYS )", EndOfDay),
    rule("ENDOFDAY", "the? (end of | end of day | eod) the? day=DAYS", EndOfDay),
    rule("DATETIME", "which=EARLY in the day day=DAYS?", _half_of_day),
    rule("DATETIME", "which=EARLY day=DAYS part=PART", at_part),
    rule("DATETIME", "which=EARLY (in | on)? day=HALVABLE", _half_of_day),
    rule("DATETIME", "day=DAYS (COMMA | in the | DASH)* which=EARLY? DASH? part=PART (?! POSSESSIVE )", at_part),
    rule("DATETIME", "day=DAYS in the part=PART", at_part),
    rule("DATETIME", "time=DAYPART (of | on | COMMA)* day=DAYS", at),
    rule("DATETIME", "day=DAYS COMMA? time=DAYPART", at),
    rule("DATETIME", "day=DAYS half=AMPM", _am_or_pm),
    rule("DATETIME", "the? part=PART (of | on) the? day=DAYS", at_part),
    rule("DATETIME", "which=EARLY? part=PART day=RELATIVEDAY", at_part),
    rule("OPENPART", "part=PART", day_part),
)
_RANGE = "first=HOURNUM (DASH | TO | TILDE) last=HOURNUM"
JOINED: tuple[Rule, ...] = (
    rule("DATETIME", "day=DATE time=CLOCK year=BAREYEAR", _at_in_year),
    rule("DATETIME", "day=DAYTIME (COMMA | on | at | from | between | DASH)* time=TIMERANGE", at),
    rule("DATETIME", "time=TIMERANGE (COMMA | on | of | for)* day=DAYTIME", at),
    rule("DATETIME", f"day=DAYTIME (COMMA | from | at)* {_RANGE} (?! SLASH | UNIT | MONTH )", at_hours),
    rule("DATETIME", "day=DAYTIME COMMA? between first=HOURNUM and last=HOURNUM", at_hours),
    rule("DATETIME", f"from? {_RANGE} (COMMA | on | of)* day=DAYTIME", at_hours),
    rule("DATETIME", "between first=HOURNUM and last=HOURNUM (COMMA | on | of)* day=DAYTIME", at_hours),
    rule("DATETIME", "day=DAYTIME (COMMA | DASH | ATABOUT | for | on)* time=CLOCK", at),
    rule("INTERVAL", "day=DAYTIME (COMMA | from)* lasting=LASTING", _lasting_on),
    rule("DATETIME", "day=DATE time=HOUR HOURSIGN", at),
    rule("DATETIME", "day=DAYTIME COMMA? ATABOUT+ time=HOURNUM (?! DASH | UNIT | DECIMAL | DOTTED )", at),
    rule("DATETIME", "time=CLOCK (COMMA | on | of | DASH | the)* day=DAYTIME", at),
    rule("DATETIME", "day=RELATIVEDAY time=HOURWORD (?! UNIT )", at),
    rule("DATETIME", "at? time=HOURNUM COMMA? day=TODAYLIKE", at),
    rule(
        "BAREHOUR",
        "(?<= at | SIGN ) time=HOURNUM (?! DASH | UNIT | DECIMAL | DOTTED | SLASH | NUMBER | MONTH | COLON )",
        lambda time: clock(time),
    ),
)
