"""Rules for recurrences (TIMEX3 SET): "every Monday at 9", "weekly", "twice a month", "Friday mornings".
A single day is a matter of `dates`."""

from __future__ import annotations

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.base import Literal
from graphmem.text.times.meaning.clocks import Clock
from graphmem.text.times.meaning.spans import Length
from graphmem.text.times.shapes import month_and_day


def _every(unit: str, count: float = 1, times: int = 1) -> Literal:
    return Literal(Length(((count * times, unit),)).iso)


def _every_other(unit: str) -> Literal:
    return _every(unit, 2)


def _often(value: str) -> Literal:
    return Literal(value)


def _factored(factor: float, value: str) -> Literal:
    number, unit = value[1:-1].lstrip("T"), value[-1]
    return Literal(f"P{'T' if 'T' in value else ''}{float(number) * factor:.15g}{unit}")


def _weekly(weekday: int, part: str = "") -> Literal:
    return Literal(f"XXXX-WXX-{weekday + 1}" + (f"T{part}" if part else ""))


def _daily(part: str) -> Literal:
    return Literal(f"T{part}")


def _yearly(month: int) -> Literal:
    return Literal(f"XXXX-{month:02d}")


def _yearly_on(date: tuple[int, int]) -> Literal | None:
    order = month_and_day(*date)
    return order and Literal(f"XXXX-{order[0]:02d}-{order[1]:02d}")


def recurring_at(recurrence: Literal, time: Clock | int) -> Literal:
    """Return a recurrence at a time of day: XXXX-WXX-1T09:00."""
    if not isinstance(time, Clock):
        time = Clock(time)
    clock = f"T{time.hour:02d}:{time.minute or 0:02d}"
    days = recurrence.value.partition("T")[0]
    return Literal((days if days.startswith("X") else "") + clock)


RULES: tuple[Rule, ...] = (
    rule("SET", "EACH weekday=WEEKDAY part=PART?", _weekly),
    rule("SET", "(once)? EACH ORDINAL weekday=WEEKDAY", _weekly),
    rule("SET", "EACH other weekday=WEEKDAY", _weekly),
    rule("SET", "(?<! WHOLE ) weekday=WEEKDAYS part=PARTS?", _weekly),
    rule("SET", "weekday=WEEKDAY part=PARTS", _weekly),
    rule("SET", "EACH part=PART", _daily),
    rule("SET", "(?<! WHOLE ) value=DAYKINDS", _often),
    rule("SET", "EACH (weekday | workday)", lambda: Literal("XXXX-WXX-WD")),
    rule("SET", "any weekend", lambda: Literal("P1WE")),
    rule("SET", "EACH WORKING unit=WORKDAY", _every),
    rule("SET", "EACH (single)? unit=UNIT", _every),
    rule("SET", "EACH other unit=UNIT", _every_other),
    rule("SET", "once? EACH count=COUNT DASH? unit=UNIT", _every),
    rule("SET", "EACH month=MONTH", _yearly),
    rule("SET", "EACH date=MD", _yearly_on),
    rule("SET", "any unit=YEARUNIT", _every),
    rule("SET", "(once | twice | thrice | WHOLE times) (A | per | EACH) unit=UNIT", _every),
    rule("SET", "factor=FACTOR DASH value=FREQUENCY", _factored),
    rule("SET", "value=FREQUENCY", _often),
    rule("SET", "(?<! WHOLE | DASH | the ) part=PARTS", _daily),
)
TIMED: tuple[Rule, ...] = (
    rule("SET", "recurrence=SET (COMMA | at | from)* time=CLOCK", recurring_at),
    rule("SET", "recurrence=SET at time=HOURNUM", recurring_at),
    rule("SET", "time=CLOCK (COMMA | on)* recurrence=SET", recurring_at),
)
