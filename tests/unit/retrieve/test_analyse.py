"""What a query asks for."""

from datetime import UTC, datetime

import pytest
from retrieving import START

from graphmem.ports.text import ItemFilter
from graphmem.retrieve.analyse import analyse_query, candidate_names, is_report_text
from graphmem.retrieve.present import to_datetime, to_microseconds
from graphmem.retrieve.records import Request
from graphmem.text.words import content_words, name_key


def looked_at(memory, query):
    return analyse_query(memory.retriever.ports, Request(query, 10, ItemFilter(), to_datetime(START)))


def test_stop_words_go_unless_nothing_else_is_there():
    assert content_words("What is the retry limit?") == ["retry", "limit"]
    assert content_words("who is it") == ["who", "is", "it"]
    assert content_words("배포는 언제 했나요") == ["배포는"]
    for asked in (
        "캐시 TTL이 뭐야?",
        "캐시 TTL이 몇 초야?",
        "캐시 TTL은 얼마야?",
        "캐시 TTL을 몇 초로 하기로 했지?",
        "캐시 TTL이 얼마로 되어 있지?",
    ):
        assert content_words(asked) == ["캐시", "ttl"]
    assert content_words("이 분야의 시야") == ["분야의", "시야"]


def test_names_are_sure_by_length_and_capitals():
    found = candidate_names("does Ann know the build server")
    assert found[name_key("Ann")] == 0.7
    assert found[name_key("build server")] == 1.0
    assert found[name_key("server")] == 0.4
    assert name_key("the") not in found


def test_a_short_story_that_ends_with_a_question_asks():
    story = (
        "Since the upgrade on Tuesday the big oven of our bakery no longer starts in the morning, its door stays locked,"
        " bread burns, customers complain, and three bakers wait around."
    )
    assert is_report_text(f"{story} Nobody sells anything.")
    assert not is_report_text(f"{story} Was that mended?")
    assert is_report_text(f"{story}\nWas that mended?") and is_report_text(f"{story} {story} {story} Was that mended?")


def test_words_of_like_meaning_weigh_less(memory):
    state = looked_at(memory, "which movie did the kids watch")
    assert state.terms["movie"] == 1.0
    assert 0 < state.related["film"] < 0.5
    assert "children" in state.related


def test_bare_names_bring_their_aliases(memory):
    assert name_key("Go") in looked_at(memory, "golang").aliases
    assert looked_at(memory, "which file holds the golang release settings of the project").aliases == {}


@pytest.mark.parametrize(
    "query, day", [("what failed yesterday", 14), ("어제 뭐가 실패했나", 14), ("deploys on 3 June 2025", 3)]
)
def test_times_become_a_span(memory, query, day):
    state = looked_at(memory, query)
    assert state.span is not None
    assert state.span[0] == to_microseconds(datetime(2025, 6, day, tzinfo=UTC))


def test_kinds_that_the_store_has_are_wanted(memory):
    assert looked_at(memory, "which commit broke the build").wanted == ()
    memory.note("c", "Break the build", kind="commit")
    assert looked_at(memory, "which commit broke the build").wanted == ("commit",)
