"""k-means, silhouettes and the best assignment, for the few clusters of `clusters`. scikit-learn and scipy do the same, but take
200 MB of disk and much memory in the owner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_STARTS = 3  # from different centroids; the best one counts
_MOST_STEPS = 100
_STILL = 1e-4  # share of the vectors' variance below which moves of centroids end the search


class Fitted(NamedTuple):
    """Centroids, the number of the nearest one of each vector, and the sum of the squared distances to it."""

    centroids: np.ndarray
    labels: np.ndarray
    inertia: float


def fit_kmeans(vectors: np.ndarray, count: int, seed: int) -> Fitted:
    """Return the best of some clusterings, each from its own start (k-means++)."""
    chance = np.random.default_rng(seed)
    squares = np.einsum("ij,ij->i", vectors, vectors)
    tries = (_descend(vectors, squares, _choose_start(vectors, squares, count, chance)) for _ in range(_STARTS))
    return min(tries, key=lambda fitted: fitted.inertia)


def move_centroids(vectors: np.ndarray, start: np.ndarray) -> Fitted:
    """Return the clustering to which these centroids lead."""
    return _descend(vectors, np.einsum("ij,ij->i", vectors, vectors), start)


def _choose_start(vectors: np.ndarray, squares: np.ndarray, count: int, chance: np.random.Generator) -> np.ndarray:
    """Return vectors far from each other. Of several candidates for each, the one that leaves the least distance is taken."""
    candidates = 2 + int(np.log(count))
    chosen = [int(chance.integers(len(vectors)))]
    nearest = _distances(vectors, squares, vectors[chosen])[:, 0]
    while len(chosen) < count:
        total = nearest.sum(dtype=np.float64)
        drawn = np.searchsorted(np.cumsum(nearest, dtype=np.float64), chance.random(candidates) * total)
        drawn = np.minimum(drawn, len(vectors) - 1)
        left = np.minimum(nearest[:, None], _distances(vectors, squares, vectors[drawn]))
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(drawn[best]))
        nearest = left[:, best]
    return vectors[chosen]


def _distances(vectors: np.ndarray, squares: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """Return the squared distance of each vector to each centroid."""
    found = vectors @ (-2.0 * centroids.T)
    found += squares[:, None]
    found += np.einsum("ij,ij->i", centroids, centroids)
    return np.maximum(found, 0.0, out=found)


def _descend(vectors: np.ndarray, squares: np.ndarray, centroids: np.ndarray) -> Fitted:
    """Move centroids to the mean of their members until they rest."""
    rest = _STILL * float(vectors.var(axis=0).mean())
    centroids = np.array(centroids, dtype=vectors.dtype)
    for _ in range(_MOST_STEPS):
        distances = _distances(vectors, squares, centroids)
        members = _members(distances.argmin(axis=1), len(centroids), vectors.dtype)
        sizes = members.sum(axis=0)
        moved = (members.T @ vectors) / np.maximum(sizes, 1.0)[:, None]
        if empty := np.flatnonzero(sizes == 0).tolist():  # they take what is farthest from its own centroid
            moved[empty] = vectors[np.argsort(distances.min(axis=1))[::-1][: len(empty)]]
        shift = float(((moved - centroids) ** 2).sum())
        centroids = moved
        if shift <= rest:
            break
    distances = _distances(vectors, squares, centroids)
    return Fitted(centroids, distances.argmin(axis=1), float(distances.min(axis=1).sum(dtype=np.float64)))


def _members(labels: np.ndarray, count: int, kind: np.dtype[np.generic]) -> np.ndarray:
    """Return a table with a row for each vector and a 1 in the column of its cluster."""
    found = np.zeros((len(labels), count), kind)
    found[np.arange(len(labels)), labels] = 1
    return found


def silhouette(vectors: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean silhouette by cosine distance: how much nearer a vector is to its own cluster than to the next one."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    distances = 1.0 - (vectors / lengths) @ (vectors / lengths).T
    np.fill_diagonal(distances, 0.0)
    _, own = np.unique(labels, return_inverse=True)
    members = _members(own, int(own.max()) + 1, np.dtype(np.float64))
    sizes, sums = members.sum(axis=0), distances @ members
    rows = np.arange(len(own))
    inside = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    found = (outside - inside) / np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(sizes[own] > 1, found, 0.0).mean())


def assign_pairs(gains: np.ndarray) -> list[tuple[int, int]]:
    """Return pairs (row, column) with the greatest sum of gains, each row and column at most once (Hungarian method)."""
    if gains.shape[0] > gains.shape[1]:
        return sorted((row, column) for column, row in assign_pairs(gains.T))
    costs = -np.asarray(gains, np.float64)
    rows, columns = costs.shape
    by_row, by_column = np.zeros(rows + 1), np.zeros(columns + 1)
    taken_by, before = np.zeros(columns + 1, int), np.zeros(columns + 1, int)
    for row in range(1, rows + 1):
        taken_by[0], column = row, 0
        least, is_done = np.full(columns + 1, np.inf), np.zeros(columns + 1, bool)
        while taken_by[column]:
            is_done[column] = True
            current = taken_by[column]
            left = np.flatnonzero(~is_done[1:]) + 1
            reduced = costs[current - 1, left - 1] - by_row[current] - by_column[left]
            is_better = reduced < least[left]
            least[left[is_better]], before[left[is_better]] = reduced[is_better], column
            step = least[left].min()
            next_column = int(left[least[left].argmin()])
            by_row[taken_by[is_done]] += step
            by_column[is_done] -= step
            least[left] -= step
            column = next_column
        while column:
            taken_by[column], column = taken_by[before[column]], int(before[column])
    return sorted((int(taken_by[column]) - 1, column - 1) for column in range(1, columns + 1) if taken_by[column])
