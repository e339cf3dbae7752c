"""Fourth stage: how sure the answer is. A logistic model on features of the scores gives the probability that the best
hit is what was asked for; the rules of REQUIREMENTS 6 turn it into high, suggested or none. Recency and importance rank
but do not enter (DESIGN 7.9)."""

from __future__ import annotations

import math

from graphmem.retrieve.state import State

HIGH, GAP, SUGGESTED = 0.92, 0.03, 0.75
BIAS = -2.0
COEFFICIENTS = {"coverage": 4.0, "cosine": 2.0}


def calibrate(state: State) -> None:
    """Set the probabilities and the confidence."""
    for row in state.ranked[: state.k]:
        state.probabilities[row] = probability(features(state, row))
    best = sorted((state.probabilities.get(row, 0.0) for row in state.ranked[:2]), reverse=True)
    if not best:
        return
    gap = best[0] - best[1] if len(best) > 1 else math.inf
    if best[0] >= HIGH and gap >= GAP:
        state.confidence = "high"
    elif best[0] >= SUGGESTED:
        state.confidence = "suggested"


def features(state: State, row: int) -> dict[str, float]:
    """What the model looks at."""
    return {
        "coverage": state.matches[row].coverage if row in state.matches else 0.0,
        "cosine": state.channels.get("window", {}).get(row, 0.0),
    }


def probability(values: dict[str, float]) -> float:
    """The logistic model."""
    return 1 / (1 + math.exp(-BIAS - sum(COEFFICIENTS[name] * value for name, value in values.items())))
