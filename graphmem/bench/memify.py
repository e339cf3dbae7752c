"""Measures memory maintenance: categories compared with plain k-means that knows the right number, how many members
keep their category when 1% is new, and the effect of priors in a simulated year (`year`). With --count, it measures the
daily run (`growth`). The folder contains any of the data sets `twowiki`, `locomo` and `sessions`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.bench import growth, locomo, year
from graphmem.bench.retrieval import Row, read_lines
from graphmem.bench.year import transcripts
from graphmem.memify import clusters

_KINDS = (
    "film song album actor actress footballer politician player singer director writer composer painter river".split()
)
_SAYS = re.compile(r"\b(?:is|was|are|were) (?:an?|the)\b ([^.;,]*)")
_LEAST = 40  # texts of a group of reference
_NEW = 0.01  # share of items that arrive
_SEED = 7


class Labelled(NamedTuple):
    """Texts and the group that each belongs to."""

    name: str
    texts: list[str]
    groups: list[str]


def main(count: int) -> None:
    """Time a daily batch over so many entries."""
    growth.main(count)


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table: categories and stability of each set, then the simulated year."""
    rows: list[Row] = []
    embedder = WordLlamaEmbedder()
    for case in cases(data):
        vectors = embedder.embed(case.texts)
        rows += _categories(case, vectors)
    if (data / "sessions").is_dir():
        rows += year.run(data / "sessions")
    return rows


def cases(data: Path) -> Iterator[Labelled]:
    """Passages by what they are about, turns of conversations and of agents by where they were said."""
    if (data / "twowiki").is_dir():
        (file,) = (data / "twowiki").glob("corpus.jsonl*")
        pairs = [(f"{one['title']}\n{one['text']}", _kind(one["text"])) for one in read_lines(file)]
        yield _large("2Wiki passages by kind", pairs)
    if (data / "locomo").is_dir():
        turns = [
            (one.text, case.name)
            for case in locomo.cases(data / "locomo")
            for one in case.documents
            if len(one.text) > 20
        ]
        yield _large("LoCoMo turns by conversation", turns)
    if (data / "sessions").is_dir():
        said = [
            (str(draft.payload["content"])[:2_000], name)
            for name, drafts in transcripts(data / "sessions")
            for draft in drafts
            if len(str(draft.payload.get("content", ""))) > 20
        ]
        yield _large("agent turns by transcript", said)


def _kind(text: str) -> str:
    """Return the first word of a definition that names a kind of thing."""
    match = _SAYS.search(text)
    named = [word for word in re.findall(r"[a-z]+", match[1].lower()) if word in _KINDS] if match else []
    return named[0] if named else ""


def _large(name: str, pairs: list[tuple[str, str]]) -> Labelled:
    sizes = Counter(group for _, group in pairs)
    kept = [(text, group) for text, group in pairs if group and sizes[group] >= _LEAST]
    return Labelled(name, [text for text, _ in kept], [group for _, group in kept])


def _categories(case: Labelled, vectors: np.ndarray) -> list[Row]:
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rows, true = np.arange(len(vectors)), len(set(case.groups))
    centroids, _ = clusters.fit_clusters(rows, lambda some: vectors[some], None, anew=True)
    found = clusters.assign_clusters(vectors, centroids)[0]
    plain = KMeans(true, n_init=10, random_state=0).fit_predict(vectors)
    told = []
    for system, labels in ((f"categories, k={len(centroids)}", found), (f"k-means, true k={true}", plain)):
        scores = {
            "ARI": round(float(adjusted_rand_score(case.groups, labels)), 3),
            "NMI": round(float(normalized_mutual_info_score(case.groups, labels)), 3),
        }
        told.append(Row(system, case.name, len(rows), scores))
    told[0].metrics["kept"] = round(stability(vectors), 4)
    return told


def stability(vectors: np.ndarray) -> float:
    """Return the share of items that keep their category when a hundredth of all items is new."""
    rows = np.random.default_rng(_SEED).permutation(len(vectors))
    old = np.sort(rows[int(len(rows) * _NEW) :])
    before, _ = clusters.fit_clusters(old, lambda some: vectors[some], None, anew=True)
    after, _ = clusters.fit_clusters(np.sort(rows), lambda some: vectors[some], before, anew=False)
    return float(
        (clusters.assign_clusters(vectors[old], before)[0] == clusters.assign_clusters(vectors[old], after)[0]).mean()
    )
