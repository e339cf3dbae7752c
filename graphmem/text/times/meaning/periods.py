"""Days, weeks, months, years and other calendar periods, absolute ("May 3") or relative to the reference time ("next
week"). Times of day are in `clocks`, durations in `spans`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from graphmem.text.times.meaning.base import (
    FIXED,
    PAST,
    WITHOUT_MONTH,
    WITHOUT_YEAR,
    Anchored,
    Context,
    Meaning,
    begin_of,
    bounds_of,
)
from graphmem.text.times.meaning.calendar import (
    RANK,
    SEASONS,
    add_months,
    days_in_month,
    end_of,
    name_of,
    shift,
    start_of,
    weekday_of_week,
)


def whole(unit: str, begin: datetime) -> Anchored:
    """Return the period of this unit that begins at `begin`."""
    return Anchored(name_of(unit, begin), begin, end_of(unit, begin), unit)


def _choose(candidates: Iterator[datetime], context: Context, unit: str) -> datetime:
    """Return the candidate (ascending) nearest to the origin on the side that the tense asks for. The period that
    contains the origin belongs to both sides; without a tense the future is taken."""
    origin = start_of(unit, context.origin)
    earlier: datetime | None = None
    for candidate in candidates:
        if candidate > origin and context.tense == PAST:
            break
        earlier = candidate
        if candidate >= origin and context.tense != PAST:
            break
    if earlier is None:
        raise ValueError("no such date near the reference time")
    return earlier


@dataclass(frozen=True, slots=True)
class Period(Meaning):
    """The period of `unit` that lies `offset` periods from the current one: today is Period("day", 0)."""

    unit: str
    offset: int = 0

    def anchor(self, context: Context) -> Anchored:
        """Return the whole calendar period."""
        start = start_of(self.unit, context.now)
        return whole(self.unit, start_of(self.unit, shift(start, self.unit, self.offset)))


@dataclass(frozen=True, slots=True)
class Year(Meaning):
    """A numbered year, decade (1990) or century (1800) of `unit`."""

    year: int
    unit: str = "year"

    def anchor(self, context: Context) -> Anchored:
        """Return the whole year, decade or century."""
        return whole(self.unit, datetime(self.year, 1, 1))


@dataclass(frozen=True, slots=True)
class Month(Meaning):
    """A month with or without its year."""

    month: int
    year: int | None = None

    @property
    def openness(self) -> int:
        """Return what is missing of the date: the year, if none was named."""
        return FIXED if self.year else WITHOUT_YEAR

    def anchor(self, context: Context) -> Anchored:
        """Return the whole month."""
        if self.year is not None:
            return whole("month", datetime(self.year, self.month, 1))
        years = range(context.origin.year - 1, context.origin.year + 2)
        return whole("month", _choose((datetime(y, self.month, 1) for y in years), context, "month"))


@dataclass(frozen=True, slots=True)
class Day(Meaning):
    """A day by number, with as much of month, year and weekday as was said. A weekday only helps to find the date."""

    day: int
    month: int | None = None
    year: int | None = None
    weekday: int | None = None

    @property
    def openness(self) -> int:
        """Return what is missing of the date."""
        if self.month is None:
            return WITHOUT_MONTH
        return FIXED if self.year else WITHOUT_YEAR

    def anchor(self, context: Context) -> Anchored:
        """Return the day. If month and year are given, the weekday is not checked, because people often get it wrong."""
        if self.year is not None and self.month is not None:
            return whole("day", datetime(self.year, self.month, self.day))
        candidates = [*self._candidates(context)]
        fitting = [day for day in candidates if self.weekday in (None, day.weekday())]
        return whole("day", _choose(iter(fitting or candidates), context, "day"))

    def _candidates(self, context: Context) -> Iterator[datetime]:
        reach = 8 if self.month == 2 and self.day == 29 else 1 if self.weekday is not None and self.month else 2
        origin = context.origin
        for year in range(max(1, origin.year - reach), min(9999, origin.year + reach) + 1):
            if self.month is None and abs(year - origin.year) > 2:
                continue
            for month in (self.month,) if self.month else range(1, 13):
                if self.day <= days_in_month(year, month):
                    yield datetime(year, month, self.day)


@dataclass(frozen=True, slots=True)
class Weekday(Meaning):
    """A day of the week. `week` is its ISO week's distance from the current one (None: the tense decides);
    `nearest` asks for the closest one strictly before (-1) or after (+1) today, `times` for that many of them."""

    weekday: int
    week: int | None = None
    nearest: int = 0
    times: int = 1

    @property
    def openness(self) -> int:
        """Return what is missing of the date: the week, if none was named."""
        return FIXED if self.week is not None or self.nearest else WITHOUT_MONTH

    def anchor(self, context: Context) -> Anchored:
        """Return the whole day."""
        if self.week is not None:
            return whole("day", weekday_of_week(context.now + timedelta(weeks=self.week), self.weekday))
        today = start_of("day", context.origin)
        ahead = (self.weekday - today.weekday()) % 7
        if self.nearest > 0:
            return whole("day", today + timedelta(days=(ahead or 7) + 7 * (self.times - 1)))
        if self.nearest < 0:
            return whole("day", today - timedelta(days=(-ahead % 7 or 7) + 7 * (self.times - 1)))
        past = context.tense == PAST
        return whole("day", today + timedelta(days=-(-ahead % 7) if past else ahead))


@dataclass(frozen=True, slots=True)
class Weekend(Meaning):
    """ "The weekend": the one that ends this week, or in the past tense ("over the weekend") the last that has begun."""

    @property
    def openness(self) -> int:
        """It waits for its week."""
        return WITHOUT_MONTH

    def anchor(self, context: Context) -> Anchored:
        """Saturday and Sunday."""
        begin = start_of("weekend", context.now)
        if context.tense == PAST and begin > context.now:
            begin -= timedelta(weeks=1)
        return whole("weekend", begin)


@dataclass(frozen=True, slots=True)
class Named(Meaning):
    """A month (1 to 12) `offset` occurrences from now: "next March" (1), "last March" (-1), "this March" (0)."""

    month: int
    offset: int

    def anchor(self, context: Context) -> Anchored:
        """Return the month of this year for 0, else of the calendar year at that distance, unless a nearer one
        fits."""
        year = context.now.year + self.offset
        if (self.offset > 0 and self.month > context.now.month) or (self.offset < 0 and self.month < context.now.month):
            year -= 1 if self.offset > 0 else -1
        return whole("month", datetime(year, self.month, 1))


@dataclass(frozen=True, slots=True)
class Season(Meaning):
    """SP, SU, FA or WI with a year, or `offset` years from this one, or neither."""

    season: str
    year: int | None = None
    offset: int | None = None

    @property
    def openness(self) -> int:
        """Return what is missing of the date: the year, if none was named."""
        return FIXED if self.year or self.offset is not None else WITHOUT_YEAR

    def anchor(self, context: Context) -> Anchored:
        """Three months; a winter carries the year in which it begins."""
        month = SEASONS[self.season]
        if self.year is not None:
            return whole("season", datetime(self.year, month, 1))
        years = range(context.origin.year - 2, context.origin.year + 3)
        starts = [datetime(year, month, 1) for year in years]
        this = start_of("season", context.now)
        if self.offset:
            side = [start for start in starts if (start > this if self.offset > 0 else start < this)]
            return whole("season", side[0] if self.offset > 0 else side[-1])
        if self.offset == 0 or context.tense == 0:
            year = context.now.year - (month == 12 and context.now.month < 3)
            return whole("season", datetime(year, month, 1))
        return whole("season", _choose(iter(starts), context, "season"))


@dataclass(frozen=True, slots=True)
class NumberedPart(Meaning):
    """A numbered quarter or half ("Q3", "H1") of a year given, or `offset` years from this one, or left open."""

    unit: str
    number: int
    year: int | None = None
    offset: int | None = None

    @property
    def openness(self) -> int:
        """Return what is missing of the date: the year, if none was named."""
        return FIXED if self.year or self.offset is not None else WITHOUT_YEAR

    def anchor(self, context: Context) -> Anchored:
        """Three or six months."""
        months = 3 if self.unit == "quarter" else 6
        month = (self.number - 1) * months + 1
        if not 1 <= month <= 12:
            raise ValueError("no such part of a year")
        if self.year is not None:
            return whole(self.unit, datetime(self.year, month, 1))
        if self.offset is not None:
            return whole(self.unit, datetime(context.now.year + self.offset, month, 1))
        years = range(context.origin.year - 1, context.origin.year + 2)
        return whole(self.unit, _choose((datetime(y, month, 1) for y in years), context, self.unit))


@dataclass(frozen=True, slots=True)
class Nth(Meaning):
    """The `number`-th (negative: from the end) `unit` within `container`; "weekday" needs `weekday`."""

    opens_like: ClassVar[str] = "container"
    number: int
    unit: str
    container: Meaning
    weekday: int | None = None

    def anchor(self, context: Context) -> Anchored:
        """Return a whole period that lies in the container; weeks belong where their Thursday lies (ISO 8601)."""
        begin, until = bounds_of(self.container.anchor(context))
        unit = "day" if self.weekday is not None else self.unit
        index = self.number - 1 if self.number > 0 else self.number
        if self.weekday is not None:
            edge = begin if self.number > 0 else until
            start = edge + timedelta(days=(self.weekday - edge.weekday()) % 7 + 7 * index)
        elif unit in ("week", "weekend"):
            probe = 3 if unit == "week" else 5
            edge = begin if self.number > 0 else until
            start = start_of(unit, edge + timedelta(days=(probe - edge.weekday()) % 7 + 7 * index))
        else:
            edge = start_of(unit, begin) if self.number > 0 else until
            start = shift(edge, unit, index)
        if not begin - timedelta(days=6) <= start < until:
            raise ValueError("the container is too short")
        return whole(unit, start)


@dataclass(frozen=True, slots=True)
class DayIn(Meaning):
    """A weekday or a day of the month within a week, month or year that is given as a meaning."""

    container: Meaning
    day: int | None = None
    weekday: int | None = None

    def anchor(self, context: Context) -> Anchored:
        """Return the whole day."""
        begin, until = bounds_of(self.container.anchor(context))
        if self.weekday is not None:
            return whole("day", begin + timedelta(days=(self.weekday - begin.weekday()) % 7))
        day = begin.replace(day=self.day or 1)
        if day >= until:
            raise ValueError("the container is too short")
        return whole("day", day)


@dataclass(frozen=True, slots=True)
class Containing(Meaning):
    """The week, weekend, month ... that contains `inner`: "the week of May 3". Weekends: the one nearest to it."""

    opens_like: ClassVar[str] = "inner"
    unit: str
    inner: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return the whole period."""
        begin = begin_of(self.inner.anchor(context))
        if self.unit == "weekend" and begin.weekday() < 2:
            begin -= timedelta(days=begin.weekday() + 1)
        return whole(self.unit, start_of(self.unit, begin))


