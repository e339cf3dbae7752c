"""English time expressions: what is found, how far it reaches, and what it means on a given day.
What is no time is tested in the file on precision."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from graphmem.model.text import TimeMention
from graphmem.text.times import anchor_times

NOW = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)  # a Wednesday


def only(text: str, now: datetime = NOW) -> TimeMention:
    """The one mention of a text."""
    mentions = anchor_times(text, now)
    assert len(mentions) == 1, [mention.text for mention in mentions]
    return mentions[0]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value", "begin", "until"),
    [
        # days
        ("today", "2026-03-18", "2026-03-18", "2026-03-19"),
        ("the day before yesterday", "2026-03-16", "2026-03-16", "2026-03-17"),
        ("the day after tomorrow", "2026-03-20", "2026-03-20", "2026-03-21"),
        ("June 9, 2027", "2027-06-09", "2027-06-09", "2027-06-10"),
        ("9 June 2027", "2027-06-09", "2027-06-09", "2027-06-10"),
        ("the 9th of June", "2026-06-09", "2026-06-09", "2026-06-10"),
        ("2027-06-09", "2027-06-09", "2027-06-09", "2027-06-10"),
        ("6/9/2027", "2027-06-09", "2027-06-09", "2027-06-10"),
        ("19.06.2027", "2027-06-19", "2027-06-19", "2027-06-20"),
        ("next Monday", "2026-03-23", "2026-03-23", "2026-03-24"),
        ("the first Thursday of May", "2026-05-07", "2026-05-07", "2026-05-08"),
        ("the last day of the month", "2026-03-31", "2026-03-31", "2026-04-01"),
        ("the 20th of next month", "2026-04-20", "2026-04-20", "2026-04-21"),
        ("Easter Monday 2026", "2026-04-06", "2026-04-06", "2026-04-07"),
        ("Thanksgiving 2026", "2026-11-26", "2026-11-26", "2026-11-27"),
        # weeks, months, years
        ("this week", "2026-W12", "2026-03-16", "2026-03-23"),
        ("next weekend", "2026-W13-WE", "2026-03-28", "2026-03-30"),
        ("last month", "2026-02", "2026-02-01", "2026-03-01"),
        ("the second week of April", "2026-W15", "2026-04-06", "2026-04-13"),
        ("October 2025", "2025-10", "2025-10-01", "2025-11-01"),
        ("Q2 2027", "2027-Q2", "2027-04-01", "2027-07-01"),
        ("the second half of 2025", "2025-H2", "2025-07-01", "2026-01-01"),
        ("last summer", "2025-SU", "2025-06-01", "2025-09-01"),
        ("winter 2025", "2025-WI", "2025-12-01", "2026-03-01"),
        ("next year", "2027", "2027-01-01", "2028-01-01"),
        ("the 1980s", "198", "1980-01-01", "1990-01-01"),
        ("the 18th century", "17", "1700-01-01", "1800-01-01"),
        ("early next year", "2027", "2027-01-01", "2027-07-01"),
        ("mid-August", "2026-08", "2026-08-10", "2026-08-21"),
        # at a distance: the value has the grain of the unit, the bounds are the day
        ("five days ago", "2026-03-13", "2026-03-13", "2026-03-14"),
        ("two months ago", "2026-01", "2026-01-18", "2026-01-19"),
        ("three weeks from tomorrow", "2026-04-09", "2026-04-09", "2026-04-10"),
        ("in 10 business days", "2026-04-01", "2026-04-01", "2026-04-02"),
        ("the past two weeks", "P2W", "2026-03-04", "2026-03-18"),
        ("the next 4 days", "P4D", "2026-03-19", "2026-03-23"),
        # ranges
        ("from June 9 to 12", "2026-06-09/2026-06-12", "2026-06-09", "2026-06-13"),
        ("9 - 12 June", "2026-06-09/2026-06-12", "2026-06-09", "2026-06-13"),
        ("between 2019 and 2022", "2019/2022", "2019-01-01", "2022-01-01"),
    ],
)
def test_dates_and_periods(text: str, value: str, begin: str, until: str) -> None:
    mention = only(text)
    assert (mention.text, mention.value) == (text, value)
    assert (mention.begin, mention.until) == (day(begin), day(until))


@pytest.mark.parametrize(
    ("text", "value", "begin"),
    [
        ("tomorrow at 5pm", "2026-03-19T17:00", "2026-03-19T17:00"),
        ("at 17:45 today", "2026-03-18T17:45", "2026-03-18T17:45"),
        ("half past seven in the evening", "2026-03-18T19:30", "2026-03-18T19:30"),
        ("a quarter to nine tonight", "2026-03-18T20:45", "2026-03-18T20:45"),
        ("Friday at noon", "2026-03-20T12:00", "2026-03-20T12:00"),
        ("in 45 minutes", "2026-03-18T11:15:00", "2026-03-18T11:15"),
        ("two hours ago", "2026-03-18T08:30:00", "2026-03-18T08:30"),
        ("2026-03-01T08:00:05Z", "2026-03-01T08:00:05+00:00", "2026-03-01T08:00:05"),
        ("2026-03-01 08:00:05,127", "2026-03-01T08:00:05", "2026-03-01T08:00:05"),
        ("01/Mar/2026:08:00:05 +0900", "2026-03-01T08:00:05+09:00", "2026-02-28T23:00:05"),
        ("Mon Mar  2 08:00:05 2026", "2026-03-02T08:00:05", "2026-03-02T08:00:05"),
        ("Tue, 03 Mar 2026 08:00:05 +0100", "2026-03-03T08:00:05+01:00", "2026-03-03T07:00:05"),
        ("4pm KST", "2026-03-18T16:00+09:00", "2026-03-18T07:00"),
    ],
)
def test_times_of_day(text: str, value: str, begin: str) -> None:
    mention = next(mention for mention in anchor_times(text, NOW) if mention.begin)
    assert mention.value == value
    assert mention.begin == day(begin)


@pytest.mark.parametrize(
    ("text", "begin", "until"),
    [
        ("from 9 to 11am", "09:00", "11:00"),
        ("3-5pm", "15:00", "17:00"),
        ("from 11am to 2", "11:00", "14:00"),
        ("from 9:30 to 8:15", "09:30", "20:15"),
        ("between 7 and 9 this evening", "19:00", "21:00"),
        ("Friday morning", "08:00", "12:00"),
        ("from 2pm for 90 minutes", "14:00", "15:30"),
    ],
)
def test_ranges_of_times_share_am_and_pm(text: str, begin: str, until: str) -> None:
    mention = only(text)
    assert mention.begin is not None and mention.until is not None
    assert (f"{mention.begin:%H:%M}", f"{mention.until:%H:%M}") == (begin, until)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two and a half hours", "PT2.5H"),
        ("1 year and 6 months", "P1Y6M"),
        ("a fortnight", "P2W"),
        ("90s", "PT90S"),
        ("1h30m", "PT1H30M"),
        ("250 ms", "PT0.25S"),
        ("a few days", "PXD"),
        ("more than three weeks", "P3W"),
        ("a two-week", "P2W"),
        ("every Tuesday at 9am", "XXXX-WXX-2T09:00"),
        ("every other week", "P2W"),
        ("Friday afternoons", "XXXX-WXX-5TAF"),
        ("quarterly", "P3M"),
        ("twice a month", "P1M"),
        ("right now", "PRESENT_REF"),
        ("recently", "PAST_REF"),
        ("in the near future", "FUTURE_REF"),
    ],
)
def test_durations_recurrences_and_references(text: str, value: str) -> None:
    assert only(text).value == value


@pytest.mark.parametrize(
    ("text", "begin", "until"),
    [
        ("since Monday the 9th of March", "2026-03-09", None),
        ("before 2020", None, "2020-01-01"),
        ("after June 2026", "2026-07-01", None),
        ("until the end of next month", None, "2026-05-01"),
        ("no later than April 3", None, "2026-04-04"),
    ],
)
def test_one_sided_intervals_leave_the_other_bound_open(text: str, begin: str | None, until: str | None) -> None:
    mention = only(text)
    assert mention.begin == (begin and day(begin))
    assert mention.until == (until and day(until))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The build was broken on Monday.", "2026-03-16"),
        ("The release will ship on Monday.", "2026-03-23"),
        ("We merged it in December.", "2025-12"),
        ("We plan to merge it in December.", "2026-12"),
        ("She reviewed the patch on May 4.", "2025-05-04"),
        ("Please review the patch by May 4.", "2026-05-04"),
    ],
)
def test_the_tense_chooses_the_side(text: str, value: str) -> None:
    assert only(text).value == value


def test_several_mentions_come_in_order_with_their_offsets() -> None:
    text = "Yesterday CI failed twice; on March 2, 2026 it took 40 minutes, and next week we migrate."
    mentions = anchor_times(text, NOW)
    assert [mention.value for mention in mentions] == ["2026-03-17", "2026-03-02", "PT40M", "2026-W13"]
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)


def test_a_phrase_may_cross_a_wrapped_line_but_not_a_paragraph() -> None:
    assert only("it broke last\nweek again").value == "2026-W11"
    assert [mention.value for mention in anchor_times("see you next\n\nMonday we ship", NOW)] == ["2026-03-23"]


def test_the_zone_of_now_is_the_zone_of_the_words() -> None:
    seoul = timezone(timedelta(hours=9))
    mention = only("tomorrow at 3pm", datetime(2026, 3, 18, 23, 0, tzinfo=seoul))
    assert mention.value == "2026-03-19T15:00"
    assert mention.begin == datetime(2026, 3, 19, 6, 0, tzinfo=UTC)


def test_a_naive_now_is_utc() -> None:
    assert anchor_times("tomorrow", datetime(2026, 3, 18)) == anchor_times(
        "tomorrow", datetime(2026, 3, 18, tzinfo=UTC)
    )


@pytest.mark.parametrize("text", ["February 30, 2026", "31 June 2026", "25:61", "13/32/2026", "2026-02-30"])
def test_days_that_do_not_exist_are_no_days(text: str) -> None:
    assert all("-30" not in mention.value and "-31" not in mention.value for mention in anchor_times(text, NOW))


@pytest.mark.parametrize("now", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_the_edges_of_the_calendar_raise_nothing(now: datetime) -> None:
    anchor_times("last year, next century, 3 days ago, in 2 weeks, yesterday at 5pm, Monday, May 5, last winter", now)


def test_daylight_saving_changes_between_now_and_then() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    mention = only("on June 9 at noon", datetime(2026, 3, 18, 10, 30, tzinfo=berlin))
    assert mention.begin == datetime(2026, 6, 9, 10, 0, tzinfo=UTC)
