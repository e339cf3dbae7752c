"""Rules for lengths of time: "3 days", "an hour and a half", "2h", "a few weeks", "1 year 2 months".
A length at a distance ("3 days ago") is a matter of `relative`."""

from __future__ import annotations

from graphmem.text.times.engine import Rule, rule
from graphmem.text.times.meaning.spans import SOME, Length


def length(unit: str, count: float = 1, extra: float = 0) -> Length | None:
    """`count` (and a fraction) of a unit."""
    return Length(((count + extra, unit),)) if count + extra > 0 or unit != "second" else None


def _vague(unit: str) -> Length:
    return Length(((SOME, unit),), vague=True)


def _and_quarter(unit: str, count: float = 1) -> Length:
    return Length(((count + 0.25, unit),))


def _couple(unit: str) -> Length:
    return Length(((2, unit),))


def _part(unit: str, pair: tuple[int, int]) -> Length | None:
    above, below = pair
    return Length(((above / below, unit),)) if below else None


def _and_half(unit: str, count: float = 1) -> Length:
    return Length(((count + 0.5, unit),))


def _sum(first: Length, second: Length, third: Length | None = None, fourth: Length | None = None) -> Length | None:
    if {unit for _, unit in first.amounts} & {unit for _, unit in second.amounts}:
        return None  # "3 minutes, and 1 minute" are two lengths
    return first.plus(second) if third is None else _sum(first.plus(second), third, fourth)


_AND = "(and | COMMA | COMMA and)?"

RULES: tuple[Rule, ...] = (
    rule("LENGTH", "count=COUNT (and A? half) unit=UNIT", _and_half),
    rule("LENGTH", "count=COUNT and A quarter unit=UNIT", _and_quarter),
    rule("LENGTH", "count=COUNT unit=UNIT and a quarter", _and_quarter),
    rule("LENGTH", "count=WHOLE (and)? extra=FRACTION2 unit=UNIT", length),
    rule("LENGTH", "(A | another)? count=COUNT DASH? unit=UNIT and a? half", _and_half),
    rule("LENGTH", "A unit=UNIT and a? half", _and_half),
    rule("LENGTH", "WHOLE (to | or | DASH) count=COUNT DASH? unit=UNIT", length),
    rule(
        "LENGTH",
        "(another | consecutive)? count=COUNT DASH? (consecutive | full | more | whole)? unit=UNIT (DASH old)?",
        length,
    ),
    rule("LENGTH", "(another)? count=COUNT DASH? WORKING unit=WORKDAY", length),
    rule("LENGTH", "another WORKING? unit=WORKDAY", lambda unit: length("businessday")),
    rule("LENGTH", "count=COUNT (DASH)? unit=UNITSIGN (?! of )", length),
    rule("LENGTH", "(?<= for ) count=COUNT unit=LETTERUNIT", length),
    rule("SECONDS", "(?<! THE | EARLY | TO ) count=DECADE2 (?! of )", lambda count: length("second", count)),
    rule("LETTERLENGTH", "count=COUNT unit=LETTERUNIT", length),
    rule("LENGTH", "pair=MD (of? A)? unit=UNIT", _part),
    rule("LENGTH", "pair=MD unit=UNITSIGN", _part),
    rule("LENGTH", "(A? half | FRACTION2) (A | of A | DASH)? unit=UNIT", lambda unit: length(unit, 0.5)),
    rule("LENGTH", "a? quarter of? A unit=UNIT", lambda unit: length(unit, 0.25)),
    rule("LENGTH", "A? couple of? unit=UNIT", _couple),
    rule("LENGTH", "(A | the)? VAGUE (more)? unit=UNIT", _vague),
    rule("LENGTH", "another unit=UNIT", length),
    rule("LENGTH", "(the)? ALL DASH? unit=UNIT", length),
    rule("ARTICLELENGTH", "A unit=UNIT", length),
)
SUMS: tuple[Rule, ...] = (
    rule("LENGTH", f"first=ANYLENGTH {_AND} second=LENGTH ({_AND} third=LENGTH)? ({_AND} fourth=LENGTH)?", _sum),
)