@dataclass(frozen=True, slots=True)
class Fraction(Meaning):
    """The "start", "mid", "end" (late in) or "finish" (the end) of a period: "early next week", "mid-July", "the end of 2019"."""

    opens_like: ClassVar[str] = "inner"
    which: str
    inner: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Return the value of the whole (TIMEX3 keeps the part in `mod`) with the bounds of the part."""
        found = self.inner.anchor(context)
        begin, until = bounds_of(found)
        which = "end" if self.which == "finish" else self.which
        first, last = self._bounds(which, found.grain, begin, until)
        if not begin <= first < last <= until:
            raise ValueError("a part of a part")
        return Anchored(found.value, first, last, found.grain)

    @staticmethod
    def _bounds(which: str, grain: str, begin: datetime, until: datetime) -> tuple[datetime, datetime]:
        if grain == "month":
            cuts = {"start": (0, 15), "mid": (9, 20), "end": (15, None)}[which]
            return begin + timedelta(days=cuts[0]), until if cuts[1] is None else begin + timedelta(days=cuts[1])
        if grain == "year":
            months = {"start": (0, 6), "mid": (4, 8), "end": (6, 12)}[which]
            return add_months(begin, months[0]), add_months(begin, months[1])
        if grain == "week":
            days = {"start": (0, 4), "mid": (2, 5), "end": (3, 7)}[which]
            return begin + timedelta(days=days[0]), begin + timedelta(days=days[1])
        third = (until - begin) / 4
        return {
            "start": (begin, begin + 2 * third),
            "mid": (begin + third, until - third),
            "end": (begin + 2 * third, until),
        }[which]


@dataclass(frozen=True, slots=True)
class Remainder(Meaning):
    """What is left of ("later this month") or has passed of ("earlier this month", `passed`) a current period."""

    inner: Meaning
    passed: bool = False

    def anchor(self, context: Context) -> Anchored:
        """Bounded by today, or by the reference time within a day."""
        found = self.inner.anchor(context)
        begin, until = bounds_of(found)
        now = start_of("day", context.now) if RANK[found.grain] > RANK["day"] else context.now
        if self.passed:
            return Anchored(found.value, begin, now if begin < now < until else until, found.grain)
        return Anchored(found.value, now if begin < now < until else begin, until, found.grain)


@dataclass(frozen=True, slots=True)
class After(Meaning):
    """The `times`-th weekday strictly after another day: "the Friday after Easter"."""

    opens_like: ClassVar[str] = "point"
    weekday: int
    point: Meaning
    times: int = 1

    def anchor(self, context: Context) -> Anchored:
        """Return the whole day."""
        day = begin_of(self.point.anchor(context))
        return Weekday(self.weekday, nearest=1, times=self.times).anchor(Context(day))
