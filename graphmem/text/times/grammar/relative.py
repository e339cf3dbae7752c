"""Rules for times at a distance: "3 days ago", "in 5 minutes", "two weeks after May 3", "the past 3 months".
Calendar periods by their distance ("next week") are in `periods`."""

from __future__ import annotations

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.base import FUTURE, PAST, Literal, Meaning
from graphmem.text.times.meaning.clocks import Clock
from graphmem.text.times.meaning.periods import Period
from graphmem.text.times.meaning.spans import SOME, Ahead, Away, Bounded, Lasting, Length, Near, Slice, Window


def _ago(length: Length) -> Away:
    return Away(length, PAST)


def _from_now(length: Length) -> Away:
    return Away(length, FUTURE)


def _before(length: Length, point: Meaning) -> Away:
    return Away(length, PAST, point)


def _after(length: Length, point: Meaning) -> Away:
    return Away(length, FUTURE, point)


def _more_before(length: Length, point: Meaning | None = None) -> Bounded:
    return Bounded("before", Away(length, PAST, point))


def _more_after(length: Length, point: Meaning | None = None) -> Bounded:
    return Bounded("after", Away(length, FUTURE, point))


def _less_before(length: Length, point: Meaning) -> Near:
    return Near(length, PAST, point)


def _less_after(length: Length, point: Meaning) -> Near:
    return Near(length, FUTURE, point)


def _less_ago(length: Length) -> Window:
    return Window(length, PAST)


def _first_or_last_of(edge: int, length: Length, unit: str) -> Slice:
    return Slice(edge, length, Period(unit))


def _window(direction: int, length: Length) -> Window | None:
    return Window(length, direction) if direction else None


def _window_of(direction: int, unit: str, count: float = 1) -> Window | None:
    return Window(Length(((count, unit),)), direction) if direction else None


def _vague(unit: str) -> Length:
    return Length(((SOME, unit),), vague=True)


def _vague_window(direction: int, unit: str) -> Window | None:
    return Window(_vague(unit), direction) if direction else None


def _past_unit(unit: str) -> Window | None:
    return _window_of(PAST, unit)


def _ahead(length: Length) -> Window:
    return Window(length, FUTURE)


def _lasting(start: Meaning | int, length: Length) -> Lasting:
    return Lasting(length, Clock(start) if isinstance(start, int) else start)


def _working_day(direction: int, unit: str) -> Away | None:
    return Away(Length(((1, unit),)), direction) if direction else None


def _day_after(point: Meaning) -> Away:
    return Away(_ONE_DAY, FUTURE, point)


def _day_before(point: Meaning) -> Away:
    return Away(_ONE_DAY, PAST, point)


def _unit_before(unit: str) -> Period:
    return Period(unit, -1)


def _unit_after(unit: str) -> Period:
    return Period(unit, 1)


def _same(length: Length) -> Length:
    return length


def _within(length: Length) -> Window:
    return Window(length, FUTURE, from_today=True)


_ONE_DAY = Length(((1, "day"),))
_STARTING = "(COMMA? (starting | beginning | commencing) (from | on | at)? | COMMA from)"
_MORE = "(more | longer) than"
_LESS = "(less | fewer) than"
_AGO = "(ago | back | earlier | before now | previously)"
_AHEAD = "(from (now | today | right now) | later | hence | after now | (in | into) the future)"

RULES: tuple[Rule, ...] = (
    rule("INTERVAL", f"{_MORE} length=LENGTHS {_AGO}", _more_before),
    rule("INTERVAL", f"{_LESS} length=LENGTHS {_AGO}", _less_ago),
    rule("INTERVAL", f"{_MORE} length=LENGTHS before point=POINTS", _more_before),
    rule("INTERVAL", f"{_MORE} length=LENGTHS after point=POINTS", _more_after),
    rule("INTERVAL", f"{_LESS} length=LENGTHS before point=POINTS", _less_before),
    rule("INTERVAL", f"{_LESS} length=LENGTHS (after | from) point=POINTS", _less_after),
    rule("INTERVAL", "within (the next)? length=LENGTHS (after | of | from) point=POINTS", _less_after),
    rule("INTERVAL", "within the? (next | upcoming | coming | following)? length=LENGTHS", _within),
    rule("INTERVAL", "the? edge=FIRSTORLAST length=LENGTH (of | in) the? container=PERIODS", Slice),
    rule("INTERVAL", "the? edge=FIRSTORLAST length=LENGTH (of | in) the? unit=LONGUNIT", _first_or_last_of),
    rule("INTERVAL", "(the | THE)? direction=SHIFTED length=LENGTHS", _window),
    rule("INTERVAL", "the? count=COUNT direction=SHIFTED unit=PLURALUNIT", _window_of),
    rule("LENGTH", "(?<= for ) unit=PLURALUNIT", _vague),
    rule("INTERVAL", "(the)? past unit=UNIT1", _past_unit),
    rule("INTERVAL", "within the? direction=SHIFTED unit=UNIT1", _window_of),
    rule("INTERVAL", "the? direction=SHIFTED unit=HOURUNIT", _window_of),
    rule("INTERVAL", "the? direction=SHIFTED unit=PLURALUNIT", _vague_window),
    rule("INTERVAL", "length=LENGTHS in the future", _ahead),
    rule("INTERVAL", "length=LENGTHS in the past", _less_ago),
    rule("INTERVAL", f"length=LENGTHS {_STARTING} start=STARTS", Lasting),
    rule("INTERVAL", "for length=LENGTHS from start=STARTS", Lasting),
    rule("INTERVAL", "for length=LENGTHS from start=HOURNUM", _lasting),
    rule("LASTING", "(from | starting) start=STARTS for length=LENGTHS", _lasting),
    rule("MOMENT", "APPROX? length=LENGTHS (before | prior to) point=POINTS", _before),
    rule("MOMENT", "(in)? APPROX? length=LENGTHS (after | from | following) point=POINTS", _after),
    rule("MOMENT", f"(in)? APPROX? length=LENGTHS {_AGO}", _ago),
    rule("MOMENT", f"APPROX? length=LENGTHS {_AHEAD}", _from_now),
    rule("MOMENT", "the? direction=SHIFTED WORKING unit=WORKDAY", _working_day),
    rule("MOMENT", "the? day after point=DAYS", _day_after),
    rule("MOMENT", "the? day before point=DAYS", _day_before),
    rule("PERIOD", "the unit=SPANUNIT (before | earlier) (?! POINTS )", _unit_before),
    rule("PERIOD", "the unit=SPANUNIT (after | later) (?! POINTS )", _unit_after),
    rule("MOMENT", "in (APPROX | less than | under)? length=LENGTHS (POSSESSIVE (time)?)?", Ahead),
    rule("LENGTH", f"(APPROX | at least | at most | up to | no? {_MORE} | no? {_LESS}) length=LENGTHS", _same),
    rule("REFERRED", "PLURALUNIT ago", lambda: Literal("PAST_REF")),
)
