"""The sensor and what it is made of: values, names, words, intents, and triggers that leave none of them out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.model.events import Event
from graphmem.tree.buffer import MOST_ACTS, OPEN, Buffer, Compacted
from graphmem.tree.compose import compose_memory
from graphmem.tree.linking import _is_topic
from graphmem.tree.sensor import Sensed, sensed_now
from graphmem.tree.words import comparison_key, find_values, stem_for_topics, topic_words

pytestmark = pytest.mark.core
DAY = 1_767_000_000_000_000  # 2025-12-29


def turn(text: str, *, role: str = "user", number: int = 1, at: int = DAY, **more: object) -> Event:
    kind = {"assistant": "agent_response", "tool": "tool_observation"}.get(role, "user_prompt")
    payload = {"role": role, "content": text, **more}
    return Event(number, f"e{number}", kind, 1, at, number, "o", "s", "p", role, payload)


def sense(text: str, **more: object) -> Sensed:
    return sensed_now(turn(text, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lease costs $1,200 a month from 14 March 2026", ["$1,200", "14 March 2026"]),
        ("p95 fell from 340 ms to 12.5%, ratio 3:1", ["340 ms", "12.5%", "3:1"]),
        ("upgrade to v2.4.1 on 2026-01-22 at 14:30", ["v2.4.1", "2026-01-22", "14:30"]),
        ("three kids and half a dozen tests", ["three", "half", "dozen"]),
        ("예산은 3만원이고 5월 7일에 12명이 모인다", ["3만", "5월 7일", "12명"]),
        ("nothing to count", []),
    ],
)
def test_every_number_date_and_ratio_is_a_value(text: str, expected: list[str]) -> None:
    assert find_values(text) == expected


def test_words_tell_the_topic_in_both_languages() -> None:
    assert topic_words("Hey! I really think the adoption agencies look great, don't you?") == ["adoption", "agencies"]
    assert "서버" in topic_words("어제 서버를 다시 올렸습니다") and "어제" not in topic_words(
        "어제 서버를 다시 올렸습니다"
    )
    assert stem_for_topics("agencies") == stem_for_topics("agency") and stem_for_topics("java") != stem_for_topics(
        "javascript"
    )


def test_a_turn_is_sensed() -> None:
    found = sense("Ada: Sure. We decided to move db-03 to PostgreSQL 16.2 because the old disk is full. Bye!")
    assert found.speaker == "Ada" and ("person", "Ada") in found.names
    assert "PostgreSQL" in [name for _, name in found.names] and "16.2" in found.values
    assert found.intent == "decide" and "move db-03" in found.core and "Bye" not in found.core


def test_yesterday_gets_its_date() -> None:
    assert "yesterday (2025-12-28)" in sense("I met Jonas yesterday.").values


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Never push to main without a review.", "constrain"),
        ("절대 메인에 바로 푸시하지 마세요.", "constrain"),
        ("It is always sunny there.", "tell"),
        ("How does the parser work?", "ask"),
        ("배포는 언제 하나요?", "ask"),
    ],
)
def test_intents(text: str, intent: str) -> None:
    assert sense(text).intent == intent


def test_tools_are_sensed_by_what_they_did() -> None:
    failed = sense("boom", role="tool", tool="Bash", command="make test", exit_code=2, writes=["a.py"])
    assert failed.intent == "failure" and failed.files == ("a.py",) and not failed.external
    assert sense("x" * 5_000, role="tool", tool="Read").external


def test_announced_changes_of_topic() -> None:
    assert sense("By the way, what about lunch?").shifts and sense("그건 그렇고 점심은요?").shifts
    assert not sense("It works by the way it is built.").shifts


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.text(max_size=300) | st.sampled_from(
    ["Meet Ada Lovelace on 3 May at 14:30 for $20.", "예산은 3만원입니다.", "v1.2.3 → 4x faster", "10/3 = 3.33", "①②③", "\ud800"]),
    min_size=1, max_size=5))  # fmt: skip
def test_no_trigger_leaves_a_value_or_a_name_out(texts: list[str]) -> None:
    turns = tuple(sense(text, number=place) for place, text in enumerate(texts))
    made = compose_memory(Compacted(turns, "forced", 9), "mem_x")
    trigger = comparison_key(made.trigger)
    assert [
        one for one in (*(name for _, name in made.names), *made.values) if comparison_key(one) not in trigger
    ] == []
    assert made.summary and "\n" not in made.summary and made.turns == tuple(one.event for one in turns)


def test_summaries_hold_no_values() -> None:
    made = compose_memory(
        Compacted((sense("The lease of the office costs $1,200 from 14 March."),), "forced", 1), "mem_x"
    )
    assert "1,200" not in made.summary and "March" not in made.summary and "office" in made.summary
    assert "$1,200" in made.trigger and "14 March" in made.trigger


def compacted(*turns: Event) -> list[Compacted]:
    buffer = Buffer()
    found = [one for event in turns for one in buffer.take(sensed_now(event))]
    return found + buffer.close(OPEN, 99)


def test_what_an_agent_did_belongs_to_what_it_was_asked() -> None:
    asked = turn("Please make the importer skip empty rows.", number=1)
    work = [
        turn("Let me read the importer first.", role="assistant", number=2),
        turn("x" * 5_000, role="tool", tool="Read", number=3, reads=["/srv/app/importer.py"]),
        turn("Now update the loop.", role="assistant", number=4),
        turn("ok", role="tool", tool="Edit", number=5, writes=["/srv/app/importer.py"]),
        turn("9 passed", role="tool", tool="Bash", command="make test", number=6),
    ]
    done = turn("The importer drops rows without any cell.", role="assistant", number=7)
    other = turn("Which colour has the button of the login page?", number=8)
    first, second = compacted(asked, *work, done, other)
    assert [one.event for one in first.turns] == [f"e{number}" for number in range(1, 8)]
    assert [one.event for one in second.turns] == ["e8"]
    made = compose_memory(first, "mem_x")
    assert "importer" in made.summary and "importer.py" in made.trigger
    assert "make test" not in made.trigger and "/srv" not in made.trigger


def test_a_memory_is_not_named_after_announcements_or_test_runs() -> None:
    turns = (
        turn("Let me check the importer and its callers in the whole package before the change.", role="assistant"),
        turn("All 94 tests pass in the importer package and its callers.", role="assistant", number=2),
        turn("The importer keeps rows in memory.", role="assistant", number=3),
    )
    assert compose_memory(Compacted(tuple(map(sensed_now, turns)), "open", 1), "m").summary == (
        "The importer keeps rows in memory."
    )
    (only,) = compacted(turns[0])
    assert compose_memory(only, "m").summary.startswith("Check the importer")


def test_work_without_end_is_compacted_and_large_outputs_alone_are_memories() -> None:
    calls = [turn("ok", role="tool", tool="Bash", command=f"make {n}", number=n) for n in range(2, MOST_ACTS + 9)]
    assert len(compacted(turn("Build every target.", number=1), *calls)) == 2
    assert [one.reason for one in compacted(turn("x" * 5_000, role="tool", tool="Read"))] == ["external"]


def test_what_a_program_put_into_a_prompt_says_nothing() -> None:
    told = sense("<task-notification>\n<status>completed</status> after 3 min in `a.py`\n</task-notification>")
    assert (told.core, told.names, told.values, told.words) == ("", (), (), ())


@pytest.mark.parametrize("name", ["</output>", "length(rows)", "a8f3c21", "/srv/app/x.py", "one two three four"])
def test_tags_are_words(name: str) -> None:
    assert not _is_topic(name)
    assert _is_topic("session store") and _is_topic("세션") and _is_topic("app.js")
