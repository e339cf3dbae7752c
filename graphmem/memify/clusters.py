"""k-means over vectors: the number of clusters, their centroids, and matching to previous ones. Numbers only;
`categories` and `terms` give clusters their meaning."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

FEWEST, MOST = 5, 20  # minimum and maximum number of clusters
MEMBERS, KEPT_MEMBERS = 5, 3  # minimum members of a new cluster, and of an existing one
MINI_BATCH_MIN_VECTORS = 20_000  # vectors from which mini-batches are used
_SAMPLE = 3_000  # sampled vectors for choosing the number of clusters
_JUDGED, _DRAWS = 700, 4  # vectors per silhouette sample, and number of samples
_ALIKE = 0.75  # cosine from which two centroids are the same cluster
_BATCH = 65_536
_SEED = 20

_log = logging.getLogger(__name__)

Vectors = Callable[[np.ndarray], np.ndarray]  # rows -> unit vectors


@cache
def is_installed() -> bool:
    """Return whether scikit-learn is installed; without it (requirements-core.txt) no clusters are made, and the log warns once."""
    found = importlib.util.find_spec("sklearn") is not None
    if not found:
        _log.warning("scikit-learn is not installed, so memories are not sorted into new categories.")
    return found


class Score(NamedTuple):
    """The mean silhouette of a clustering over several samples, and its standard error."""

    mean: float
    error: float


def iterate_batches(rows: np.ndarray, size: int = _BATCH) -> Iterator[np.ndarray]:
    """Yield parts of an array."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


def sample_rows(rows: np.ndarray, size: int) -> np.ndarray:
    """Return this many rows, evenly spread and deterministic."""
    if len(rows) <= size:
        return rows
    return np.sort(np.random.default_rng(_SEED).choice(rows, size, replace=False))


def assign_clusters(vectors: np.ndarray, centroids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (nearest centroid, cosine) of each vector; -1 for a missing one (all zeros)."""
    cosines = vectors @ centroids.T
    best = cosines.argmax(axis=1)
    there = np.einsum("ij,ij->i", vectors, vectors) > 0.5
    return np.where(there, best, -1), cosines[np.arange(len(best)), best]


def mean_silhouette(vectors: np.ndarray, labels: np.ndarray) -> Score:
    """Return the mean silhouette over several samples."""
    from sklearn.metrics import silhouette_score

    chance, found = np.random.default_rng(_SEED), []
    for _ in range(_DRAWS):
        drawn = chance.choice(len(vectors), min(_JUDGED, len(vectors)), replace=False)
        if 1 < len(np.unique(labels[drawn])) < len(drawn):
            found.append(silhouette_score(vectors[drawn], labels[drawn], metric="cosine"))
    return Score(float(np.mean(found)), float(np.std(found) / np.sqrt(len(found)))) if found else Score(-1.0, 0.0)


def choose_k(vectors: np.ndarray) -> int:
    """Return the number of clusters: the smallest of 5 to 20 within one standard error of the best silhouette."""
    most = min(MOST, len(vectors) // MEMBERS)
    scores = {k: mean_silhouette(vectors, _fit(vectors, k).argmax) for k in range(FEWEST, most + 1)}
    best = max(scores.values())
    return min(k for k, score in scores.items() if score.mean >= best.mean - best.error)


class _Fitted(NamedTuple):
    centroids: np.ndarray
    argmax: np.ndarray


def _fit(vectors: np.ndarray, k: int, start: np.ndarray | None = None) -> _Fitted:
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from threadpoolctl import threadpool_limits

    given = {"n_clusters": k, "random_state": _SEED, "init": "k-means++" if start is None else start,
             "n_init": 3 if start is None else 1}  # fmt: skip
    if len(vectors) > MINI_BATCH_MIN_VECTORS:
        model = MiniBatchKMeans(batch_size=4_096, max_iter=30, **given).fit(vectors)
    else:
        with threadpool_limits(1):  # threads cost more than they gain, especially on a busy machine
            model = KMeans(max_iter=100, **given).fit(vectors)
    centroids = model.cluster_centers_
    lengths = np.maximum(np.linalg.norm(centroids, axis=1, keepdims=True), 1e-9)
    return _Fitted((centroids / lengths).astype(np.float32), model.labels_)


def fit_clusters(
    rows: np.ndarray, vectors: Vectors, before: np.ndarray | None, *, anew: bool
) -> tuple[np.ndarray, bool]:
    """Return (centroids, whether they are new). Without `again`, the previous ones are moved to the mean of their members;
    with it, a new clustering replaces them if it separates better by more than the measurement error."""
    few = vectors(sample_rows(rows, _SAMPLE))
    every = vectors(sample_rows(rows, 100_000))
    moved = None if before is None else _fit(every, len(before), before).centroids
    if moved is not None and not anew:
        return moved, False
    fresh = _fit(every, choose_k(few)).centroids
    if moved is not None:
        old, new = (mean_silhouette(few, assign_clusters(few, centroids)[0]) for centroids in (moved, fresh))
        if new.mean <= old.mean + max(old.error, new.error):
            return moved, False
    return fresh, True


def cluster_members(rows: np.ndarray, vectors: Vectors, centroids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (nearest centroid or -1, cosine) of all rows, computed in parts."""
    labels, cosines = np.full(len(rows), -1, np.int16), np.zeros(len(rows), np.float32)
    for start, part in zip(range(0, len(rows), _BATCH), iterate_batches(rows), strict=False):
        labels[start : start + len(part)], cosines[start : start + len(part)] = assign_clusters(
            vectors(part), centroids
        )
    return labels, cosines


def small_clusters(labels: np.ndarray, centroids: np.ndarray, least: Sequence[int]) -> dict[int, int]:
    """Return the clusters that are too small, with the nearest sufficiently large one; evaluated at once, so that merges
    do not influence each other."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(centroids))
    large = [i for i, size in enumerate(sizes) if size >= least[i]]
    if not large:
        return {}
    return {i: large[int((centroids[large] @ centroids[i]).argmax())] for i in range(len(centroids)) if i not in large}


def match_centroids(before: np.ndarray, now: np.ndarray) -> dict[int, int]:
    """Match current clusters to previous ones: the assignment with the greatest sum of cosines (Hungarian method),
    without dissimilar pairs."""
    from scipy.optimize import linear_sum_assignment

    if not len(before) or not len(now):
        return {}
    cosines = now @ before.T
    pairs = zip(*linear_sum_assignment(-cosines), strict=True)
    return {int(new): int(old) for new, old in pairs if cosines[new, old] >= _ALIKE}
