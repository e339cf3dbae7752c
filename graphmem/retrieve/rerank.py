"""Reranks the best hits with a cross-encoder, if one is configured: it scores query and hit together, and its score has the
same weight as the rank so far. If it fails, the order stays, and the result reports that."""

from __future__ import annotations

from graphmem.errors import StoreError
from graphmem.ports.embedder import Reranker
from graphmem.retrieve.seed import run_channel
from graphmem.retrieve.state import State

_LONGEST = 2_000  # characters of a text


def rerank_hits(state: State) -> None:
    """Reorder the best hits with the configured reranker."""
    reranker = state.ports.reranker
    if reranker is not None and len(state.ranked) > 1:
        run_channel(state, "reranker", lambda state: _reorder(state, reranker))


def _reorder(state: State, reranker: Reranker) -> None:
    stored = state.load(state.ranked[: state.ports.reranked])
    read = [f"{one.item.title}\n{one.item.text}".strip()[:_LONGEST] for one in stored]
    given = reranker.score(state.query, read)
    if len(given) != len(stored):
        raise StoreError(f"the reranker gave {len(given)} scores for {len(stored)} texts")
    low, high = min(given), max(given)
    share = {
        one.row: (score - low) / (high - low) if high > low else 0.0 for one, score in zip(stored, given, strict=True)
    }
    both = {row: (state.scores.get(row, 0.0) + value) / 2 for row, value in share.items()}
    best = max(both.values()) or 1.0
    order = sorted(both, key=lambda row: (-both[row], row))
    state.ranked = order + [row for row in state.ranked if row not in both]
    for row in order:
        parts = {name: round(value / 2 / best, 4) for name, value in state.why.get(row, {}).items()}
        state.why[row] = {**parts, "reranker": round(share[row] / 2 / best, 4)}
        state.scores[row] = both[row] / best
    last = state.scores[order[-1]]
    for row in state.ranked[len(order) :]:
        if row in state.scores:
            state.scores[row] = min(last, state.scores[row])
