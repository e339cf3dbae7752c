"""k-means, its silhouette and the assignment of clusters are those of the textbooks."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.memify import kmeans
from graphmem.memify.assignment import assign_rows


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("each", [30, 3_000])  # the larger one begins with a sample
def test_groups_that_lie_apart_are_found(each: int) -> None:
    chance = np.random.default_rng(1)
    vectors = unit(np.repeat(np.eye(8), each, axis=0) + 0.1 * chance.normal(size=(8 * each, 8)))
    centroids, labels = kmeans.fit_kmeans(vectors, 8)
    assert [len(set(labels[start : start + each])) for start in range(0, 8 * each, each)] == [1] * 8
    assert len(set(labels)) == 8
    assert np.allclose(centroids[labels[0]], vectors[:each].mean(axis=0), atol=1e-5)


def test_centroids_that_are_given_settle_and_none_stays_without_members() -> None:
    vectors = unit(np.repeat(np.eye(3), 5, axis=0))
    _, labels = kmeans.fit_kmeans(vectors, 3, start=np.array([[1, 0, 0], [0, 0.5, 0.5], [-9, -9, -9]]))
    assert len(set(labels)) == 3


def test_fewer_different_vectors_than_clusters_are_no_obstacle() -> None:
    _, labels = kmeans.fit_kmeans(np.ones((7, 4), np.float32), 5)
    assert len(labels) == 7


def test_the_silhouette_is_as_defined() -> None:
    chance = np.random.default_rng(2)
    vectors, labels = unit(chance.normal(size=(30, 6))), np.append(chance.integers(0, 3, 29), 7)
    wanted = []
    for at, label in enumerate(labels):
        apart = [float(1 - vectors[at] @ other) for other in vectors]
        mean = {
            name: np.mean([d for n, d in enumerate(apart) if labels[n] == name and n != at])
            for name in set(labels)
            if any(labels[n] == name and n != at for n in range(30))
        }
        own, other = mean.pop(label, None), min(d for name, d in mean.items() if name != label)
        wanted.append(0.0 if own is None else (other - own) / max(own, other))
    assert kmeans.mean_silhouette(vectors, labels) == pytest.approx(np.mean(wanted), abs=1e-5)


@given(st.data(), st.integers(1, 5), st.integers(1, 5))
def test_no_other_assignment_costs_less(data: st.DataObject, rows: int, columns: int) -> None:
    costs = np.array([[data.draw(st.integers(-9, 9)) for _ in range(columns)] for _ in range(rows)], float)
    found = assign_rows(costs)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == min(rows, columns)
    table = costs if rows <= columns else costs.T
    least = min(
        sum(table[row, column] for row, column in enumerate(chosen))
        for chosen in permutations(range(table.shape[1]), table.shape[0])
    )
    assert sum(costs[row, column] for row, column in found) == least
