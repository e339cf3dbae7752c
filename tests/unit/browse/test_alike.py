"""Texts that say nearly the same: which pairs a person is asked about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphmem.browse.alike import NamedEntity, find_alike, find_same_names

NEW = "Boats longer than twelve metres need a berth at the outer pier in the winter"
OLD = "Boats longer than twelve metres need a berth at the outer pier"


def test_texts_that_share_most_words_are_a_pair_with_the_older_one_first() -> None:
    (pair,) = find_alike({"new": NEW, "other": "The suite passes with 214 tests now", "old": OLD})
    assert (pair.older, pair.newer) == ("old", "new") and 0.6 <= pair.share < 1


def test_texts_that_differ_in_a_number_say_something_else() -> None:
    assert not find_alike(
        {"a": "The gateway of the harbour listens on port 8080", "b": "The gateway of the harbour listens on port 9090"}
    )


def test_equal_and_short_texts_are_no_pair() -> None:
    assert not find_alike({"a": OLD, "b": OLD.upper(), "c": "whole cents", "d": "whole cents only"})


@given(
    st.lists(st.lists(st.sampled_from("pier berth boat cents night 8080 선석 예약".split()), max_size=9), max_size=30)
)
def test_any_texts_have_well_formed_pairs(texts: list[list[str]]) -> None:
    named = {str(number): " ".join(words) for number, words in enumerate(texts)}
    pairs = find_alike(named)
    assert all(pair.older != pair.newer and int(pair.newer) < int(pair.older) for pair in pairs)
    assert len({(pair.older, pair.newer) for pair in pairs}) == len(pairs)
    assert [pair.share for pair in pairs] == sorted((pair.share for pair in pairs), reverse=True)


def test_names_of_one_thing_are_pairs_and_names_of_code_only_within_their_type() -> None:
    named = [
        NamedEntity(f"ent:{type}:{name}", name, type, count)
        for name, type, count in (
            ("Node.js", "library", 3), ("nodejs", "library", 9), ("Context", "class", 5), ("context", "variable", 5),
            ("agent_id", "variable", 4), ("agentId", "variable", 1), ("__init__", "function", 4), ("init", "function", 4),
            ("macOS", "operating_system", 2), ("OS X", "operating_system", 1), ("1.0.2", "version", 8), ("10.2", "version", 8),
        )
    ]  # fmt: skip
    assert [(one.name, other.name) for one, other in find_same_names(named)] == [
        ("nodejs", "Node.js"), ("agent_id", "agentId"), ("macOS", "OS X"),
    ]  # fmt: skip
