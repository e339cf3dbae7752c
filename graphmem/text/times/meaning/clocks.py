"""Times of day: clock times, parts of the day, and ranges, alone or on a given day. An hour without am, pm or part of day
is read literally ("at 7" is 07:00); ranges and parts of the day correct it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from graphmem.text.times.meaning.base import (
    PAST,
    WITHOUT_DATE,
    Anchored,
    Context,
    Meaning,
    begin_of,
    bounds_of,
)
from graphmem.text.times.meaning.calendar import RANK, name_of, shift, start_of
from graphmem.text.times.meaning.periods import Period

# Part of day: its first and last hour. The codes are TIMEX3's, with those of meals and work in addition.
PARTS = {
    "MO": (8, 12),
    "MI": (11, 13),
    "AF": (12, 16),
    "EV": (16, 20),
    "NI": (20, 24),
    "DT": (8, 18),
    "BH": (8, 18),
    "MEB": (8, 12),
    "MER": (8, 12),
    "MEL": (11, 13),
    "MED": (16, 20),
    "DA": (4, 8),
}
TODAY = Period("day")
_HALF_DAY = timedelta(hours=12)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Clock(Meaning):
    """A time of day on the 24-hour clock; `sure` when am or pm was said or the hour tells. 24:00 is the next day's
    beginning. `zone` is an offset from UTC in minutes."""

    hour: int
    minute: int | None = None
    second: int | None = None
    sure: bool = False
    zone: int | None = None

    @property
    def openness(self) -> int:
        """Return WITHOUT_DATE: the day of a clock time is given elsewhere."""
        return WITHOUT_DATE

    @property
    def grain(self) -> str:
        """Return the finest unit that was said."""
        return "hour" if self.minute is None else "minute" if self.second is None else "second"

    def on(self, day: datetime) -> datetime:
        """This time on the day that begins at `day`."""
        return day + timedelta(hours=self.hour, minutes=self.minute or 0, seconds=self.second or 0)

    def during(self, part: str) -> Clock:
        """Return the reading that suits a part of day: 7 in the evening is 19:00, 12 at night is midnight."""
        if self.sure or part not in PARTS:
            return replace(self, sure=True)
        hour = self.hour % 12
        if part in ("AF", "EV", "MED") or (part in ("MEL", "MI") and hour < 6) or (part == "NI" and hour > 4):
            hour += 12
        elif part == "NI" and hour == 0:
            hour = 24
        return replace(self, hour=hour, sure=True)

    def anchor(self, context: Context) -> Anchored:
        """On the day of the reference time, or the next (in the past tense: last) day when it is over (to come)."""
        day = start_of("day", context.origin)
        moment = self.on(day)
        if context.tense != PAST and moment < context.origin:
            afternoon = moment + _HALF_DAY
            soon = context.pivot is not None and not self.sure and afternoon > context.origin
            moment = afternoon if soon else moment + timedelta(days=1)
        elif context.tense == PAST and moment > context.origin and context.pivot is not None:
            moment -= timedelta(days=1)
        return instant(moment, self.grain, self.zone)


def instant(moment: datetime, grain: str, zone: int | None = None) -> Anchored:
    """Return a point in time of this grain; its value carries the zone when there is one."""
    value = name_of(grain, moment)
    if grain == "hour":
        value += ":00"  # ISO 8601 allows "T15", but readers and databases want minutes
    if zone is not None:
        value += f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02d}:{abs(zone) % 60:02d}"
    return Anchored(value, moment, shift(moment, grain, 1), grain, zone)


@dataclass(frozen=True, slots=True)
class DayPart(Meaning):
    """A part of some day; `which` is "start" or "end" for early and late, "mid" for the middle."""

    part: str
    which: str = ""

    @property
    def openness(self) -> int:
        """Return WITHOUT_DATE: the day is given elsewhere."""
        return WITHOUT_DATE

    def on(self, day: datetime) -> Anchored:
        """This part of the day that begins at `day`. Nights end a second before midnight, so as to end on their day."""
        first, last = PARTS[self.part]
        begin, until = day + timedelta(hours=first), day + timedelta(hours=last)
        if self.which == "mid":
            return instant(begin + (until - begin) / 2, "hour")
        if self.which == "start":
            until = begin + timedelta(hours=2)
        elif self.which == "end":
            begin = begin + timedelta(hours=2)
        if until.hour == 0:
            until -= _SECOND
        return Anchored(f"{day.date().isoformat()}T{self.part}", begin, until, "part")

    def anchor(self, context: Context) -> Anchored:
        """On the day of the reference time."""
        return self.on(start_of("day", context.origin))


@dataclass(frozen=True, slots=True)
class ClockRange(Meaning):
    """From one time of day to another, with the am and pm that make sense together."""

    first: Clock
    last: Clock

    @property
    def openness(self) -> int:
        """Return WITHOUT_DATE: the day is given elsewhere."""
        return WITHOUT_DATE

    def during(self, part: str) -> ClockRange:
        """Both ends read in a part of day."""
        return ClockRange(self.first.during(part), self.last.during(part))

    def on(self, day: datetime) -> Anchored:
        """On the day that begins at `day`; it may end on the next."""
        begin, until = self.first.on(day), self.last.on(day)
        if not self.first.sure and self.last.sure and self.first.hour <= 12:
            if begin + _HALF_DAY < until or (begin >= until and self.first.hour < 12 and until.hour < 12):
                begin += _HALF_DAY
        elif not self.last.sure and until <= begin and self.last.hour <= 12 and until + _HALF_DAY > begin:
            until += _HALF_DAY
        if until <= begin:
            until += timedelta(days=1)
        grain = min(self.first.grain, self.last.grain, key=RANK.__getitem__)
        value = f"{instant(begin, self.first.grain).value}/{instant(until, self.last.grain).value}"
        return Anchored(value, begin, until, grain)

    def anchor(self, context: Context) -> Anchored:
        """On the day of the reference time."""
        return self.on(start_of("day", context.origin))


@dataclass(frozen=True, slots=True)
class At(Meaning):
    """A time of day, part of day or range of times on a day."""

    opens_like: ClassVar[str] = "day"
    day: Meaning
    time: Clock | DayPart | ClockRange

    def anchor(self, context: Context) -> Anchored:
        """Return the time on the day. Raises ValueError if there is no such day."""
        found = self.day.anchor(context)
        if found.grain not in ("day", "night", "part"):
            raise ValueError("a time of day needs a day")
        start = start_of("day", begin_of(found))
        if isinstance(self.time, Clock):
            time = self.time
            if isinstance(self.day, At) and isinstance(self.day.time, DayPart):
                time = time.during(self.day.time.part)
            return instant(time.on(start), time.grain, time.zone)
        if isinstance(self.time, ClockRange) and isinstance(self.day, At) and isinstance(self.day.time, DayPart):
            return self.time.during(self.day.time.part).on(start)
        return self.time.on(start)


@dataclass(frozen=True, slots=True)
class HalfOf(Meaning):
    """The "start" or "end" half of a day: "early in the day Wednesday", "later today"."""

    opens_like: ClassVar[str] = "day"
    which: str
    day: Meaning

    def anchor(self, context: Context) -> Anchored:
        """Before or after noon."""
        found = self.day.anchor(context)
        begin, until = bounds_of(found)
        noon = begin + _HALF_DAY
        if self.which == "start":
            return Anchored(found.value, begin, noon, found.grain)
        return Anchored(found.value, noon, until, found.grain)


@dataclass(frozen=True, slots=True)
class EndOfDay(Meaning):
    """The last second of a day."""

    opens_like: ClassVar[str] = "day"
    day: Meaning = TODAY

    def anchor(self, context: Context) -> Anchored:
        """23:59:59."""
        _, until = bounds_of(self.day.anchor(context))
        return instant(until - _SECOND, "second")


@dataclass(frozen=True, slots=True)
class Stamp(Meaning):
    """A complete time stamp, with its zone's offset in minutes when it has one."""

    moment: datetime
    grain: str
    zone: int | None = None

    def anchor(self, context: Context) -> Anchored:
        """Return the instant itself."""
        return instant(self.moment, self.grain, self.zone)
