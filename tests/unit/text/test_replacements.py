"""Sentences that put a new value in the place of an earlier one in other words, and sentences that only look like it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.cognify.selfcorrections import merge_corrections
from graphmem.text.replacements import read_replacing, replacement_strength
from graphmem.text.sentences import split_sentences
from graphmem.text.typed_values import find_values

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def strength(old: str, new: str) -> float:
    replacing = read_replacing(new)
    return replacement_strength(replacing, new, old) if replacing else 0.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use Redis.", "We moved from Redis to Memcached."),
        ("We use Redis for the session cache.", "Redis is gone, we moved to Memcached."),
        ("배포는 Jenkins로 한다.", "Jenkins에서 GitHub Actions로 옮겼다."),
        ("세션 캐시는 Redis를 사용한다.", "Redis 대신 Memcached를 쓰기로 했다."),
        (
            "The press workers pull from the queue called raw-plates.",
            "We renamed that queue, the press workers now read from washed-plates.",
        ),
        ("Our bell tower clock is Horologe.", "Horologe is gone."),
        ("Mira owns the harvest team's calendar.", "Mira handed the harvest calendar over to Jakub."),
        ("We ship to Rotterdam, dock A.", "We've migrated everything off Rotterdam to Antwerp."),
        ("Crates are numbered with six digits.", "Customs wants eight digits in crate numbers from now on."),
        ("Label printing is done with zebra.", "We dropped zebra in favour of brother label printing."),
        ("Customer support answers letters within 24 hours.", "New SLA: support answers letters within 8 hours."),
        ("Jana is the keeper of the archive.", "Correction: Petr keeps the archive, not Jana."),
        ("Every voyage needs two pilots.", "The two-pilots rule is abolished; one pilot is enough for a voyage."),
        ("The harbour ban applies until Friday: nothing may be unloaded.", "The harbour ban has been lifted."),
        ("The team decided to use brass for the valve bodies.", "I changed my mind about brass."),
        ("The mast crane runs Lifter 18.", "We finally upgraded the mast crane to Lifter 22."),
        ("Maps are published to Atlas Hub.", "We publish maps to charts.io from now on."),
        ("야간 점검은 02:30에 실행된다.", "야간 점검 시간을 04:15로 옮겼다."),
        ("선창은 Teak를 사용한다.", "선창을 Oak로 바꿨다."),
    ],
)
def test_a_new_value_takes_the_place_of_an_earlier_one(old: str, new: str) -> None:
    assert strength(old, new) > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The port of the north gate is 9000.", "The port of the south gate is 9001 now."),
        ("The delay in the dry dock is 10 seconds.", "The delay in the wet dock is now 30 seconds."),
        ("Crab pots are stored as PNG in the bucket.", "Lobster pots are now stored as WebP in the bucket."),
        ("Day passes expire after 15 minutes.", "Season passes now expire after 30 days."),
        ("Mira owns the importer.", "Nobody took over the importer from Mira."),
        ("The chart format is JSON.", 'The old log said "we switched the chart format to XML".'),
        ("We support Compass 3.12.", "We no longer support Compass 3.8."),
        ("The hatch opens at 08:00.", "Should the hatch open at 09:00 now?"),
        ("The tide limit is 25 m.", "If we changed the tide limit to 40 m, the gate would stay open."),
        ("The lamp interval is 5 minutes.", "We have not changed the lamp interval to 7 minutes."),
        ("우리 창고는 S3를 쓴다.", "누군가 창고를 GCS로 옮겼냐고 물었다."),
    ],
)
def test_what_only_looks_like_a_change_replaces_nothing(old: str, new: str) -> None:
    assert strength(old, new) == 0


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The backup runs at 04:15 on 3 May.", [("clock", "04:15"), ("date", "3 may")]),
        ("It needs two pilots and 25MB.", [("number of pilot", "2"), ("number of mb", "25")]),
        ("We run Node 22.1 behind proxy-02.internal.", [("version of node", "22.1"), ("name", "proxy-02.internal")]),
        ("시간은 45분이다.", [("number of min", "45")]),
        ("The wind is steady.", []),
    ],
)
def test_values_are_read_with_their_kind(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(value.kind, value.text) for value in find_values(text)] == kinds


def test_not_at_the_end_of_a_sentence_is_no_correction_of_it() -> None:
    text = "Petr keeps the archive, not Jana."
    assert [words for _, _, words in merge_corrections(text, split_sentences(text))] == [text]


def test_what_was_replaced_in_other_words_comes_second_and_first_where_it_is_asked_for(tmp_path: Path) -> None:
    told = [
        ("Mira owns the harvest team's calendar.", "Mira handed the harvest calendar over to Jakub."),
        ("The ferry deck has five winches.", "Sorry, I was wrong: it's seven winches."),
        ("The chart address is /maps/v1/north.", "Oops, it is /maps/v2/north, not v1."),
    ]
    for number, (old, new) in enumerate(told):
        with Memory.open(tmp_path, project=f"p{number}") as memory:
            memory.observe(old, session="a", at=START)
            memory.observe("The deck of the ferry and the harvest have a chart.", session="b", at=START)
            memory.observe(new, session="a", at=START + timedelta(minutes=number + 1))
    with Memory.open(tmp_path) as memory:
        memory.process()
    for number, (query, old, new) in enumerate(
        [
            ("who owns the harvest calendar", "Mira owns", "Jakub"),
            ("how many winches does the ferry deck have", "five", "seven"),
            ("what is the chart address", "is /maps/v1", "v2"),
        ]
    ):
        with Memory.open(tmp_path, project=f"p{number}") as memory:
            hits = memory.search(query).hits
            assert new in hits[0].content
            assert {hit.status for hit in hits if old in hit.content} == {"superseded"}
            assert old in memory.search(f"{query} originally").hits[0].content
            assert old in memory.search(query, as_of=START + timedelta(seconds=30)).hits[0].content


@pytest.mark.parametrize(
    ("one", "other", "query"),
    [
        (
            "According to the README the delay is 30 seconds.",
            "The operations handbook says the delay is 60 seconds.",
            "what is the delay",
        ),
        ("위키에 따르면 타임아웃은 30초이다.", "운영 문서에는 타임아웃이 60초라고 되어 있다.", "타임아웃은 얼마인가"),
    ],
)
def test_two_sources_without_order_are_contested(tmp_path: Path, one: str, other: str, query: str) -> None:
    with Memory.open(tmp_path) as memory:
        memory.observe(one, session="a", at=START)
        memory.observe(other, session="b", at=START + timedelta(days=1))
        memory.process()
        hits = memory.search(query).hits
        assert {hit.status for hit in hits} == {"contested"}
