"""Time expressions of a text, anchored to a reference time: "yesterday at 5pm", "지난주", "May 3 to 5", "every Monday".
A cascade of rules (`grammar`) builds meanings (`meaning`) that calculate their TIMEX3 value and bounds. Pure: no clock."""

from __future__ import annotations

from datetime import datetime

from graphmem.model.text import TimeMention

__all__ = ["anchor_times"]


def anchor_times(text: str, now: datetime) -> list[TimeMention]:
    """Return the time expressions of `text` from left to right, disjoint, as `text[start:end]`.

    `now` is the time at which the text was written; without a time zone it is UTC, with one the words mean that zone's
    wall clock. `value` is TIMEX3 (ISO 8601) at the grain of the words; `begin` and `until` are aware UTC bounds, half
    open, None if the expression is open or has none (durations, recurrences). Where the side is open ("Friday") the
    tense of the words around it decides, else the future. Never raises on any text. Linear in the text's length.
    """
    from graphmem.text.times.anchoring import anchored_mentions

    return list(anchored_mentions(text, now))
