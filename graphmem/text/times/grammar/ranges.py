"""Rules for ranges and one-sided intervals: "3 to 5pm", "May 3 - 5", "from Monday through Wednesday", "since 2019",
"before Friday". Both read the results of all other families."""

from __future__ import annotations

from collections.abc import Callable

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.grammar.clocks import clock, dotted
from graphmem.text.times.meaning.base import Meaning
from graphmem.text.times.meaning.clocks import At, Clock, ClockRange
from graphmem.text.times.meaning.periods import Day, DayIn, Period, Weekday, Year
from graphmem.text.times.meaning.spans import Between, Bounded


def _times(first: Clock | int | None, last: Clock | int) -> ClockRange | None:
    begin = clock(first) if isinstance(first, int) else first
    until = last if isinstance(last, Clock) else clock(last)
    return None if begin is None or until is None else ClockRange(begin, until)


def _run_together(first: int, last: int) -> ClockRange | None:
    begin, until = clock(first // 100, first % 100), clock(last // 100, last % 100)
    return None if begin is None or until is None else ClockRange(begin, until)


def _between(first: Meaning, last: Meaning) -> Between | None:
    if isinstance(first, Clock) and isinstance(last, Period):
        return None  # "3pm - this week" are two remarks
    if isinstance(first, Day) and isinstance(last, Day) and not (first.month or last.month):
        return None  # "between the 21st and 23rd" counts something else as well
    return Between(first, last)


def _to_day(first: Meaning, last: int | Day) -> Between | None:
    day = last if isinstance(last, Day) else Day(last)
    return Between(first, day) if isinstance(first, Day) and first.month and 1 <= day.day <= 31 else None


def _from_day(first: int, last: Meaning) -> Between | None:
    if isinstance(last, DayIn) and last.day:
        return _days_in(first, last.day, last.container)
    return Between(Day(first), last) if isinstance(last, Day) and last.month and 1 <= first <= 31 else None


def _days_in(first: int, last: int, container: Meaning) -> Between | None:
    if not 1 <= first < last <= 31:
        return None
    return Between(DayIn(container, day=first), DayIn(container, day=last))


def _weekdays_in(container: Meaning, first: Weekday, last: Weekday) -> Between | None:
    if not isinstance(container, Period) or container.unit != "week":
        return None
    return Between(DayIn(container, weekday=first.weekday), DayIn(container, weekday=last.weekday))


def _years(first: Year, last: Year) -> Between | None:
    return Between(first, last) if first.year < last.year else None


def _dotted_times(first: float, last: Clock) -> ClockRange | None:
    return _times(dotted(first), last)


def _one_sided(relation: str) -> Callable[[Meaning], Bounded]:
    return lambda inner: Bounded(relation, inner)


def _on_day(relation: str) -> Callable[[Meaning, Clock], Bounded]:
    return lambda day, time: Bounded(relation, At(day, time))


_TO = "(TO | DASH | TILDE)"
_AND = "(TO | DASH | and)"
_FROM = "(from | between)?"
_NOT_COUNTING = "(?! UNIT | MONTH | SLASH | NUMBER )"

OF_TIMES: tuple[Rule, ...] = (
    rule("TIMERANGE", f"{_FROM} first=DOTTED {_AND} last=CLOCK", _dotted_times),
    rule("TIMERANGE", f"(from | between) first=HOURMINUTE {_AND} last=HOURMINUTE", _run_together),
    rule("TIMERANGE", f"{_FROM} first=CLOCK (TO | DASH | TILDE) ATWORD? last=CLOCK", _times),
    rule("TIMERANGE", "between first=CLOCK and last=CLOCK", _times),
    rule("TIMERANGE", f"{_FROM} first=HOURNUM (TO | DASH | TILDE) last=CLOCK", _times),
    rule("TIMERANGE", "between first=HOURNUM and last=CLOCK", _times),
    rule("TIMERANGE", f"(from | between) first=CLOCK {_AND} last=HOURNUM {_NOT_COUNTING}", _times),
    rule("TIMERANGE", f"first=CLOCK (TO | DASH) last=HOURNUM (?! DASH ) {_NOT_COUNTING}", _times),
)
DATES: tuple[Rule, ...] = (
    rule("RANGE", f"{_FROM} first=DAYS {_TO} the? last=DAYNO (?! UNIT | COLON )", _to_day),
    rule("RANGE", f"{_FROM} first=DAYS {_TO} the? last=OPENDAY", _to_day),
    rule("RANGE", "between first=DAYS and the? last=DAYNO (?! UNIT | COLON )", _to_day),
    rule("RANGE", f"{_FROM} the? first=DAYNO {_TO} last=DAYS", _from_day),
    rule("RANGE", "between the? first=DAYNO and last=DAYS", _from_day),
    rule("RANGE", f"{_FROM} first=DAYNO {_AND} last=DAYNO (of | in | COMMA)* the? container=PERIODS", _days_in),
    rule("RANGE", f"container=PERIODS {_FROM} first=OPENWEEKDAY {_AND} last=OPENWEEKDAY", _weekdays_in),
    rule("YEARRANGE", f"{_FROM} first=BAREYEAR {_TO} last=BAREYEAR (?! DASH )", _years),
    rule("YEARRANGE", "between first=BAREYEAR and last=BAREYEAR", _years),
    rule("RANGE", f"{_FROM} first=ENDPOINT {_TO} last=ENDPOINT", _between),
    rule("RANGE", "between first=ENDPOINT (and | DASH | TILDE) last=ENDPOINT", _between),
)
_STARTING = "(since | starting | beginning | commencing | as early as | as of | effective)"
_OR_AT = "or (equal to | at | on | in)"
_NOT_AFTER = (
    "(no later than | not later than | as late as | on or before | on or earlier than | before or on | through | thru | "
    f"earlier than {_OR_AT} | before {_OR_AT})"
)
_NOT_BEFORE = (
    "(no earlier than | not earlier than | no sooner than | on or after | after or on | on or later than | "
    f"after {_OR_AT} | later than {_OR_AT})"
)
_AFTER = "(after | later than | anytime after)"
_BEFORE = "(before | prior to | earlier than | sooner than | until | till | til | by | up to | anytime before)"
_SKIP = "(on | at | in | the)*"

ONE_SIDED: tuple[Rule, ...] = (
    rule("DATETIME", "day=DAYTIME (before | by | until | till) time=CLOCK", _on_day("before")),
    rule("DATETIME", "day=DAYTIME after time=CLOCK", _on_day("after")),
    rule("INTERVAL", "from inner=ENDPOINT (onwards | onward | on)", _one_sided("since")),
    rule("INTERVAL", f"{_NOT_BEFORE} {_SKIP} inner=ENDPOINT", _one_sided("since")),
    rule("INTERVAL", f"{_NOT_AFTER} {_SKIP} inner=ENDPOINT", _one_sided("through")),
    rule("INTERVAL", f"{_STARTING} from? {_SKIP} inner=ENDPOINT", _one_sided("since")),
    rule("INTERVAL", f"{_AFTER} (the | ATABOUT)* inner=ENDPOINT", _one_sided("after")),
    rule("INTERVAL", f"{_BEFORE} (the | ATABOUT)* inner=ENDPOINT", _one_sided("before")),
    rule("INTERVAL", "(before | until) inner=OPENPART", _one_sided("before")),
    rule("INTERVAL", "after inner=OPENPART", _one_sided("after")),
    rule("INTERVAL", "relation=COMPARE inner=ENDTIME", Bounded),
    rule("INTERVAL", "time=CLOCK or (later | after) on? day=DAYS", _on_day("since")),
    rule("INTERVAL", "inner=ENDPOINT (or | and) (later | after | onwards)", _one_sided("since")),
    rule("INTERVAL", "inner=ENDPOINT (or | and) (earlier | before)", _one_sided("through")),
    rule("APPROXIMATE", "ABOUT inner=ENDTIMES", lambda inner: inner),
)
