"""Calibrates hits: estimates with what probability each of them answers the query, and from that the confidence of the
result: high, suggested or none. Three logistic models with weights in `data/calibration.json` estimate whether a hit answers
(`meant`), whether the store contains the answer (`there`), and whether it contains the subject at all (`known`). Recency and
importance affect the order of hits but never a probability: a recent hit is not more likely to answer.
`python -m graphmem.bench.calibration DIR` fits the weights on clones of public repositories."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graphmem.model.changes import Item
from graphmem.retrieve.analyse import content_words, is_question
from graphmem.retrieve.answerable import answer_probability, topic_probability
from graphmem.retrieve.asking import BY_FORM
from graphmem.retrieve.concepts import SIGNALS as CONCEPTS
from graphmem.retrieve.concepts import unknown_names
from graphmem.retrieve.echoes import replace_echoes_by_replies
from graphmem.retrieve.state import State
from graphmem.text.keys import identifiers

HIGH, GAP, SUGGESTED = 0.92, 0.03, 0.75
RESTATED = 0.85  # share of words in common from which a hit is what the query itself says
_JUDGED = 30  # hits of each family whose probability is estimated, where a question is about code
_UNLIKELY = 0.115  # probability of the best hit below which a question about code has no answer
_UNKNOWN = 0.3  # what is left of it where a name of the question occurs nowhere
_READ = 10  # hits that say whether anything is relevant
_QUOTED = 4  # terms of a query that a text holds word for word: whoever types them means that text
AGAIN = 0.1  # of the probability of a hit, where another one of the same event says it already
_ASKED = 1.4  # log odds of a kind that the wording asks for, beside what was learnt; of another kind as much less
_SPELT = 1.4  # strength of a name with which the query spells out this very symbol
_READ_WORDS = 40  # words of a query whose rarity is looked up
_SIGNALS = (
    "window",
    "entities",
    "hop",
    "answer",
    "said",
    "phrase",
    "quote",
    "verbatim",
    "settles",
    "person",
    *CONCEPTS,
)


def estimate_hits(state: State) -> None:
    """Compute the features and the probability of the best hits of one search. Probabilities never rise from one hit
    to the next: where the model disagrees with the order, the nearest non-increasing values are used."""
    most = max(2 * state.k + 1, _JUDGED if state.about_code else 0)
    items = {one.row: one.item for one in state.load(state.ranked[:most])}
    kinds = {row: item.kind for row, item in items.items()}
    leads, again = _one_of_each_event(state, items, most)
    head = [*leads, *again]
    state.ranked[: len(head)] = head
    state.seen = {row: hit_features(state, row, place, kinds.get(row, "")) for place, row in enumerate(head)}
    chances = dict(zip(head, (_meant(state, row, kinds.get(row, "")) for row in head), strict=True))
    leads = list(replace_echoes_by_replies(state, leads, chances, items))
    if state.about_code:
        leads.sort(key=lambda row: -chances[row])
        state.scores |= zip(leads, sorted((state.scores.get(row, 0.0) for row in leads), reverse=True), strict=True)
    state.ranked[: len(head)] = [*leads, *again]
    state.probabilities = dict(zip(leads, nonincreasing_fit([chances[row] for row in leads]), strict=True))
    state.probabilities |= {row: AGAIN * chances[row] for row in again}


def _one_of_each_event(state: State, items: Mapping[int, Item], most: int) -> tuple[list[int], list[int]]:
    """Return the best hits, one of each event, and those that say again what one of these says: a fact beside the turn that it
    was read from. Of both the source leads, in the better place of the two. A hit and what was derived from it are no rivals."""
    groups: dict[str, list[int]] = {}
    for row in state.ranked[:most]:
        item = items.get(row)
        groups.setdefault((item.event or item.id) if item else str(row), []).append(row)
    leads, again = [], []
    for rows in groups.values():
        lead = next((row for row in rows if row in items and items[row].kind != "fact"), None)
        if lead is None:  # several facts of one turn say several things
            leads += rows
            continue
        state.scores[lead] = max(state.scores.get(row, 0.0) for row in rows)
        leads.append(lead)
        again += [row for row in rows if row != lead]
    return leads, again


def calibrate_hits(state: State) -> None:
    """Set the confidence, and order the hits of all kinds by their probability."""
    if not state.ranked or not state.terms:
        state.probabilities.clear()
        return
    rows = state.ranked[: max(1, state.k)]
    if state.ports.reranker is not None:  # which has read them: its order stays
        state.probabilities |= zip(
            rows, nonincreasing_fit([state.probabilities.get(row, 0.0) for row in rows]), strict=True
        )
    else:
        _order(state, rows)
    state.features = answer_evidence(state)
    best = [state.probabilities.get(row, 0.0) for row in state.ranked[:2]]
    if state.about_code and state.load(state.ranked[:1])[0].item.kind in BY_FORM:
        _judge_question(state, best[0], best[0] - best[1] if len(best) > 1 else math.inf)
        return
    known, there = _answered(state)
    state.relevance = max(known * there, best[0] if best[0] >= HIGH else 0.0)
    gap = best[0] - best[1] if len(rows) > 1 else math.inf
    if best[0] >= HIGH and gap >= GAP:
        state.confidence = "high"
    elif max(best[0], known) >= SUGGESTED:
        state.confidence = "none" if _unheard(state) else "suggested"


def _judge_question(state: State, best: float, gap: float) -> None:
    """Set the confidence of the answer to a question about code: none where a name of the question occurs nowhere, or where even
    the best hit is unlikely."""
    unknown = unknown_names(state)
    state.degraded |= dict.fromkeys(unknown, "it occurs nowhere")
    state.relevance = _UNKNOWN * best if unknown else best
    if best >= HIGH and gap >= GAP:
        state.confidence = "high"
    elif best >= _UNLIKELY and not unknown and not _unheard(state):
        state.confidence = "suggested"


def _answered(state: State) -> tuple[float, float]:
    """Return how likely it is that the store contains the subject, and that it contains the answer. Both are judged differently
    where the first hit is a turn."""
    there = estimate("there", state.features)
    if state.load(state.ranked[:1])[0].item.kind == "turn":
        return topic_probability(state.features), answer_probability(state, there)
    return estimate("known", state.features), there


def nonincreasing_fit(values: Sequence[float]) -> list[float]:
    """Return the non-increasing values nearest to the given ones (isotonic regression by pool adjacent violators).

    >>> nonincreasing_fit([0.5, 0.2, 0.4, 0.1])
    [0.5, 0.30000000000000004, 0.30000000000000004, 0.1]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] < total / count:
            before = pools.pop()
            total, count = total + before[0], count + before[1]
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _order(state: State, rows: list[int]) -> None:
    """Order hits by probability; their scores keep falling. Where some lead, the probabilities are made to fall."""
    lead, rest = rows[: state.leading], rows[state.leading :]
    ordered = lead + sorted(rest, key=lambda row: -state.probabilities.get(row, 0.0))
    if lead:
        chances = nonincreasing_fit([state.probabilities.get(row, 0.0) for row in ordered])
        state.probabilities |= zip(ordered, chances, strict=True)
    if lead or ordered != rows:
        scores = sorted((state.scores.get(row, 0.0) for row in rows), reverse=True)
        state.scores |= zip(ordered, scores, strict=True)
        state.ranked[: len(rows)] = ordered


