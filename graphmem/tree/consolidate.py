"""Consolidation of the tree: equivalent memories are merged into the older one, similar ones are linked. The decision is
an event with ids only, so a replay needs no encoder; original turns and texts are unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graphmem.model.tree import Consolidated, MemoryNode
from graphmem.ports.embedder import Embedder
from graphmem.tree.words import stem_for_topics, topic_words

if TYPE_CHECKING:
    import numpy as np

# Cosine of summary and trigger from which memories are merged, and linked. Unlisted encoders use the conservative pair;
# CoMeT's own .32 and .15 would merge unrelated memories.
THRESHOLDS = {"wordllama": (0.85, 0.65)}
CAREFUL = (0.9, 0.7)
_WORDS = (0.8, 0.4)  # without an encoder: share of common words
_MOST_LINKED = 3  # maximum similar memories that one is linked to
_BLOCK = 1_000


def plan_consolidation(nodes: Iterable[MemoryNode], embedder: Embedder | None) -> Consolidated:
    """Return which of these memories to merge and to link. Encoder errors are not raised: then words decide."""
    ordered = sorted(nodes, key=lambda node: (node.at, node.id))
    if len(ordered) < 2:
        return Consolidated()
    if embedder is None:
        return _decide(ordered, _by_words(ordered), *_WORDS)
    merge, link = THRESHOLDS.get(embedder.name.partition("-")[0], CAREFUL)
    return _decide(ordered, _by_vectors(ordered, embedder, link), merge, link)


def _decide(
    nodes: Sequence[MemoryNode], similar: Iterable[tuple[int, int, float]], merge: float, link: float
) -> Consolidated:
    """Select the best pairs first; each memory is merged once, so merges do not cascade."""
    merged: list[tuple[str, str, float]] = []
    linked: list[tuple[str, str, float]] = []
    busy: set[int] = set()
    degree: dict[int, int] = {}
    for older, newer, similarity in sorted(similar, key=lambda pair: (-pair[2], pair[0], pair[1])):
        if similarity >= merge and not busy & {older, newer}:
            busy |= {older, newer}
            merged.append((nodes[older].id, nodes[newer].id, round(similarity, 4)))
        elif similarity >= link and degree.get(newer, 0) < _MOST_LINKED:
            degree[newer] = degree.get(newer, 0) + 1
            linked.append((nodes[newer].id, nodes[older].id, round(similarity, 4)))
    return Consolidated(tuple(merged), tuple(linked))


def _by_vectors(nodes: Sequence[MemoryNode], embedder: Embedder, least: float) -> Iterable[tuple[int, int, float]]:
    import numpy as np

    vectors: np.ndarray = embedder.embed([f"{node.summary}\n{node.trigger}" for node in nodes])
    for start in range(0, len(nodes), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        for row, column in np.argwhere(cosines >= least):
            older, newer = int(column), start + int(row)
            if older < newer:
                yield older, newer, float(cosines[row, column])


def _by_words(nodes: Sequence[MemoryNode]) -> Iterable[tuple[int, int, float]]:
    said = [frozenset(map(stem_for_topics, topic_words(f"{node.summary} {node.trigger}"))) for node in nodes]
    places: dict[str, list[int]] = {}
    for newer, words in enumerate(said):
        near = {older for word in words for older in places.get(word, ())[-50:]}
        for older in sorted(near):
            yield older, newer, len(words & said[older]) / len(words | said[older])
        for word in words:
            places.setdefault(word, []).append(newer)
