"""The cascade itself: patterns over tokens, tables that fit their functions, and properties on any text.
What single expressions mean is tested elsewhere."""

from __future__ import annotations

import inspect
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.text.times import anchor_times, korean, lexicon, shapes
from graphmem.text.times.engine import Alphabet, Level, Node, mandatory_elements, rule
from graphmem.text.times.grammar import LEVELS, UNIONS
from graphmem.text.times.meaning.calendar import add_months, easter, islamic, shift, start_of

# The kinds of nodes that the readers make.
READ = frozenset(
    "STAMP FULLDATE TIME YEARMONTH MD MONTHDAY DECADE2 DECADE4 DECADEMARK YEARQUOTE YEARCODE QUARTER HALFYEAR WEEKCODE PERIOD "
    "LENGTH OFFSET AMPM GLUEDAP HOURSIGN SIGNUNIT LETTERUNIT ORDNUM DECIMAL DOTTED FRACTION2 PAD N9 N12 N24 N31 N59 N99 N999 YEAR4 "
    "HOURMINUTE BIG POSSESSIVE COMPARE".split()
) | frozenset(shapes._PUNCTUATION.values())
NOW = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)
RULES = [row for level in LEVELS for row in level]
FRAGMENTS = sorted(
    {
        *(word for words in (lexicon.CLASSES | korean.CLASSES).values() for word in words),
        *"the of in at on from to between since until before after ago later past half every and a".split(),
        *"2026 26 15 31 9 07 3:30 10:15:20 5pm 2026-05-03 5/3/26 5/3 1990s 90s '80s 22nd 3.5 0730 Q3 W31 1/2".split(),
        *", - / . : ( ) @ ~ < >= 's 1h30m 2026-05-03T10:15Z 부터 까지 전 년 월 일 시 반 마다".split(),
    }
)


def nodes(alphabet: Alphabet, text: str) -> list[Node]:
    return [
        Node(alphabet.symbol(match[0]), match.start(), match.end(), match[0]) for match in re.finditer(r"\S+", text)
    ]


def apply(level: Level, island: list[Node]) -> list[Node]:
    return level.apply(island, "".join(node.symbol for node in island))


def test_a_rule_captures_values_and_skips_optional_words() -> None:
    alphabet = Alphabet({"COLOUR": {"red": 1, "blue": 2}, "THING": {"car": "C", "bus": "B"}}, {})
    level = Level([rule("PAIR", "the? colour=COLOUR thing=THING", lambda colour, thing: (colour, thing))], alphabet)
    reduced = apply(level, nodes(alphabet, "see the red bus and blue car"))
    assert [node.value for node in reduced if node.value] == [(1, "B"), (2, "C")]
    assert (reduced[1].start, reduced[1].end) == (4, 15)


def test_a_refused_match_leaves_the_nodes_as_they_were() -> None:
    alphabet = Alphabet({"N": {"one": 1, "two": 2}}, {})
    level = Level([rule("TWO", "n=N", lambda n: n if n == 2 else None)], alphabet)
    island = nodes(alphabet, "one one")
    assert apply(level, island) is island


def test_a_union_reads_words_as_their_own_class() -> None:
    alphabet = Alphabet({"A": {"x": 10}, "B": {"x": 20, "y": 30}}, {"BOTH": ("A", "B")})
    (x, y) = nodes(alphabet, "x y")
    assert (alphabet.value("A", x), alphabet.value("B", x), alphabet.value("BOTH", y)) == (10, 20, 30)


def test_the_mandatory_elements_of_a_pattern() -> None:
    assert mandatory_elements("the? day=DAY (of | in)+ (?! YEAR ) m=MONTH? end") == ["DAY", "end"]


@pytest.mark.parametrize("row", RULES, ids=lambda row: row.pattern)
def test_every_rule_fits_its_function(row: object) -> None:
    captures = re.findall(r"([a-z]\w*)=", row.pattern)  # type: ignore[attr-defined]
    parameters = inspect.signature(row.build).parameters  # type: ignore[attr-defined]
    assert set(captures) <= set(parameters)
    required = {name for name, parameter in parameters.items() if parameter.default is parameter.empty}
    assert required <= set(captures)