@cache
def weights() -> Mapping[str, Any]:
    """Return the models by name, each with its bias and weights. `calibration.json` is written by the command above; those of
    `questions.json` are fitted on questions to four public repositories, each left out in turn."""
    folder = Path(__file__).parent / "data"
    names = ("calibration.json", "questions.json")
    return {name: one for file in names for name, one in json.loads((folder / file).read_text("utf-8")).items()}


def estimate(model: str, features: Mapping[str, float], kind: str = "", more: float = 0.0) -> float:
    """Return the probability that a model gives to features; a name that it has no weight for counts nothing. `more` is
    added to its log odds."""
    one = weights()[model]
    total = one["bias"] + one.get("kinds", {}).get(kind, 0.0) + more
    total += sum(weight * features.get(name, 0.0) for name, weight in one["weights"].items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _meant(state: State, row: int, kind: str) -> float:
    features = state.seen[row]
    asked = 0.0 if not state.wanted else _ASKED if kind in state.wanted else -_ASKED
    if state.about_code:
        probability = estimate("question", features | question_features(state, kind))
    else:
        probability = estimate("meant", features, kind, asked)
    if (features["quote"] and len(state.terms) >= _QUOTED) or (kind == "symbol" and features["entities"] >= _SPELT):
        probability = max(probability, HIGH + GAP)
    return max(probability, _restated(state, row)) if features["coverage"] > 0.9 else probability


def question_features(state: State, kind: str) -> dict[str, float]:
    """Return how well a kind fits the form of a question: the kind it asks for, one that may serve, or another."""
    asked = [one for one in state.wanted if one in BY_FORM]
    other = bool(asked) and kind not in asked
    return {
        "asked": float(asked[:1] == [kind]),
        "second": float(kind in asked[1:]),
        "unasked": float(other),
        "strict": float(other and len(asked) == 1),
    }


def hit_features(state: State, row: int, place: int, kind: str) -> dict[str, float]:
    """Return what tells whether a hit answers: how much of the query it says, how near it is, and how far its score lies
    above that of its best rival."""
    match = state.matches.get(row)
    found = {name: state.channels.get(name, {}).get(row, 0.0) for name in _SIGNALS}
    rival = state.ranked[1] if place == 0 and len(state.ranked) > 1 else state.ranked[0]
    score = state.scores.get(row, 0.0)
    found |= {
        "coverage": match.coverage if match else 0.0,
        "own": match.own if match else 0.0,
        "cosine": state.channels.get("vectors", {}).get(row, 0.0),
        "score": score,
        "lead": score - state.scores.get(rival, 0.0) if rival != row else 1.0,
        "first": float(place == 0),
        "rank": math.log1p(place),
        "wanted": float(kind in state.wanted),
        "words": min(1.0, len(state.terms) / 10),
    }
    if state.vector is None:  # without vectors words must speak for them
        found["cosine"] = found["window"] = 0.45 * found["coverage"]
    return found


def answer_evidence(state: State) -> dict[str, float]:
    """Return what tells whether the answer is there: the best that a single passage says of the query, how far the first
    hit lies above the others, and which words of the query occur nowhere."""
    rows = [row for row in state.ranked[:_READ] if row in state.seen]
    hits = [state.seen[row] for row in rows]
    if not hits:
        return {}
    first = hits[0]
    words = content_words(state.query)[:_READ_WORDS]
    having = state.ports.text.frequencies(words, state.where)[1]
    chances = sorted((state.probabilities.get(row, 0.0) for row in rows), reverse=True)
    return {
        **{
            f"best_{name}": max(hit[name] for hit in hits)
            for name in ("coverage", "own", "said", "phrase", "cosine", "entities")
        },
        **{f"first_{name}": first[name] for name in ("coverage", "own", "said", "cosine", "window", "lead", "wanted")},
        "chance": chances[0],
        "gap": chances[0] - chances[1] if len(chances) > 1 else chances[0],
        "unknown": having.count(0) / (len(having) or 1),
        "words": min(1.0, len(words) / 10),
    }


def _unheard(state: State) -> bool:
    """Return whether the query names something by a number that occurs nowhere: its other words only find others of that kind.
    `degraded` says which."""
    for name in identifiers(state.query):
        if state.ports.text.unknown([part for part in name.lower().split("-") if part.isdigit()]):
            state.degraded[name] = "it occurs nowhere"
            return True
    return False


def _restated(state: State, row: int) -> float:
    """Return how much an item and the query say the same: the share of words in common. An earlier question that is like this
    one does not answer it."""
    for stored in state.load([row]):
        if is_question(stored.item.text):
            return 0.0
        asked, said = set(content_words(state.query)), set(content_words(f"{stored.item.title} {stored.item.text}"))
        share = len(asked & said) / (len(asked | said) or 1)
        return share if share >= RESTATED else 0.0
    return 0.0
