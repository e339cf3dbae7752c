"""Clusters keep their identity, small ones merge from one snapshot, and names tell groups apart in both languages."""

from __future__ import annotations

import numpy as np
import pytest
from support import with_deep

from graphmem.memify import clusters
from graphmem.memify.terms import distinguishing_terms, term_words


def blobs(count: int, each: int, seed: int = 1) -> np.ndarray:
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(count, 32))
    points = np.repeat(centres, each, axis=0) + 0.15 * chance.normal(size=(count * each, 32))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("count", with_deep([8], [5, 12]))
def test_the_number_of_clusters_is_found(count: int) -> None:
    assert clusters.choose_k(blobs(count, 40)) == count


def test_the_same_vectors_give_the_same_clusters() -> None:
    vectors, rows = blobs(6, 30), np.arange(180)
    one, made = clusters.fit_clusters(rows, lambda some: vectors[some], None, anew=True)
    other, _ = clusters.fit_clusters(rows, lambda some: vectors[some], None, anew=True)
    assert made and np.array_equal(one, other)
    moved, anew = clusters.fit_clusters(rows, lambda some: vectors[some], one, anew=True)
    assert not anew and np.allclose(moved, one, atol=1e-5)


def test_clusters_are_matched_to_those_of_before_whatever_their_order() -> None:
    before = np.eye(4, 8, dtype=np.float32)
    now = np.vstack([before[[2, 0, 3]], np.eye(8, dtype=np.float32)[6:7]])
    assert clusters.match_centroids(before, now) == {0: 2, 1: 0, 2: 3}


def test_small_clusters_merge_into_the_nearest_large_one_at_once() -> None:
    centroids = np.array([[1, 0], [0.9, 0.436], [0.8, 0.6], [0, 1]], np.float32)
    labels = np.array([0] * 9 + [1] * 2 + [2] * 1 + [3] * 9)
    merged = clusters.small_clusters(labels, centroids, [5, 5, 3, 5])
    assert merged == {1: 0, 2: 0}  # never into each other


def test_what_has_no_vector_belongs_nowhere() -> None:
    labels, _ = clusters.assign_clusters(np.array([[0, 0], [0, 1]], np.float32), np.eye(2, dtype=np.float32))
    assert labels.tolist() == [-1, 1]


def test_terms_tell_groups_apart() -> None:
    groups = [["the parser reads tokens", "a parser of tokens", "tokens for the parser"],
              ["색인을 다시 만든다", "색인이 느리다", "색인은 파일이다"]]  # fmt: skip
    english, korean = distinguishing_terms(groups)
    assert "parser" in english[0] or "tokens" in english[0]
    assert korean[0] == "색인"
    assert distinguishing_terms([["one secret word", "nothing alike", "quite different"]]) == [
        []
    ]  # one text alone names nothing
    assert term_words("저장소에서 검색을") == ["저장소", "검색"]
