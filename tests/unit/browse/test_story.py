"""A session as a story: order, chapters, branches, failures with reasons, and what came of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.browse.story import ANSWER, REQUEST, SHOWN, STORY_TYPES, TOOL, report_of, tell_story
from graphmem.model.events import Event

KINDS = {"user": "user_prompt", "assistant": "agent_response", "tool": "tool_observation", "shown": "memory_shown"}


def event(at: int, role: str, content: str = "", **payload: Any) -> Event:
    given = {"role": role, "content": content, **payload}
    return Event(at, f"e{at}", KINDS[role], 1, at, at, "host", "s", "demo", role, given)


def run(at: int, command: str, output: str = "", **payload: Any) -> Event:
    return event(at, "tool", output, tool="Bash", command=command, input={"command": command}, **payload)


def test_the_beginning_is_first_whatever_was_recorded_first() -> None:
    late = [
        event(50, "user", "Look for callers of charge.", agent="scout"),
        run(51, "grep -r charge", agent="scout"),
        event(10, "user", "Mend the ledger of the harbour."),
        event(20, "tool", "done", tool="Task", input={"prompt": "Look for callers of charge."}),
        event(60, "assistant", "It is mended."),
    ]
    story = tell_story(late)
    assert story.title == "Mend the ledger of the harbour." and (story.first, story.last) == (10, 60)
    (chapter,) = story.chapters
    assert [step.kind for step in chapter.steps] == [TOOL, ANSWER]
    assert [step.id for step in chapter.steps[0].branch] == ["e50", "e51"]


def test_a_subagent_without_its_call_is_a_branch_where_it_ran() -> None:
    story = tell_story(
        [event(1, "user", "Mend the ledger of the harbour."), run(2, "ls", agent="scout"), run(3, "make")]
    )
    assert [(step.tool, len(step.branch)) for step in story.chapters[0].steps] == [("Agent", 1), ("Bash", 0)]


def test_two_subagents_go_to_the_calls_with_their_prompts() -> None:
    story = tell_story(
        [
            event(1, "user", "Mend the ledger of the harbour."),
            event(2, "tool", tool="Task", input={"prompt": "Look at the berths."}),
            event(3, "tool", tool="Task", input={"prompt": "Look at the boats."}),
            event(4, "user", "Look at the boats.", agent="b"),
            event(5, "user", "Look at the berths.", agent="a"),
        ]
    )
    assert [[step.agent for step in call.branch] for call in story.chapters[0].steps] == [["a"], ["b"]]


def test_a_failure_has_its_reason_and_is_mended_when_the_same_passes() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: amounts are whole cents\nExit code 1'
    )
    story = tell_story(
        [
            event(1, "user", "Run the tests of the harbour, please."),
            run(2, "pytest tests", trace, failed=True),
            run(3, "pytest tests", "3 passed"),
            run(4, "pytest tests/test_booking.py", "FAILED test_a_night\nExit code 1", failed=True),
        ]
    )
    first, second = story.failures
    assert first.mended and "ValueError: amounts are whole cents" in first.why
    assert not second.mended
    assert story.left_open == [("pytest tests/test_booking.py: FAILED test_a_night", "e4")]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Amounts are whole cents. Still open: the invoices.", ["Still open: the invoices."]),
        ("취소는 빨라졌습니다. 남은 일: 테스트를 추가해야 합니다.", ["남은 일: 테스트를 추가해야 합니다."]),
        ("Everything is done and committed.", []),
    ],
)
def test_what_is_left_open_is_what_the_last_answers_say(said: str, left: list[str]) -> None:
    story = tell_story([event(1, "user", "Mend the ledger of the harbour."), event(2, "assistant", said)])
    assert [text for text, _ in story.left_open] == left


def test_decisions_and_commits_name_the_step_that_says_so() -> None:
    story = tell_story(
        [
            event(1, "user", "Mend the ledger of the harbour."),
            run(2, "git commit", commits=[["1a2b3c4d5e", "Keep whole cents"]]),
            event(3, "assistant", "We decided to keep whole cents everywhere, because rounding once a night drifts."),
            event(4, "user", "Good, thank you."),
        ]
    )
    assert story.commits == [("1a2b3c4d Keep whole cents", "e2")]
    assert [step for _, step in story.decided] == ["e3"]
    assert "whole cents" in report_of(story.chapters[0])


def test_what_was_injected_before_the_first_request_belongs_to_it() -> None:
    story = tell_story([event(1, "shown", event="SessionStart", items=["a"], citations=["[mem:a]"], tokens=9),
                        event(2, "user", "Mend the ledger of the harbour.")])  # fmt: skip
    (chapter,) = story.chapters
    (step,) = chapter.steps
    assert (step.kind, step.text, step.items, step.citations, step.tokens) == (
        SHOWN,
        "SessionStart",
        ("a",),
        ("[mem:a]",),
        9,
    )


def test_a_story_of_nothing() -> None:
    story = tell_story([])
    assert (story.title, story.chapters, story.steps) == ("", [], [])


EVENTS = st.lists(
    st.builds(
        event,
        st.integers(0, 40),
        st.sampled_from(sorted(KINDS)),
        st.sampled_from(["", "Mend the ledger of the harbour.", "Still open: the mast.", "Error: no berth"]),
        agent=st.sampled_from(["", "", "a", "b"]),
        tool=st.sampled_from(["Bash", "Task"]),
        failed=st.booleans(),
        input=st.sampled_from([None, "text", {}, {"prompt": "Mend the ledger of the harbour."}, {"command": "make"}]),
    ),
    max_size=25,
    unique_by=lambda one: one.id,
)


@given(EVENTS, st.randoms())
def test_nothing_is_lost_and_the_order_of_recording_does_not_matter(events: list[Event], random: Any) -> None:
    story = tell_story(events)
    told = [step.id for step in story.steps if not step.id.endswith("-branch")]
    wanted = [one.id for one in events if one.type in ("memory_shown", "tool_observation") or one.payload["content"]]
    assert sorted(told) == sorted(wanted)
    other = list(events)
    random.shuffle(other)
    assert [step.id for step in tell_story(other).steps] == [step.id for step in story.steps]
    assert all(one.at <= two.at for chapter in story.chapters for one, two in pairwise(chapter.steps))
    assert set(KINDS.values()) <= set(STORY_TYPES)
    assert all(chapter.request is None or chapter.request.kind == REQUEST for chapter in story.chapters)


def test_a_run_of_tests_is_over_when_a_later_one_that_passes_includes_it() -> None:
    nothing = "Exit code 5\ncollecting item 0\ncollecting item 1\nno tests ran in 0.31s, 32 deselected"
    story = tell_story(
        [
            event(0, "user", "Please stop the workers cleanly."),
            run(10, "python -m pytest tests/test_consumer.py -q -k shutdwn", nothing, failed=True),
            run(20, "python -m pytest tests/test_storage.py -q", "FAILED test_lock", failed=True),
            run(30, "python -m pytest tests/test_consumer.py -q", "32 passed"),
        ]
    )
    first, second = story.failures
    assert first.why == "no tests ran in 0.31s, 32 deselected"
    assert first.mended and not second.mended
    assert [said for said, _ in story.left_open] == ["python -m pytest tests/test_storage.py -q: FAILED test_lock"]
