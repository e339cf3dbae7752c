"""Where sentences end: English, Korean, lists, logs, code; and what holds for any text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.text.sentences import sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixed it. Tests pass! Ship it?", ["Fixed it.", "Tests pass!", "Ship it?"]),
        ("Use e.g. a queue, i.e. a list.", ["Use e.g. a queue, i.e. a list."]),
        ("Dr. Kim met J. Smith.", ["Dr. Kim met J. Smith."]),
        ("It needs v1.2.3. See src/a.py. Done", ["It needs v1.2.3.", "See src/a.py.", "Done"]),
        ("Call `a. B` now. Then stop.", ["Call `a. B` now.", "Then stop."]),
        ("Well... maybe. Yes.", ["Well... maybe.", "Yes."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("어제 배포했다. 오늘은 쉰다! 괜찮을까요? 네", ["어제 배포했다.", "오늘은 쉰다!", "괜찮을까요?", "네"]),
        ("배포 완료\n로그 확인함\n다음은 테스트", ["배포 완료", "로그 확인함", "다음은 테스트"]),
        ("Docker를 올렸다. Then it broke. 다시 했다.", ["Docker를 올렸다.", "Then it broke.", "다시 했다."]),
        ("终于好了。再见！", ["终于好了。", "再见！"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_prose(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_wrapped_lines_are_one_sentence() -> None:
    text = "This line was wrapped by an editor at some column and\ngoes on here. And ends."
    assert sentences(text) == ["This line was wrapped by an editor at some column and\ngoes on here.", "And ends."]


def test_list_items_stand_alone_and_may_be_wrapped() -> None:
    text = "Plan:\n- read the log\n- fix it\n  with care\n1. test. Twice.\n2. ship"
    assert sentences(text) == ["Plan:", "- read the log", "- fix it\n  with care", "1. test.", "Twice.", "2. ship"]


def test_log_lines_and_stack_traces_stand_alone() -> None:
    text = (
        "2024-01-02 10:00:00 INFO started with a rather long line of words\n"
        "2024-01-02 10:00:01 ERROR failed\n"
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in f\n'
        "ValueError: bad"
    )
    assert sentences(text) == [line.strip() for line in text.splitlines()]


def test_headings_and_commit_messages() -> None:
    assert sentences("# Title\nfeat: add a parser\n\nIt reads files.") == [
        "# Title",
        "feat: add a parser",
        "It reads files.",
    ]


def test_a_code_block_is_one_sentence() -> None:
    text = "Run this.\n```python\nx = 1. # a. B\n\ny = 2\n```\nThen stop."
    assert sentences(text) == ["Run this.", "```python\nx = 1. # a. B\n\ny = 2\n```", "Then stop."]
    assert sentences("Open:\n```\nx. Y.") == ["Open:", "```\nx. Y."]


def test_statements_of_a_program_are_not_joined() -> None:
    assert sentences("x = load(1)\nreturn x;\nif (a) {") == ["x = load(1)", "return x;", "if (a) {"]


LINES = ["Done. ", "e.g. x", "- item. Two", "```", "    code = 1", "INFO: a. B", "했다. 다시", "# h", "| a |", "`a. B`"]
lines = st.lists(st.sampled_from([*LINES, "...", "A", "", "\ud800", "\t"]), max_size=12)


@given(st.one_of(lines.map("\n".join), lines.map(" ".join), st.text(max_size=100)))
def test_spans_are_in_order_and_hold_every_visible_character(text: str) -> None:
    spans = split_sentences(text)
    assert all(start < end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
