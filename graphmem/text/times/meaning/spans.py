"""Durations and intervals: "3 days", "3 days ago", "the past 3 days", ranges and one-sided intervals. Calendar periods
are in `periods`, times of day in `clocks`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from graphmem.text.times.meaning.base import (
    FIXED,
    FUTURE,
    PAST,
    WITHOUT_DATE,
    Anchored,
    Context,
    Meaning,
    begin_of,
    bounds_of,
)
from graphmem.text.times.meaning.calendar import RANK, name_of, shift, start_of
from graphmem.text.times.meaning.clocks import Clock, instant
from graphmem.text.times.meaning.periods import Fraction

# Unit: whether it is after the "T", its letters, and how many of them it is. WE and BD are TIMEX3's own.
_LETTERS = {
    "millisecond": (True, "S", 0.001),
    "second": (True, "S", 1),
    "minute": (True, "M", 1),
    "hour": (True, "H", 1),
    "day": (False, "D", 1),
    "night": (False, "D", 1),
    "businessday": (False, "BD", 1),
    "weekend": (False, "WE", 1),
    "week": (False, "W", 1),
    "fortnight": (False, "W", 2),
    "month": (False, "M", 1),
    "quarter": (False, "M", 3),
    "season": (False, "M", 3),
    "half": (False, "M", 6),
    "year": (False, "Y", 1),
    "decade": (False, "Y", 10),
    "century": (False, "Y", 100),
}
# From coarse to fine, each once.
_ORDER = tuple(dict.fromkeys((in_clock, letters) for in_clock, letters, _ in reversed(_LETTERS.values())))
_VAGUE = {"decade": "DE", "century": "CE"}
# A vague number ("a few", "several") counts as this many when a date must be calculated.
SOME = 3


@dataclass(frozen=True, slots=True)
class Length:
    """Amounts by unit in the order said; `vague` for "a few days", whose number is a guess."""

    amounts: tuple[tuple[float, str], ...]
    vague: bool = False

    def plus(self, other: Length) -> Length:
        """One after the other: "2 years" and "3 months"."""
        return Length(self.amounts + other.amounts, self.vague or other.vague)

    @property
    def unit(self) -> str:
        """Return the finest unit that occurs."""
        return min((unit for _, unit in self.amounts), key=RANK.__getitem__)

    @property
    def iso(self) -> str:
        """ISO 8601 duration, "PXD" when vague: P1Y6M, PT1.5H."""
        totals: dict[tuple[bool, str], float] = {}
        for number, unit in self.amounts:
            in_clock, letters, factor = _LETTERS[unit]
            if self.vague:
                return f"P{'T' if in_clock else ''}X{_VAGUE.get(unit, letters)}"
            totals[in_clock, letters] = totals.get((in_clock, letters), 0) + number * factor
        parts = [
            (in_clock, f"{round(totals[in_clock, letters], 6):.15g}{letters}")
            for in_clock, letters in _ORDER
            if (in_clock, letters) in totals
        ]
        clock = "".join(text for in_clock, text in parts if in_clock)
        return "P" + "".join(text for in_clock, text in parts if not in_clock) + (f"T{clock}" if clock else "")

    def from_(self, moment: datetime, direction: int) -> datetime:
        """`moment` moved by the whole length."""
        for number, unit in self.amounts:
            moment = shift(moment, unit, direction * number)
        return moment


@dataclass(frozen=True, slots=True)
class Span(Meaning):
    """A length of time on its own."""

    length: Length

    def anchor(self, context: Context) -> Anchored:
        """Its ISO value without bounds."""
        return Anchored(self.length.iso, grain=self.length.unit)


@dataclass(frozen=True, slots=True)
class Away(Meaning):
    """A length of time before (-1) or after (+1) `anchor_point`, by default the reference time."""

    length: Length
    direction: int
    anchor_point: Meaning | None = None

    def anchor(self, context: Context) -> Anchored:
        """Return an instant for lengths in hours or less. Otherwise the bounds are the day that far away, while the
        value has the grain of the unit: "two months ago" is a month."""
        start = context.now if self.anchor_point is None else begin_of(self.anchor_point.anchor(context))
        moment = self.length.from_(start, self.direction)
        unit = self.length.unit
        if RANK[unit] < RANK["day"]:
            return instant(moment.replace(microsecond=0), "second")
        day = start_of("day", moment)
        coarse = (
            self.anchor_point is None
            and len(self.length.amounts) == 1
            and unit in ("week", "month", "quarter", "year", "decade")
        )
        grain = "day" if not coarse else "year" if unit == "decade" else unit
        name = name_of(grain, start_of(grain, day))
        return Anchored(name, day, shift(day, "day", 1), "day")


@dataclass(frozen=True, slots=True)
class Ahead(Meaning):
    """ "In 3 days": with a verb in the past ("it finished in 3 days") the length that it took, else a time to come."""

    length: Length

    @property
    def openness(self) -> int:
        """Open, so that the tense is asked for."""
        return WITHOUT_DATE

    def anchor(self, context: Context) -> Anchored:
        """Return a length or a point in time."""
        meaning = Span(self.length) if context.tense == PAST else Away(self.length, FUTURE)
        return meaning.anchor(context)


@dataclass(frozen=True, slots=True)
class Window(Meaning):
    """A length of time up to (-1) or from (+1) the reference time: "the past 3 weeks", "the next 2 hours"."""

    length: Length
    direction: int
    from_today: bool = False

    def anchor(self, context: Context) -> Anchored:
        """Return the period of this length (TIMEX3 calls it an anchored duration). In days or more it covers whole
        days: the past ends with yesterday, the future begins with tomorrow unless `from_today`."""
        unit = self.length.unit
        now = context.now
        if unit in ("quarter", "decade", "century"):
            start = start_of(unit, now)
            other = self.length.from_(start, self.direction)
            start, other = (start, other) if self.direction < 0 else (shift(start, unit, 1), shift(other, unit, 1))
            return Anchored(self.length.iso, min(start, other), max(start, other), unit)
        if RANK[unit] >= RANK["day"]:
            now = start_of("day", now)
            if unit == "businessday" and self.direction > 0:
                last = self.length.from_(now, 1)
                return Anchored(self.length.iso, shift(now, unit, 1), shift(last, "day", 1), unit)
            if self.direction > 0 and not self.from_today:
                now = shift(now, "day", 1)
        other = self.length.from_(now, self.direction)
        return Anchored(self.length.iso, min(now, other), max(now, other), unit)


@dataclass(frozen=True, slots=True)
class Lasting(Meaning):
    """A length of time that begins at `start`: "2 weeks starting May 20", "from 10 am for 3 hours"."""

    opens_like: ClassVar[str] = "start"
    length: Length
    start: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return an interval."""
        found = self.start.anchor(context)
        begin = begin_of(found)
        until = self.length.from_(begin, 1)
        grain = min(found.grain, self.length.unit, key=RANK.__getitem__)
        return Anchored(f"{found.value}/{name_of(grain, until)}", begin, until, found.grain)