def test_every_rule_has_an_element_that_it_needs() -> None:
    assert [row.pattern for row in RULES if not mandatory_elements(row.pattern)] == []


def test_every_kind_that_a_rule_reads_can_be_made() -> None:
    numbers = {"W24", "W31", "W59", "W99", "WBIG"}
    made = {row.kind for row in RULES} | READ | numbers | set(lexicon.CLASSES) | set(korean.CLASSES)
    read = {name for row in RULES for name in re.findall(r"\b[A-Z][A-Z0-9]*\b", row.pattern)}
    read |= {member for members in UNIONS.values() for member in members}
    assert read - made - set(UNIONS) == set()


def check(text: str, now: datetime = NOW) -> None:
    end = 0
    for mention in anchor_times(text, now):
        assert text[mention.start : mention.end] == mention.text
        assert end <= mention.start < mention.end
        end = mention.end
        assert mention.value
        for bound in (mention.begin, mention.until):
            assert bound is None or bound.utcoffset() == timedelta(0)
        assert mention.begin is None or mention.until is None or mention.begin <= mention.until


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=examples(400), deadline=None)
@given(
    st.lists(st.sampled_from(FRAGMENTS), max_size=12),
    st.sampled_from([" ", "", "  ", "\n"]),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-7))])),
)
def test_any_words_of_time_on_any_day(words: list[str], space: str, now: datetime) -> None:
    check(space.join(words), now)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=8))
def test_the_same_text_gives_the_same_mentions(words: list[str]) -> None:
    text = " ".join(words)
    assert anchor_times(text, NOW) == anchor_times(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        *(piece * 50_000 for piece in ("1-", "1.", "1:", "1/", "다음", "가", "'", "\n")),
        *("1234567890" * 10_000, "may " * 10_000, "12 " * 20_000, "3 days and " * 3_000),
    ],
    ids=lambda text: text[:8],
)
def test_long_monotonous_texts_are_read(text: str) -> None:
    check(text)


def test_a_mention_does_not_depend_on_the_text_around_it() -> None:
    phrase = "on June 9, 2027 at 5pm"
    (alone,) = anchor_times(phrase, NOW)
    filler = "the parser builds a tree of nodes; " * 200
    (inside,) = anchor_times(f"{filler}{phrase}. {filler}", NOW)
    assert (inside.text, inside.value, inside.begin) == (alone.text, alone.value, alone.begin)


@pytest.mark.parametrize(
    ("year", "date"), [(2000, "2000-04-23"), (2011, "2011-04-24"), (2024, "2024-03-31"), (2038, "2038-04-25")]
)
def test_easter(year: int, date: str) -> None:
    assert easter(year).date().isoformat() == date


@given(st.integers(1583, 4000))
def test_easter_is_a_sunday_between_its_limits(year: int) -> None:
    sunday = easter(year)
    assert sunday.weekday() == 6
    assert datetime(year, 3, 22) <= sunday <= datetime(year, 4, 25)


@given(st.integers(1900, 2300), st.integers(1, 12))
def test_islamic_months_begin_in_the_year_asked_for(year: int, month: int) -> None:
    assert islamic(year, month, 1).year == year


@given(st.datetimes(datetime(1000, 1, 1), datetime(3000, 1, 1)), st.integers(-500, 500))
def test_adding_months_keeps_the_day_or_takes_the_last(moment: datetime, months: int) -> None:
    moved = add_months(moment, months)
    assert (moved.year * 12 + moved.month) - (moment.year * 12 + moment.month) == months
    assert moved.day == moment.day or (moved.day < moment.day and (moved + timedelta(days=1)).day == 1)


@given(
    st.datetimes(datetime(1000, 1, 1), datetime(3000, 1, 1)),
    st.sampled_from(
        ["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year", "decade", "century"]
    ),
)
def test_a_moment_lies_in_its_period(moment: datetime, unit: str) -> None:
    start = start_of(unit, moment)
    assert start <= moment < shift(start, unit, 1)
    assert start_of(unit, start) == start
