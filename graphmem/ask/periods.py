"""The period that a question about the past asks for ("since 2025-06-01", "last month", "between May and July")."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.times import anchor_times

_NUMBER_OR_TIME = compile_later(
    r"\d|\b(?:today|yesterday|week|month|quarter|year|spring|summer|autumn|fall|winter|since|between|january|february|march|april|may|june"
    r"|july|august|september|october|november|december)\b|오늘|어제|그제|지난|이번|작년|올해|재작년|주|달|월|년",
    re.I,
)
_YEAR = timedelta(days=366)


class Period(NamedTuple):
    """A half-open period, None where it is open, with the words for it."""

    begin: datetime | None
    until: datetime | None
    words: str

    def holds(self, moment: datetime) -> bool:
        """Return whether a moment lies in the period."""
        return (self.begin is None or self.begin <= moment) and (self.until is None or moment < self.until)

    @property
    def flags(self) -> str:
        """Return the flags of `git log` for this period."""
        begin = f" --since={self.begin:%Y-%m-%d}" if self.begin else ""
        return begin + (f" --until={self.until:%Y-%m-%d}" if self.until else "")


def find_period(text: str, now: datetime | None = None) -> Period | None:
    """Return the period of a question about the past, None if it names none. A name of a month means the last such month.

    >>> find_period("which bugs were fixed since 2025-06-01?").flags
    ' --since=2025-06-01'
    """
    if not _NUMBER_OR_TIME.search(text):  # the grammar takes long to load
        return None
    now = now or datetime.now(UTC)
    for reference in (now, now - _YEAR):
        found = [each for each in anchor_times(text, reference) if each.begin or each.until]
        begins, ends = [each.begin for each in found], [each.until for each in found]
        begin = min((each for each in begins if each), default=None) if all(begins) else None
        until = max((each for each in ends if each), default=None) if all(ends) else None
        if found and (begin is None or begin <= now):
            return Period(begin, until, " ".join(text[each.start : each.end] for each in found))
    return None
