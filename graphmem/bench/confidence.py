"""Measures calibration: each question of a conversation is asked twice, with and without the turns that answer it.
Reports the area under the ROC curve of the probability, the share of answerable questions that are rejected, and a
reliability table: of the questions with a given probability, the share that were answerable."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphmem.bench.locomo import cases
from graphmem.bench.retrieval import Case, Row, fill
from graphmem.memory import Memory
from graphmem.model.results import SearchResult
from graphmem.sync.pipeline import embed_pending

_BINS = 10


class Asked(NamedTuple):
    """One search: whether the answer was there, the probability that was given, and whether it was refused."""

    there: bool
    probability: float
    refused: bool


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table: one line for all, one for each probability bin of width 0.1."""
    asked = [one for case in cases(data) for one in _ask(case)]
    probability = np.array([one.probability for one in asked])
    there = np.array([one.there for one in asked])
    refused = [one.refused for one in asked if one.there]
    rows = [
        Row("all", "", len(asked), {"auroc": auroc(probability, there), "refused": round(float(np.mean(refused)), 4)})
    ]
    for part in range(_BINS):
        low, high = part / _BINS, (part + 1) / _BINS
        inside = (probability >= low) & ((probability < high) | (part == _BINS - 1))
        if inside.any():
            metrics = {"predicted": round(float(probability[inside].mean()), 4),
                       "there": round(float(there[inside].mean()), 4)}  # fmt: skip
            rows.append(Row(f"{low:.1f} to {high:.1f}", "", int(inside.sum()), metrics))
    return rows


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Return the chance that a positive has a higher score than a negative; ties count half."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    ones = int(positive.sum())
    if not 0 < ones < len(scores):
        return float("nan")
    return round(float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * (len(scores) - ones))), 4)


def _ask(case: Case) -> Iterable[Asked]:
    with (
        tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
        Memory.open(Path(folder) / "store", project="bench") as memory,
    ):
        fill(memory, case.documents)
        for question in case.questions:
            yield _judged(True, memory.search(question.query, kinds=["turn"]))
            yield _judged(False, _without(memory, question.query, question.gold))


def _without(memory: Memory, query: str, gold: Iterable[str]) -> SearchResult:
    """Return the answer of a store that lacks some turns. They are put back."""
    store = memory._store
    items = [stored.item for stored in store.text.find(sorted(gold))]
    store.text.apply([item.id for item in items], [], [], {})
    result = memory.search(query, kinds=["turn"])
    store.text.apply([], items, [], {})
    if store.outbox is not None and store.embedder is not None:
        embed_pending(store.outbox, store.embedder)
    return result


def _judged(there: bool, result: SearchResult) -> Asked:
    return Asked(there, result.probability, result.confidence == "none")
