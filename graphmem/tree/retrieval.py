"""Retrieval from the tree by three paths: topic (summary), need (trigger), and original turns. Ranks and scores of the
paths are fused; linked memories follow at half the score. The context for an agent quotes matching original turns within
a token budget."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from graphmem.context import StoreContext
from graphmem.model.results import Hit
from graphmem.model.tree import MemoryNode, Retrieval, Retrieved
from graphmem.ports.text import SUMMARIES, TRIGGERS
from graphmem.retrieve.present import truncate_text
from graphmem.text.tokens import count_tokens
from graphmem.tree.repository import MemoryRepository

TURNS = "turn"
WEIGHTS = {SUMMARIES: 0.2, TRIGGERS: 0.3, TURNS: 0.5}  # of the paths
FUSED = 0.6  # weight of ranks in the score; the rest is similarity
_K = 5  # constant of reciprocal rank fusion
_DEEP = 3  # candidates per path, for each requested memory
_TURNS = 60  # minimum original turns that are checked
_SHORT = 50  # tokens per original turn: a larger budget takes more of them
_LINKED = 0.5  # score of a linked memory, as a share
_MOST_LINKED = 2  # linked memories that follow a memory
_OWN = 0.4  # weight of a memory's score for its original turns
_LONG = 1_200  # maximum characters of a quoted turn
_EXACT = re.compile(
    r"\b(?:when|how (?:many|much|long|old|often|far|big|large)|which (?:version|number|date|day|year|port|commit|file|line)"
    r"|what (?:time|date|day|year|number|version|port|amount|price|value|percentage|exact\w*|is the (?:name|value|number))"
    r"|exact(?:ly)?|precise(?:ly)?|quote|verbatim|number|ratio|percent|total|cost|price|deadline|error message|command|who)\b"
    r"|\d|언제|몇|얼마|정확|버전|날짜|누가|누구|며칠|비율",
    re.IGNORECASE,
)


class TreeHits(NamedTuple):
    """Scores of memories and of original turns, by id; `turns` are hits of original turns."""

    nodes: dict[str, float]
    linked: frozenset[str]
    turns: list[Hit]
    home: dict[str, str]


def risk_of(query: str) -> Literal["high", "low"]:
    """Return "high" if a question asks for an exact value: then the original turns must be read."""
    return "high" if _EXACT.search(query) else "low"


def retrieve_memories(
    source: StoreContext, summary_query: str, trigger_query: str | None = None, *, k: int = 5, budget: int = 1_500
) -> Retrieval:
    """Return the `k` memories that fit two descriptions best, with linked ones, and a context within `budget` tokens."""
    queries = list(dict.fromkeys(one for one in (summary_query, trigger_query or summary_query) if one.strip()))
    if not queries:
        return Retrieval()
    shelf = MemoryRepository(source)
    found = find_candidates(source, shelf, queries, k, max(_TURNS, budget // _SHORT))
    shown = select_memories(shelf, found, k)
    context, tokens = pack_originals(shelf, found, shown, budget)
    high = max(map(risk_of, queries), key=("low", "high").index)
    return Retrieval(shown, high, context, tokens, dict(source.retriever.ports.lacking()))


def select_memories(shelf: MemoryRepository, found: TreeHits, k: int) -> tuple[Retrieved, ...]:
    """Return the `k` best memories and linked ones, best first."""
    best = sorted(found.nodes, key=lambda one: (-found.nodes[one], one))
    kept = [one for one in best if one not in found.linked][:k] + [one for one in best if one in found.linked][:k]
    nodes = {node.id: node for node in shelf.nodes(kept)}
    return tuple(
        Retrieved(nodes[one], round(found.nodes[one], 4), one in found.linked)
        for one in sorted(kept, key=lambda one: (-found.nodes[one], one))
        if one in nodes
    )


def find_candidates(
    source: StoreContext, shelf: MemoryRepository, queries: Sequence[str], k: int, originals: int = _TURNS
) -> TreeHits:
    """Return memories and original turns found by the three paths, with scores."""
    ranks: dict[str, dict[str, int]] = defaultdict(dict)
    similar: dict[str, float] = defaultdict(float)
    turns: dict[str, Hit] = {}
    for path in (SUMMARIES, TRIGGERS, TURNS):
        depth = originals if path == TURNS else _DEEP * k
        for query in queries:
            hits = source.retriever.search(query, k=depth, kinds=[path], project=source.project, budget=0).hits
            homes = shelf.of_turns([hit.id for hit in hits]) if path == TURNS else {}
            place = 0
            for hit in hits:
                node = homes.get(hit.id, "") if path == TURNS else hit.id.removesuffix("#trigger")
                if path == TURNS and (hit.id not in turns or turns[hit.id].score < hit.score):
                    turns[hit.id] = hit
                if not node or (node in ranks[path] and ranks[path][node] <= place):
                    continue
                ranks[path][node] = place
                similar[node] = max(similar[node], hit.probability)
                place += 1
    nodes = fuse_ranks(ranks, similar)
    linked = _links(shelf, nodes, k)
    home = shelf.of_turns(list(turns))
    return TreeHits(
        nodes | linked, frozenset(linked), sorted(turns.values(), key=lambda hit: (-hit.score, hit.id)), home
    )


def fuse_ranks(ranks: Mapping[str, Mapping[str, int]], similar: Mapping[str, float]) -> dict[str, float]:
    """Return scores in [0, 1] from ranks by path and similarities. Reciprocal ranks are normalised by their maximum,
    otherwise they would hardly matter."""
    most = sum(WEIGHTS[path] / (_K + 1) for path in ranks) or 1.0
    scores: dict[str, float] = defaultdict(float)
    for path, placed in ranks.items():
        for node, place in placed.items():
            scores[node] += WEIGHTS[path] / (_K + place + 1) / most
    return {node: FUSED * score + (1 - FUSED) * similar.get(node, 0.0) for node, score in scores.items()}


def _links(shelf: MemoryRepository, nodes: Mapping[str, float], k: int) -> dict[str, float]:
    """Return what the best memories are linked to, at half their score."""
    best = sorted(nodes, key=lambda one: (-nodes[one], one))[:k]
    linked: dict[str, float] = {}
    for node in shelf.nodes(best):
        for other in node.links[:_MOST_LINKED]:
            if other not in best:
                linked[other] = max(linked.get(other, 0.0), _LINKED * nodes[node.id], nodes.get(other, 0.0))
    return linked


def pack_originals(
    shelf: MemoryRepository, found: TreeHits, shown: Sequence[Retrieved], budget: int
) -> tuple[str, int]:
    """Return original turns below their memories, best first, as many as fit; then, if there is space, summaries of the
    others."""
    scores = {hit.id: hit.score + _OWN * found.nodes.get(found.home.get(hit.id, ""), 0.0) for hit in found.turns}
    texts = {hit.id: (hit.at, truncate_text(" ".join(hit.shown.split()), _LONG)) for hit in found.turns}
    heads = {one.node.id: one.node for one in shown}
    quoted: dict[str, list[str]] = {}
    used = 0
    for turn in sorted(scores, key=lambda one: (-scores[one], one)):
        node = found.home.get(turn, "")
        size = count_tokens(texts[turn][1]) + 2
        size += count_tokens(_head(node, texts[turn][0], heads.get(node))) + 1 if node not in quoted else 0
        if used + size > budget:
            continue
        used += size
        quoted.setdefault(node, []).append(turn)
    order = {
        turn: place for ids in shelf.originals([n for n in quoted if n]).values() for place, turn in enumerate(ids)
    }
    lines = []
    for node, ids in quoted.items():
        ids.sort(key=lambda one: order.get(one, 0))
        lines.append(_head(node, texts[ids[0]][0], heads.get(node)))
        lines += [f"- {texts[one][1]}" for one in ids]
    for one in shown:
        line = f"{_head(one.node.id, one.node.at, one.node)}"
        if one.node.id not in quoted and used + count_tokens(line) + 1 <= budget:
            used += count_tokens(line) + 1
            lines.append(line)
    text = "\n".join(lines)
    while lines and (tokens := count_tokens(text)) > budget:
        lines.pop()
        text = "\n".join(lines)
    return text, (tokens if lines else 0)


def _head(identifier: str, at: datetime, node: MemoryNode | None) -> str:
    return f"[{identifier}] {at:%Y-%m-%d}" + (f" {node.summary}" if node else "")
