"""The excerpt of a hit is the part of its text that says most of the question."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.retrieve.excerpts import MAX_EXCERPT_CHARS, choose_commit_excerpt, choose_excerpt
from graphmem.retrieve.stems import stem

PAGE = """Moorings
========

.. _berths:

Every harbour has berths. They are painted in spring.

Choose one of these:

- ``EAST`` (default): closed at night
- ``WEST``: reserved for ferries,
  in summer only

.. code-block:: python

    reserve(berth, until=noon)
"""


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("ferries", "- ``WEST``: reserved for ferries, in summer only"),
        ("painted spring", "They are painted in spring."),
        ("noon", "reserve(berth, until=noon)"),
        ("absent", "Every harbour has berths."),
        ("moorings", "Every harbour has berths."),
    ],
)
def test_the_part_that_says_most_of_the_question_is_shown(words, start):
    shown = choose_excerpt(dict.fromkeys(map(stem, words.split()), 1.0), PAGE, "Harbour › Moorings")
    assert shown.startswith(start) and "====" not in shown and "_berths" not in shown


def test_a_long_paragraph_is_shown_from_before_the_words_asked_for():
    shown = choose_excerpt(
        {stem("ferries"): 1.0}, "wind and rain " * 100 + "hold the ferries back " + "for hours " * 100, ""
    )
    assert re.match(r"….*hold the ferries back", shown) and len(shown) <= MAX_EXCERPT_CHARS


@given(st.text(st.sampled_from("ab .\n-#=`:가。"), max_size=1_500), st.text(st.sampled_from("ab "), max_size=9))
def test_an_excerpt_is_one_short_line(text, title):
    shown = choose_excerpt({"a": 2.0, "ab": 1.0}, text, title)
    assert len(shown) <= MAX_EXCERPT_CHARS and "\n" not in shown


def test_the_excerpt_of_a_hit_answers_and_comes_in_linear_time(memory):
    memory.note("guide", PAGE, kind="document", title="Moorings", ref="docs/a.rst:1")
    assert "ferries" in memory.retriever.search("which berth is reserved for ferries", project="p").hits[0].excerpt
    started = time.process_time()
    for text in ("=" * 500_000, "a. " * 200_000, " \n" * 300_000, "- " * 300_000):
        choose_excerpt({"a": 1.0}, text, "a")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ferries wait too long.\n\nCo-authored-by: Ada <ada@harbour.example>\nberth.py quay/ferry.py", "Ferries wait too long."),
        ("a.py b.py quay/ferry.py LICENSE", "in quay/ferry.py, a.py, b.py and 1 more"),
        ("Ferries wait. Done", "Ferries wait. Done"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_excerpt_of_a_commit_is_its_reason_and_only_else_its_files(text, shown):
    assert choose_commit_excerpt({stem("ferry"): 1.0}, text, "Let them in") == shown
