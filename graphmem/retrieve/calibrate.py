"""Sixth stage: how sure the answer is. Three logistic models: whether the memory speaks of the matter at all, whether it
holds what was asked for, and which hit is the one meant; the rules of REQUIREMENTS 6 turn them into high, suggested or none.
Recency and importance rank but do not enter (DESIGN 7.9). `graphmem bench confidence` measures all three."""

from __future__ import annotations

import math

from graphmem.ports.text import idf
from graphmem.retrieve.analyse import content_words, is_question
from graphmem.retrieve.state import State
from graphmem.text.keys import identifiers

HIGH, GAP, SUGGESTED = 0.92, 0.03, 0.75

# The matter: fitted on questions against questions from elsewhere; the intercept is set so that 2 % of the questions that
# have an answer fall below SUGGESTED.
MATTER = {"coverage": 4.4, "own": 4.0, "window": 2.2, "entities": 1.6, "cosine": 12.6}
MATTER_BIAS = -5.9

# The answer: fitted on questions against the same questions with the items that answer them left out (conversations and
# passages), so half of all is the prior. To fit anew, collect `evidence` of both and run any logistic regression.
ANSWER = {
    "covered": 2.05,
    "score": -1.99,
    "own": 1.44,
    "said": 0.12,
    "window": 1.91,
    "lead": -1.68,
    "cosine": 0.58,
    "entities": 2.36,
    "unknown": 0.29,
    "words": -0.12,
    "undated": -0.8,
}
ANSWER_BIAS = -1.64

# The hit that was meant: fitted on the first ten hits of each question.
MEANT = {
    "coverage": 1.1,
    "own": 2.3,
    "window": 2.1,
    "entities": 4.3,
    "hop": 3.7,
    "answer": 0.5,
    "lead": 2.8,
    "first": 0.8,
}
MEANT_BIAS = -4.8
CEILING = 0.85  # the share of right ones among the surest hits: more is only for items that the query restates
_READ = 5  # hits that say whether anything is relevant
_READ_WORDS = 40  # words of a query whose rarity is looked up


def calibrate_hits(state: State) -> None:
    """Set the probabilities and the confidence."""
    rows = state.ranked[: state.k]
    if not rows or not state.terms:
        return
    second = state.scores.get(state.ranked[1], 0.0) if len(state.ranked) > 1 else 0.0
    for place, row in enumerate(rows):
        rival = second if place == 0 else 1.0
        state.probabilities[row] = hit_probability(state, row, place, state.scores.get(row, 0.0) - rival)
    known = topic_probability(state)
    state.features = answer_evidence(state)
    best = sorted((state.probabilities[row] for row in rows), reverse=True)
    restated = best[0] if best[0] > CEILING else 0.0
    state.relevance = max(known * _logistic(ANSWER, ANSWER_BIAS, state.features), restated)
    gap = best[0] - best[1] if len(best) > 1 else math.inf
    if best[0] >= HIGH and gap >= GAP:
        state.confidence = "high"
    elif max(best[0], known) >= SUGGESTED:
        state.confidence = "none" if _unheard(state) else "suggested"


def _unheard(state: State) -> bool:
    """Whether the query names something by a number that occurs nowhere: what else it says finds others of its kind. The
    answer tells which."""
    for name in identifiers(state.query):
        if state.ports.text.unknown([part for part in name.lower().split("-") if part.isdigit()]):
            state.degraded[name] = "it occurs nowhere"
            return True
    return False


def topic_probability(state: State) -> float:
    """The chance that the memory speaks of what the query is about."""
    hits = [_features(state, row) for row in state.ranked[:_READ]]
    seen = {name: max(hit[name] for hit in hits) for name in hits[0]}
    seen["cosine"] = max(state.channels.get("vectors", {}).values(), default=0.0)
    if state.vector is None:  # without vectors words must speak for them
        seen["cosine"] = seen["window"] = 0.45 * seen["coverage"]
    return _logistic(MATTER, MATTER_BIAS, seen)


def answer_evidence(state: State) -> dict[str, float]:
    """What tells whether the answer is there: how much of the query the best hits say, by themselves and with their
    surroundings, how near they lie, and how much there was to meet."""
    hits = state.ranked[: 2 * _READ]
    cosines, window, lead, entities = (
        state.channels.get(name, {}) for name in ("vectors", "window", "lead", "entities")
    )
    dated = state.channels.get("dated", {})
    first = state.matches.get(hits[0])
    words = content_words(state.query)[:_READ_WORDS]
    items, having = state.ports.text.frequencies(words, state.where)
    found = {
        "covered": first.coverage if first else 0.0,
        "score": first.score if first else 0.0,
        "own": max((state.matches[row].own for row in hits if row in state.matches), default=0.0),
        "said": (first.own if first else 0.0) * sum(idf(items, count) for count in having),
        "window": window.get(hits[0], 0.0),
        "lead": sum(sorted((lead.get(row, 0.0) for row in hits), reverse=True)[:3]) / 3,
        "cosine": max(cosines.values(), default=0.0),
        "entities": max((entities.get(row, 0.0) for row in hits), default=0.0),
        "unknown": float(having.count(0)),
        "words": float(len(words)),
        "undated": float(bool(dated) and not dated.get(hits[0])),
    }
    if state.vector is None:
        found["cosine"] = found["window"] = found["lead"] = 0.45 * found["covered"]
    return found


def hit_probability(state: State, row: int, place: int, lead: float) -> float:
    """The probability that a hit is the one meant. `lead` is how far its score is from that of its rival."""
    seen = {**_features(state, row), "lead": lead, "first": float(place == 0)}
    probability = min(CEILING, _logistic(MEANT, MEANT_BIAS, seen))
    restated = _restated(state, row) if seen["coverage"] > 0.9 else 0.0
    return max(probability, restated)


def _features(state: State, row: int) -> dict[str, float]:
    match = state.matches.get(row)
    signals = {name: state.channels.get(name, {}).get(row, 0.0) for name in ("window", "entities", "hop", "answer")}
    return {**signals, "coverage": match.coverage if match else 0.0, "own": match.own if match else 0.0}


def _restated(state: State, row: int) -> float:
    """How much an item and the query say the same: the share of words in common. An earlier question that is like this one
    does not answer it."""
    for stored in state.load([row]):
        if is_question(stored.item.text):
            return 0.0
        asked, said = set(content_words(state.query)), set(content_words(f"{stored.item.title} {stored.item.text}"))
        return len(asked & said) / (len(asked | said) or 1)
    return 0.0


def _logistic(weights: dict[str, float], bias: float, features: dict[str, float]) -> float:
    return 1 / (1 + math.exp(-bias - sum(weight * features[name] for name, weight in weights.items())))
