"""Passages: what they cover, how long they are, and under which heading they stand."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.text.passages import MAX_TOKENS, WHOLE, approximate_tokens, split_passages
from graphmem.text.tokens import estimate_tokens

LINES = st.sampled_from(
    ["", "# Setup", "## Limits of use", "**Note**", "```python", "```", "- a point of a list", "배포는 금요일에 합니다.",
     "A sentence of some words. Another one follows! And is this the third?", "x" * 900, "단어" * 300, "\t", "word " * 80]
)  # fmt: skip


@given(st.lists(LINES, max_size=40).map("\n".join))
@settings(max_examples=examples(150), deadline=None)
def test_passages_hold_every_visible_character_in_order_and_stay_short(text):
    found = split_passages(text)
    covered = "".join(text[one.start : one.end] for one in found)
    assert not found or "".join(covered.split()) == "".join(text.split())
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))
    assert all(text[one.start : one.end] == text[one.start : one.end].strip() for one in found)
    assert all(approximate_tokens(text[one.start : one.end]) <= 1.5 * MAX_TOKENS for one in found)


def test_a_short_text_stays_whole():
    assert split_passages("One paragraph.\n\nAnother one.") == []
    assert split_passages("word " * (WHOLE * 4 // 5 - 10)) == []


def test_headings_open_passages_and_name_them():
    body = "It says something about this matter in a few words. " * 12
    text = f"# Guide\n\nWelcome.\n\n## Install\n\n{body}\n\n## Use\n\n{body}\n\n**Limits:**\n{body}"
    found = split_passages(text)
    assert [one.heading for one in found] == ["Guide › Install", "Guide › Use", "Guide › Use › Limits"]
    assert text[found[1].start : found[1].end].startswith("## Use\n\nIt says")


def test_a_comment_in_a_block_of_code_is_no_heading():
    code = "```python\n# not a heading\nprint(1)\n```"
    text = f"{code}\n\n" + "Words that fill the rest of the text until it is long. " * 30
    assert {one.heading for one in split_passages(text)} == {""}
    assert {one.heading for one in split_passages(f"````\n```\n````\n\n{text}\n\n````\n```\n# none\n````\n")} == {""}


@pytest.mark.parametrize("text", ["plain words of a sentence " * 30, "배포가 실패해서 되돌렸습니다. " * 30])
def test_the_approximate_size_is_near_the_estimate(text):
    assert approximate_tokens(text) == pytest.approx(estimate_tokens(text), rel=0.35)
