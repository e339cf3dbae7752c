"""Times that a user types: dates, and words in English and Korean."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import UsageError
from graphmem.text.moments import read_moment

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-31", "2026-03-31"),
        ("2026-03-31 17:30", "2026-03-31"),
        ("2026-03", "2026-03-01"),
        ("yesterday", "2026-11-24"),
        ("two weeks ago", "2026-11-11"),
        ("monday", "2026-11-23"),
        ("last friday", "2026-11-20"),
        ("March", "2026-03-01"),
        ("december 24", "2025-12-24"),
        ("어제", "2026-11-24"),
        ("지난주", "2026-11-16"),
        ("3월", "2026-03-01"),
    ],
)
def test_a_time_in_words_is_its_beginning_in_the_past(text: str, day: str) -> None:
    assert f"{read_moment(text, NOW).astimezone():%Y-%m-%d}" == day


def test_hours_are_exact_and_a_time_zone_is_kept() -> None:
    assert read_moment("3 hours ago", NOW) == NOW - timedelta(hours=3)
    assert read_moment("2026-03-31T10:00:00+09:00", NOW) == datetime(2026, 3, 31, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "v1.2", "HEAD~3", "the build of yesterday failed", "0001-01-01", "x" * 100_000])
def test_what_is_no_time_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time: write a date such as"):
        read_moment(text, NOW)


@given(st.text(max_size=60))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert read_moment(text, NOW).tzinfo is not None
