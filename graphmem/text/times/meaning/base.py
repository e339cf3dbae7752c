"""What all meanings share: the context that anchors them and the result of anchoring.
Times here are naive wall-clock times in the zone of the reference time; the face of the package makes them UTC."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.text.times.meaning.calendar import RANK

PAST, UNKNOWN, FUTURE = -1, 0, 1

# How much of a date an expression leaves open; a range completes the more open end from the other one.
FIXED, WITHOUT_YEAR, WITHOUT_MONTH, WITHOUT_DATE = range(4)


@dataclass(frozen=True, slots=True)
class Context:
    """`now` is the reference time; `tense` says on which side of `pivot` an open date is looked for."""

    now: datetime
    tense: int = UNKNOWN
    pivot: datetime | None = None

    @property
    def origin(self) -> datetime:
        """The time from which open dates are looked for."""
        return self.pivot or self.now

    def near(self, pivot: datetime, tense: int) -> Context:
        """The context of the other end of a range."""
        return replace(self, pivot=pivot, tense=tense)


@dataclass(frozen=True, slots=True)
class Anchored:
    """A TIMEX3 value with its half-open bounds. `grain` is the unit named; `offset_minutes` a stated time zone."""

    value: str
    begin: datetime | None = None
    until: datetime | None = None
    grain: str = "second"
    offset_minutes: int | None = None

    @property
    def is_date(self) -> bool:
        """Whether it names a day or something longer."""
        return RANK[self.grain] >= RANK["day"]


class Meaning(ABC):
    """A time expression's meaning. Subclasses are frozen data classes."""

    __slots__ = ()

    @property
    def openness(self) -> int:
        """FIXED, WITHOUT_YEAR, WITHOUT_MONTH or WITHOUT_DATE."""
        return FIXED

    @abstractmethod
    def anchor(self, context: Context) -> Anchored:
        """The value and bounds in this context; ValueError or OverflowError where there is none ("31 June")."""


def begin_of(anchored: Anchored) -> datetime:
    """The beginning of something that must have one; ValueError otherwise."""
    if anchored.begin is None:
        raise ValueError("the expression has no beginning")
    return anchored.begin


def bounds_of(anchored: Anchored) -> tuple[datetime, datetime]:
    """Both bounds of something that must have them; ValueError otherwise."""
    if anchored.until is None:
        raise ValueError("the expression has no end")
    return begin_of(anchored), anchored.until


@dataclass(frozen=True, slots=True)
class Literal(Meaning):
    """A value that needs no calendar: a reference (PAST_REF), a recurrence (P1W)."""

    value: str

    def anchor(self, context: Context) -> Anchored:
        """The value without bounds; the present is the reference time itself."""
        moment = context.now if self.value == "PRESENT_REF" else None
        return Anchored(self.value, moment, moment)
