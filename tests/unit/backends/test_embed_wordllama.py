"""The embedder that ships: deterministic, offline, of length one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.backends.embed.wordllama import WordLlamaEmbedder

EMBEDDER = WordLlamaEmbedder()


def test_related_texts_are_closer_than_unrelated_ones():
    dog, puppy, tax = EMBEDDER.embed(["a dog barked", "the puppy was loud", "income tax return"])
    assert dog @ puppy > dog @ tax


def test_a_text_without_words_has_no_direction():
    assert EMBEDDER.embed([""]).tolist() == [[0.0] * 256]
    assert EMBEDDER.embed([]).shape == (0, 256)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.text(max_size=50), max_size=5))
def test_vectors_have_length_one_and_do_not_depend_on_the_batch(texts):
    together = EMBEDDER.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(vector, EMBEDDER.embed([text])[0], atol=1e-6)
        assert np.isclose(np.linalg.norm(vector), 1, atol=1e-4) or not vector.any()


def test_related_words_are_kept_as_they_are_worked_out():
    words = ["house", "river", "database", "kids"]
    kept = EMBEDDER.related(words, 6, 0.35)
    assert {word: len(near) > 0 for word, near in kept.items()} == dict.fromkeys(words, True)
    worked_out = {word: [(EMBEDDER._spelt(n), c / 10_000) for n, c in EMBEDDER._nearest(word)] for word in words}
    assert kept == worked_out


def test_each_word_asked_meets_the_nearest_word_of_each_text():
    found = EMBEDDER.likeness(["bird", "새"], [["parrot", "tax"], [], ["bird"], ["tax"], ["새", "개"]])
    assert found[0, 2] == found[1, 4] == 1 and found[0, 0] > found[0, 3]
    assert not found[:, 1].any() and found[1, :4].tolist() == [0] * 4
    assert EMBEDDER.likeness([], [["bird"]]).shape == (0, 1)
    assert EMBEDDER.likeness(["bird"], [[]]).tolist() == [[0]]
