"""Shared types of all time meanings: the context that anchors them, and the result. Times here are naive wall-clock times
in the zone of the reference time; the public interface converts them to UTC."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from graphmem.text.times.meaning.calendar import RANK

PAST, UNKNOWN, FUTURE = -1, 0, 1

# How much of a date an expression leaves open; a range completes the more open end from the other one.
FIXED, WITHOUT_YEAR, WITHOUT_MONTH, WITHOUT_DATE = range(4)


@dataclass(frozen=True, slots=True)
class Context:
    """`now` is the reference time; `tense` says on which side of `pivot` an incomplete date is searched."""

    now: datetime
    tense: int = UNKNOWN
    pivot: datetime | None = None

    @property
    def origin(self) -> datetime:
        """Return the time from which incomplete dates are searched."""
        return self.pivot or self.now

    def near(self, pivot: datetime, tense: int) -> Context:
        """Return the context for the other end of a range."""
        return replace(self, pivot=pivot, tense=tense)


@dataclass(frozen=True, slots=True)
class Anchored:
    """A TIMEX3 value with half-open bounds. `grain` is the named unit; `offset_minutes` an explicit time zone."""

    value: str
    begin: datetime | None = None
    until: datetime | None = None
    grain: str = "second"
    offset_minutes: int | None = None

    @property
    def is_date(self) -> bool:
        """Return whether it names a day or something longer."""
        return RANK[self.grain] >= RANK["day"]


class Meaning(ABC):
    """The meaning of a time expression. Subclasses are frozen data classes."""

    __slots__ = ()
    opens_like: ClassVar[str] = ""  # the field with a meaning that is as open as this one

    @property
    def openness(self) -> int:
        """Return FIXED, WITHOUT_YEAR, WITHOUT_MONTH or WITHOUT_DATE."""
        return int(getattr(self, self.opens_like).openness) if self.opens_like else FIXED

    @abstractmethod
    def anchor(self, context: Context) -> Anchored:
        """Return value and bounds in this context. Raises ValueError or OverflowError for an impossible date ("31 June")."""


def begin_of(anchored: Anchored) -> datetime:
    """Return the required start. Raises ValueError if there is none."""
    if anchored.begin is None:
        raise ValueError("the expression has no beginning")
    return anchored.begin


def bounds_of(anchored: Anchored) -> tuple[datetime, datetime]:
    """Return both required bounds. Raises ValueError if one is missing."""
    if anchored.until is None:
        raise ValueError("the expression has no end")
    return begin_of(anchored), anchored.until


@dataclass(frozen=True, slots=True)
class Literal(Meaning):
    """A value that needs no calendar: a reference (PAST_REF), a recurrence (P1W)."""

    value: str

    def anchor(self, context: Context) -> Anchored:
        """Return the value without bounds; the present is the reference time itself."""
        moment = context.now if self.value == "PRESENT_REF" else None
        return Anchored(self.value, moment, moment)
