"""Sixth stage: how sure the answer is. One logistic model gives the probability that the memory holds anything relevant,
another that a hit is the one meant; the rules of REQUIREMENTS 6 turn them into high, suggested or none. Recency and
importance rank but do not enter (DESIGN 7.9). Fitted on conversations, passages and reports; half was held back."""

from __future__ import annotations

import math

from graphmem.retrieve.analyse import content_words
from graphmem.retrieve.state import State

HIGH, GAP, SUGGESTED = 0.92, 0.03, 0.75

# Something relevant: fitted on questions against questions from elsewhere; the intercept is set so that 2 % of the
# questions that have an answer fall below SUGGESTED.
RELEVANT = {"coverage": 4.4, "own": 4.0, "window": 2.2, "entities": 1.6, "cosine": 12.6}
RELEVANT_BIAS = -5.96

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


def calibrate(state: State) -> None:
    """Set the probabilities and the confidence."""
    rows = state.ranked[: state.k]
    if not rows or not state.terms:
        return
    second = state.scores.get(state.ranked[1], 0.0) if len(state.ranked) > 1 else 0.0
    for place, row in enumerate(rows):
        rival = second if place == 0 else 1.0
        state.probabilities[row] = meant(state, row, place, state.scores.get(row, 0.0) - rival)
    state.relevance = _relevant(state)
    best = sorted((state.probabilities[row] for row in rows), reverse=True)
    gap = best[0] - best[1] if len(best) > 1 else math.inf
    if best[0] >= HIGH and gap >= GAP:
        state.confidence = "high"
    elif max(best[0], state.relevance) >= SUGGESTED:
        state.confidence = "suggested"


def _relevant(state: State) -> float:
    hits = [_features(state, row) for row in state.ranked[:_READ]]
    features = {name: max(hit[name] for hit in hits) for name in hits[0]}
    features["cosine"] = max(state.channels.get("vectors", {}).values(), default=0.0)
    if state.vector is None:  # without vectors words must speak for them
        features["cosine"] = features["window"] = 0.45 * features["coverage"]
    return _logistic(RELEVANT, RELEVANT_BIAS, features)


def meant(state: State, row: int, place: int, lead: float) -> float:
    """The probability that a hit is the one meant. `lead` is how far its score is from that of its rival."""
    features = {**_features(state, row), "lead": lead, "first": float(place == 0)}
    probability = min(CEILING, _logistic(MEANT, MEANT_BIAS, features))
    restated = _restated(state, row) if features["coverage"] > 0.9 else 0.0
    return max(probability, restated)


def _features(state: State, row: int) -> dict[str, float]:
    match = state.matches.get(row)
    signals = {name: state.channels.get(name, {}).get(row, 0.0) for name in ("window", "entities", "hop", "answer")}
    return {**signals, "coverage": match.coverage if match else 0.0, "own": match.own if match else 0.0}


def _restated(state: State, row: int) -> float:
    """How much an item and the query say the same: the share of words in common."""
    for stored in state.load([row]):
        asked, said = set(content_words(state.query)), set(content_words(f"{stored.item.title} {stored.item.text}"))
        return len(asked & said) / (len(asked | said) or 1)
    return 0.0


def _logistic(weights: dict[str, float], bias: float, features: dict[str, float]) -> float:
    return 1 / (1 + math.exp(-bias - sum(weight * features[name] for name, weight in weights.items())))
