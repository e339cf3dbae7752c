"""Merges the answers of the private and the team store: hits by calibrated probability, in the order that each store gave them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphmem.model.results import NOWHERE, Answer, Hit, SearchResult
from graphmem.text.tokens import count_tokens, truncate_tokens

_ORDER = {"none": 0, "suggested": 1, "high": 2}


def merge_hits(lists: Sequence[Sequence[Hit]], most: int) -> tuple[Hit, ...]:
    """Return the `most` best hits: always the more probable one of those that are next in their lists. Of two that say the same,
    the first one is kept. Scores are handed out again in order."""
    heads = [(-hits[0].probability, number, 0) for number, hits in enumerate(lists) if hits]
    heapq.heapify(heads)
    chosen: list[Hit] = []
    seen: set[tuple[str, str]] = set()
    while heads and len(chosen) < most:
        _, number, place = heapq.heappop(heads)
        hit = lists[number][place]
        if (hit.kind, hit.content) not in seen:
            seen.add((hit.kind, hit.content))
            chosen.append(hit)
        if place + 1 < len(lists[number]):
            heapq.heappush(heads, (-lists[number][place + 1].probability, number, place + 1))
    scores = sorted((hit.score for hit in chosen), reverse=True)
    return tuple(replace(hit, score=score) for hit, score in zip(chosen, scores, strict=True))


def merge_results(results: Sequence[SearchResult], k: int, budget: int | None) -> SearchResult:
    """Return one result with the k best hits. Its confidence is that of the more confident store. A name is unknown if no store
    knows it."""
    best = max(results, key=lambda one: (_ORDER[one.confidence], one.probability))
    context = "\n".join(one.context for one in sorted(results, key=lambda one: one is not best) if one.context)
    if budget is not None:
        context = truncate_tokens(context, budget)
    return replace(
        best,
        hits=merge_hits([one.hits for one in results], k),
        context=context,
        tokens=count_tokens(context) if context else 0,
        total=sum(one.total for one in results),
        expanded=sum(one.expanded for one in results),
        withheld=sum(one.withheld for one in results),
        degraded=_degraded([one.degraded for one in results]),
        searched=_summed(one.searched for one in results),
    )


def merge_answers(answers: Sequence[Answer], k: int) -> Answer:
    """Return the more confident answer, with the k best hits of all."""
    best = max(answers, key=lambda one: (_ORDER[one.confidence], len(one.lines)))
    return replace(
        best,
        hits=merge_hits([one.hits for one in answers], k),
        withheld=sum(one.withheld for one in answers),
        degraded=_degraded([one.degraded for one in answers]),
    )


def _degraded(given: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return what failed in any store. A name or project is unknown only if no store knows it."""
    whole = {name: reason for one in given for name, reason in one.items()}
    return {
        name: reason
        for name, reason in whole.items()
        if (reason != NOWHERE and name != "project") or all(name in one for one in given)
    }


def _summed(given: Iterable[Mapping[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in given:
        for name, count in one.items():
            counts[name] = counts.get(name, 0) + count
    return counts
