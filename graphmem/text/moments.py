"""Reads the point in time that a user names: an ISO 8601 date or time, or words such as "yesterday", "two weeks ago", "지난주"."""

from __future__ import annotations

from datetime import datetime

from graphmem.errors import UsageError
from graphmem.text.times import anchor_times

_MAX_CHARS = 80  # characters
# Words in the past tense around a text: a name such as "March" then means the last one.
_PAST = (("it happened ", ""), ("", "에 했다"), ("", ""))


def read_moment(text: str, now: datetime) -> datetime:
    """Return the aware time at which the named moment or period begins, on the clock of this machine unless the text has a
    time zone. A name that recurs means the last one before `now` (aware). Raises UsageError."""
    text = text.strip()
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        named = [begin for before, after in _PAST if (begin := _begin(before, text, after, now)) is not None]
    if not named:
        raise UsageError(
            f"`{text[:_MAX_CHARS]}` is not a time: write a date such as 2026-03-31, or words such as `2 weeks ago`"
        )
    return next((begin for begin in named if begin <= now), named[0])


def _begin(before: str, text: str, after: str, now: datetime) -> datetime | None:
    """Return the beginning of the time that the whole text names between these words, None if it names none."""
    local = now.astimezone()
    mentions = anchor_times(f"{before}{text}{after}", local) if len(text) <= _MAX_CHARS else []
    if len(mentions) != 1 or (mentions[0].start, mentions[0].end) != (len(before), len(before) + len(text)):
        return None
    begin = mentions[0].begin
    try:  # the offset of that day may differ: daylight saving
        return begin.astimezone(local.tzinfo).replace(tzinfo=None).astimezone() if begin is not None else None
    except (ValueError, OverflowError):  # at the ends of the calendar
        return None
