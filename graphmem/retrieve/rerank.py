"""Reranks the best candidates with a cross-encoder, if one is configured: it scores query and text together. Its score and the
rank so far have the same weight."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from graphmem.errors import StoreError
from graphmem.plurals import counted
from graphmem.ports.embedder import Reranker
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.records import Candidate, Request
from graphmem.retrieve.seed import try_channel

_MAX_CHARS = 2_000  # characters of a text


def rerank_hits(
    reader: Reader, request: Request, ranked: Sequence[Candidate]
) -> tuple[Sequence[Candidate], dict[str, str]]:
    """Return the candidates in the order of the configured reranker, and why it failed. Then the order stays."""
    reranker = reader.ports.reranker
    if reranker is None or len(ranked) < 2:
        return ranked, {}
    return try_channel("reranker", partial(_rerank, reader, reranker, request.query, ranked), ranked)


def _rerank(reader: Reader, reranker: Reranker, query: str, ranked: Sequence[Candidate]) -> Sequence[Candidate]:
    by_row = {one.row: one for one in ranked[: reader.ports.reranked]}
    stored = reader.load(by_row)
    given = reranker.score(query, [f"{one.item.title}\n{one.item.text}".strip()[:_MAX_CHARS] for one in stored])
    if len(given) != len(stored):
        raise StoreError(f"the reranker gave {counted(len(given), 'score')} for {counted(len(stored), 'text')}")
    low, high = min(given), max(given)
    share = {
        one.row: (score - low) / (high - low) if high > low else 0.0 for one, score in zip(stored, given, strict=True)
    }
    both = {row: (by_row[row].score + value) / 2 for row, value in share.items()}
    best = max(both.values()) or 1.0
    order = sorted(both, key=lambda row: (-both[row], row))
    read = [_with_share(by_row[row], both[row] / best, share[row], best) for row in order]
    rest = [one for one in ranked if one.row not in both]
    return [*read, *(one._replace(score=min(read[-1].score, one.score)) for one in rest)]


def _with_share(candidate: Candidate, score: float, share: float, best: float) -> Candidate:
    parts = {name: round(value / 2 / best, 4) for name, value in candidate.why.items()}
    return candidate._replace(score=score, why={**parts, "reranker": round(share / 2 / best, 4)})
