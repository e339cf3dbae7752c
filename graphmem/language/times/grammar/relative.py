"""Rules for times at a distance: "3 days ago", "in 5 minutes", "two weeks after May 3", "the past 3 months"."""

from __future__ import annotations

from graphmem.language.times.engine import Rule, rule
from graphmem.language.times.meaning.base import FUTURE, PAST, Literal, Meaning
from graphmem.language.times.meaning.clocks import Clock
from graphmem.language.times.meaning.periods import Period
from graphmem.language.times.meaning.spans import SOME, Away, Bounded, Lasting, Length, Near, Slice, Window


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


def _window(direction: int, length: Length) -> Window | None:
    return Window(length, direction) if direction else None


def _window_of(direction: int, unit: str, count: float = 1) -> Window | None:
    return Window(Length(((count, unit),)), direction) if direction else None


def _vague(unit: str) -> Length:
    return Length(((SOME, unit),), vague=True)


def _vague_window(direction: int, unit: str) -> Window | None:
    return Window(_vague(unit), direction) if direction else None


def _within(length: Length) -> Window:
    return Window(length, FUTURE, from_today=True)


_ONE_DAY = Length(((1, "day"),))
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
    rule(
        "INTERVAL",
        "the? edge=FIRSTORLAST length=LENGTH (of | in) the? unit=LONGUNIT",
        lambda edge, length, unit: Slice(edge, length, Period(unit)),
    ),
    rule("INTERVAL", "(the | THE)? direction=SHIFTED length=LENGTHS", _window),
    rule("INTERVAL", "the? count=COUNT direction=SHIFTED unit=PLURALUNIT", _window_of),
    rule("LENGTH", "(?<= for ) unit=PLURALUNIT", _vague),
    rule("INTERVAL", "(the)? past unit=UNIT1", lambda unit: _window_of(PAST, unit)),
    rule("INTERVAL", "within the? direction=SHIFTED unit=UNIT1", _window_of),
    rule("INTERVAL", "the? direction=SHIFTED unit=HOURUNIT", _window_of),
    rule("INTERVAL", "the? direction=SHIFTED unit=PLURALUNIT", _vague_window),
    rule("INTERVAL", "length=LENGTHS in the future", lambda length: Window(length, FUTURE)),
    rule("INTERVAL", "length=LENGTHS in the past", lambda length: Window(length, PAST)),
    rule(
        "INTERVAL",
        "length=LENGTHS (COMMA? (starting | beginning | commencing) (from | on | at)? | COMMA from) start=STARTS",
        Lasting,
    ),
    rule("INTERVAL", "for length=LENGTHS from start=STARTS", Lasting),
    rule("INTERVAL", "for length=LENGTHS from start=HOURNUM", lambda length, start: Lasting(length, Clock(start))),
    rule("LASTING", "(from | starting) start=STARTS for length=LENGTHS", lambda start, length: Lasting(length, start)),
    rule("MOMENT", "APPROX? length=LENGTHS (before | prior to) point=POINTS", _before),
    rule("MOMENT", "(in)? APPROX? length=LENGTHS (after | from | following) point=POINTS", _after),
    rule("MOMENT", f"(in)? APPROX? length=LENGTHS {_AGO}", _ago),
    rule("MOMENT", f"APPROX? length=LENGTHS {_AHEAD}", _from_now),
    rule(
        "MOMENT",
        "the? direction=SHIFTED WORKING unit=WORKDAY",
        lambda direction, unit: Away(Length(((1, unit),)), direction) if direction else None,
    ),
    rule("MOMENT", "the? day after point=DAYS", lambda point: Away(_ONE_DAY, FUTURE, point)),
    rule("MOMENT", "the? day before point=DAYS", lambda point: Away(_ONE_DAY, PAST, point)),
    rule("PERIOD", "the unit=SPANUNIT (before | earlier) (?! POINTS )", lambda unit: Period(unit, -1)),
    rule("PERIOD", "the unit=SPANUNIT (after | later) (?! POINTS )", lambda unit: Period(unit, 1)),
    rule("MOMENT", "in (APPROX | less than | under)? length=LENGTHS (POSSESSIVE (time)?)?", _from_now),
    rule(
        "LENGTH",
        "(APPROX | at least | at most | (no)? (more | less | fewer | longer) than | up to) length=LENGTHS",
        lambda length: length,
    ),
    rule("REFERRED", "PLURALUNIT ago", lambda: Literal("PAST_REF")),
)