@dataclass(frozen=True, slots=True)
class Slice(Meaning):
    """The first (1) or last (-1) stretch of a period: "the first two weeks of May"."""

    opens_like: ClassVar[str] = "container"
    edge: int
    length: Length
    container: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return an interval of days at one edge of the container."""
        begin, until = bounds_of(self.container.anchor(context))
        if self.edge > 0:
            until = self.length.from_(begin, 1)
        else:
            begin = self.length.from_(until, -1)
        return Anchored(f"{name_of('day', begin)}/{name_of('day', until)}", begin, until, "day")


@dataclass(frozen=True, slots=True)
class Near(Meaning):
    """Less than a length of time before or after a day: "less than 3 days after tomorrow"."""

    length: Length
    direction: int
    anchor_point: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return the interval between the day and the day that far away."""
        start = begin_of(self.anchor_point.anchor(context))
        other = self.length.from_(start, self.direction)
        begin, until = min(start, other), max(start, other)
        return Anchored(f"{name_of('day', begin)}/{name_of('day', until)}", begin, until, "day")


@dataclass(frozen=True, slots=True)
class Between(Meaning):
    """From one time to another. The more open end is completed from the other one: "May 3 to 5", "3 to 5 May"."""

    first: Meaning
    last: Meaning

    @property
    def openness(self) -> int:
        """As open as its more closed end."""
        return min(self.first.openness, self.last.openness)

    def anchor(self, context: Context) -> Anchored:
        """See `_anchor`; where the year is open, a range that has begun but is not over is preferred to the next."""
        found = self._anchor(context)
        if self.openness != FIXED and context.tense != PAST and begin_of(found) > context.now:
            last = self._anchor(replace(context, tense=PAST))
            if last.until is not None and last.until > context.now:
                return last
        return found

    def _anchor(self, context: Context) -> Anchored:
        """Return an ISO interval. A last day is part of it; a last month or year bounds it at its beginning (as "2014
        to 2018" is read by other anchoring tools). ValueError when it would be empty."""
        if isinstance(self.first, Clock):
            first = instant(self.first.on(start_of("day", context.now)), self.first.grain)
            last = self.last.anchor(context.near(begin_of(first), FUTURE))
        elif self.first.openness > self.last.openness:
            last = self.last.anchor(context)
            first = self.first.anchor(context.near(begin_of(last), PAST))
        else:
            first = self.first.anchor(context)
            pivot = begin_of(first)
            open_end = self.last.openness != FIXED
            last = self.last.anchor(context.near(pivot, FUTURE) if open_end else context)
        begin = begin_of(first)
        if isinstance(self.first, Fraction) and self.first.which == "finish" and first.until is not None:
            begin = first.until
        if last.is_date and not first.is_date:
            begin = start_of("day", begin)  # "between now and Friday" is said of days
        to_the_end = isinstance(self.last, Fraction) and self.last.which == "finish"
        until = last.until if last.grain == "day" or to_the_end else last.begin
        if first.is_date and until is not None and last.value == "PRESENT_REF":
            until = start_of("day", until)
        if until is None or until < begin:
            raise ValueError("the range ends before it begins")
        return Anchored(f"{first.value}/{last.value}", begin, until, last.grain)


@dataclass(frozen=True, slots=True)
class Bounded(Meaning):
    """One-sided: "since", "after", "before" or "through" (until the end of) something. Its value is that thing's."""

    opens_like: ClassVar[str] = "inner"
    relation: str
    inner: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return the interval with one bound; the other is None. "After" a day or instant begins with it, "after" a longer
        period when that is over."""
        found = self.inner.anchor(context)
        begin, until = bounds_of(found) if found.until is not None else (begin_of(found), begin_of(found))
        coarse = found.grain == "part" or RANK[found.grain] > RANK["day"]
        if isinstance(self.inner, Fraction) and self.inner.which == "finish" and self.relation != "since":
            begin = until  # "by the end of May"
        if isinstance(self.inner, Fraction) and self.inner.which == "start":
            until = begin  # "after the beginning of May"
        if self.relation == "since":
            bounds: tuple[datetime | None, datetime | None] = (begin, None)
        elif self.relation == "after":
            bounds = (until if coarse else begin, None)
        elif self.relation == "before":
            bounds = (None, begin)
        else:
            bounds = (None, until if found.is_date else begin)
        return Anchored(found.value, *bounds, found.grain)
