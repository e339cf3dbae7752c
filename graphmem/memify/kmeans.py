"""k-means and the silhouette that judges it, with numpy alone: the packages that offer them take 200 MB and a second to load."""

from __future__ import annotations

import numpy as np

LARGE = 20_000  # vectors from which the first centroids are those of a sample
_ROUNDS, _LAST_ROUNDS = 100, 10
_TOLERANCE = 1e-4  # of the variance: centroids that move less have settled


def fit_kmeans(
    vectors: np.ndarray, k: int, *, start: np.ndarray | None = None, restarts: int = 3, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (centroids, nearest centroid of each vector): the best of a few restarts, or what `start` settles to.
    Deterministic."""
    chance = np.random.default_rng(seed)
    few = vectors if len(vectors) <= LARGE else vectors[np.sort(chance.choice(len(vectors), LARGE, replace=False))]
    starts = [start] if start is not None else [_spread(few, k, chance) for _ in range(restarts)]
    found = [_settle(few, np.array(one, np.float32), _ROUNDS) for one in starts]
    centroids, labels, _ = min(found, key=lambda one: one[2])
    if few is not vectors:
        centroids, labels, _ = _settle(vectors, centroids, _LAST_ROUNDS)
    return centroids, labels


def mean_silhouette(vectors: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean silhouette of unit vectors by cosine distance; a cluster's only member counts 0."""
    names, numbers = np.unique(labels, return_inverse=True)
    sizes = np.bincount(numbers)
    members = np.eye(len(names), dtype=np.float32)[numbers]
    sums = np.maximum(1.0 - vectors @ vectors.T, 0.0) @ members  # distances of each vector to all of each cluster
    each = np.arange(len(vectors))
    own = sums[each, numbers] / np.maximum(sizes[numbers] - 1, 1)
    means = sums / sizes
    means[each, numbers] = np.inf
    other = means.min(axis=1)
    scores = (other - own) / np.maximum(np.maximum(own, other), 1e-12)
    return float(np.where(sizes[numbers] > 1, scores, 0.0).mean())


def _spread(vectors: np.ndarray, k: int, chance: np.random.Generator) -> np.ndarray:
    """Return k of the vectors that are far from each other: k-means++, with the best of a few draws each time."""
    chosen = [int(chance.integers(len(vectors)))]
    nearest = _distances(vectors, vectors[chosen])[:, 0]
    draws = 2 + int(np.log(k))
    while len(chosen) < k:
        total = nearest.sum(dtype=float)
        if total <= 0:  # all vectors are among the chosen
            chosen.append(int(chance.integers(len(vectors))))
            continue
        places = np.searchsorted(np.cumsum(nearest, dtype=float), chance.random(draws) * total)
        drawn = np.minimum(places, len(vectors) - 1)
        closer = np.minimum(nearest[:, None], _distances(vectors, vectors[drawn]))
        best = int(closer.sum(axis=0).argmin())
        chosen.append(int(drawn[best]))
        nearest = closer[:, best]
    return vectors[chosen]


def _settle(vectors: np.ndarray, centroids: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Move centroids to the mean of their members until they stay. Return (centroids, labels, sum of squared distances)."""
    enough = _TOLERANCE * float(vectors.var(axis=0).mean())
    for _ in range(rounds):
        labels, nearest = _assign(vectors, centroids)
        sizes = np.bincount(labels, minlength=len(centroids))
        moved = np.eye(len(centroids), dtype=np.float32)[:, labels] @ vectors / np.maximum(sizes, 1)[:, None]
        empty = np.flatnonzero(sizes == 0)
        moved[empty] = vectors[np.argsort(-nearest, kind="stable")[: len(empty)]]
        change = float(((moved - centroids) ** 2).sum())
        centroids = moved.astype(np.float32)
        if change <= enough:
            break
    labels, nearest = _assign(vectors, centroids)
    return centroids, labels, float(nearest.sum(dtype=float))


def _assign(vectors: np.ndarray, centroids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (nearest centroid, squared distance to it) of each vector."""
    distances = _distances(vectors, centroids)
    labels = distances.argmin(axis=1)
    return labels, distances[np.arange(len(labels)), labels]


def _distances(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the squared distances of each vector to each of the others."""
    squares = np.einsum("ij,ij->i", vectors, vectors)[:, None] + np.einsum("ij,ij->i", others, others)
    distances: np.ndarray = np.maximum(squares - 2.0 * (vectors @ others.T), 0.0)
    return distances
