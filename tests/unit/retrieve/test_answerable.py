"""Whether a conversation tells what is asked, beside whether it speaks of the matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieving import Memory

from graphmem.retrieve.answerable import answer_probability, asked_aspect, topic_probability

TALK = (
    "I booked the Harbour Grill for the team dinner on 12 May, for eleven people.",
    "Good choice, the Harbour Grill has a long table by the window.",
    "The team dinner at the Harbour Grill went on until midnight and Nora gave a speech.",
    "Next week I have to write the release notes for version 4.",
    "Start the release notes with what breaks, then list the fixes.",
)


@pytest.fixture
def memory(tmp_path):
    memory = Memory(tmp_path)
    memory.turns(*TALK)
    yield memory
    memory.index.close()


def _probability(memory, query):
    return memory.retriever.search(query, project="p", kinds=["turn"]).probability


def test_a_detail_that_nobody_told_is_less_likely_there_than_one_that_somebody_told(memory):
    told = _probability(memory, "Who gave a speech at the team dinner at the Harbour Grill?")
    untold = _probability(memory, "What was the atmosphere like at the team dinner at the Harbour Grill?")
    assert untold < 0.6 < told


@pytest.mark.parametrize(
    "query",
    [
        "Can you summarize how the team dinner at the Harbour Grill went?",
        "How many people did I book the Harbour Grill for?",
        "Have I been to the Harbour Grill with the team?",
        "How should I begin the release notes for version 4?",
    ],
)
def test_the_topic_is_enough_for_requests_summaries_and_counts(memory, query):
    found = memory.retriever.search(query, project="p", kinds=["turn"])
    assert found.confidence != "none"
    assert found.probability > _probability(memory, "What specific criteria were used to prioritise the team dinner?")


@pytest.mark.parametrize(
    "query", ["GraphQL schema stitching across federated gateways", "왜 포도밭에 비료를 바꿨나요?"]
)
def test_what_nobody_spoke_of_is_refused(memory, query):
    assert memory.retriever.search(query, project="p", kinds=["turn"]).confidence == "none"


@pytest.mark.parametrize(
    ("query", "aspect"),
    [
        ("What was the atmosphere like at the dinner?", ["atmosphere", "dinner"]),
        ("How did Nora react to the speech?", ["react", "speech"]),
        ("Which specific kinds of ports does the proxy open?", ["ports", "proxy"]),
        ("", []),
    ],
)
def test_the_aspect_is_what_follows_the_question_word(query, aspect):
    assert asked_aspect(query) == aspect


@given(query=st.text(max_size=200), text=st.text(max_size=200), there=st.floats(0, 1), value=st.floats(0, 1))
def test_any_text_has_a_probability(query, text, there, value):
    assert 0 < answer_probability(query, [text], there) < 1
    assert 0 < topic_probability({"first_window": value, "best_own": value}) < 1
