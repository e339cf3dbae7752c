"""What developers write that looks like a time and is none; and the same words where they are one.
A false time in a memory is worse than a missing one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.text.times import anchor_times

NOW = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        # versions, numbers, addresses, places in files
        "Python 3.11 is faster than 3.10",
        "upgrade to v1.2.3 and v2.0",
        "version 2025.1 of the plugin",
        "listening on port 8080, error code 2003",
        "connect to 10.0.0.1:5432",
        "error at main.go:12:30: undefined: x",
        "line 12, column 5",
        "at line 10",
        "closes #1234 and PR #56",
        "ratio 10:30:5",
        "a 16:9 screen",
        "call (555) 123-4567",
        "array[2014] = 5",
        "if x == 2019:",
        "for i in range(1990):",
        "in 2048 chunks of 1500 bytes",
        "commit 3f2d1a9c",
        "sha256:9f86d081884c7d65",
        "passed 8/10 tests",
        "1/2 of the tests, 3/4 of the files",
        "from 3 to 5 items, between 1 and 10",
        "look at 7 examples",
        "stuck at 5",
        "3d model, 2d array, 5 m cable",
        "10s of thousands of rows",
        "H1 tag and h2 heading, T1 and A4",
        "we support it 24/7",
        "telephone 010-2013-2014",
        # words with another meaning
        "you may not use this file",
        "it may fail on the second attempt",
        "this may be slow",
        "The second argument is the first one returned.",
        "march through the list and fall back to the default",
        "the sun is up, we sat on the mat",
        "a Spring application in Spring Boot",
        "min and max of the dec and hex columns",
        "the 3rd parameter and the 15th element",
        "last item, next item, previous commit",
        "a second opinion",
        "half of the users, a quarter of the requests",
        "current directory",
        "good morning everyone",
        "10 places at 100%",
        # names in code
        "Date.now() and today()",
        "today_value = yesterday.py",
        "Fri() and Sat() constructors",
        "daily_report.sh --weekly=1",
        "`now`",
    ],
)
def test_no_time(text: str) -> None:
    assert [mention.text for mention in anchor_times(text, NOW)] == []


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("we ship in May", "May"),
        ("it began in March", "March"),
        ("see you on Sun", "Sun"),
        ("the fix landed in spring", "spring"),
        ("it took 30s", "30s"),
        ("she joined in 2019", "2019"),
        ("on the 15th", "the 15th"),
        ("the meeting is at 7", "7"),
        ("due on 4/15", "4/15"),
        ("sales_report-2024-10-09.xlsx", "2024-10-09"),
        ("wait a second", "a second"),
        ("what happens now?", "now"),
        ("it runs daily", "daily"),
    ],
)
def test_the_same_words_as_times(text: str, mention: str) -> None:
    assert [found.text for found in anchor_times(text, NOW)] == [mention]
